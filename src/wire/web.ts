import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../app/lookup.ts';
import type { Project } from '../app/ports.ts';
import { writeFile } from '../files/state-file.ts';
import type { StartedBy } from '../model/actor.ts';
import { fail, ok, type Result, unwritable, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { names, object, readJson } from '../model/shape.ts';
import { outcomeOf } from '../model/trouble.ts';
import { placesOf } from '../process/ancestors.ts';
import { startDetached } from '../process/detached.ts';
import { type Connection, peerOf } from '../process/peer.ts';
import { builtProgram } from './built-program.ts';
import { callerOf } from './caller.ts';
import { findPlace } from './place.ts';

export { webToken } from './web-token.ts';

/** This process, and the one at the other end of a connection to it. Neither may decide if an agent started it. */
export function callersOf(
  { id, storeSetting }: Pick<Project, 'id' | 'storeSetting'>,
  connection: Connection,
): readonly Caller[] {
  const peer = peerOf(connection);
  const own = callerOf(id, storeSetting);
  return peer === undefined ? [own] : [own, { ...own, places: placesOf(peer) }];
}

/** Time in which a command that cannot start ends. */
const startMs = 1_500;

/** Exit statuses of a run that has ended, whatever its result; others mean that it could not start. */
const resultStatuses: ReadonlySet<number> = new Set([0, 1, 4, 5]);

/** Starts `ym` in a project as a process that outlives this one. Its events name `actor`; without a name, the user of git. */
export async function startProgram(
  { dir, root, env, clock }: Pick<Project, 'dir' | 'root' | 'env' | 'clock'>,
  words: readonly string[],
  {
    actor,
    program = builtProgram('main.js'),
  }: { readonly actor: StartedBy; readonly program?: string },
): Promise<Result<{ readonly output: string; readonly ended: Promise<number> }>> {
  const folder = join(dir, 'started');
  const now = new Date(clock.now()).toISOString();
  const output = join(folder, `${now.replaceAll(':', '-')}.log`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return fail(unwritable(folder, error));
  }
  const argv = [process.execPath, program, ...words] as const;
  const own = { ...env, YARDMASTER_ACTOR: JSON.stringify(actor) };
  const started = await startDetached({ argv, cwd: root, env: own, output });
  const ended = await Promise.race([started.ended, sleep(startMs, undefined, { ref: false })]);
  if (ended === undefined || resultStatuses.has(ended)) {
    return ok({ output, ended: started.ended });
  }
  const text = readFileSync(output, 'utf8').trim().slice(-limits.tailBytes);
  const last = text.split('\n').at(-1) ?? '';
  return usage(`\`ym ${words[0]}\` ended at once: ${last}`, `Its output is in ${output}.`);
}

/** Program that opens an address in the user's browser; undefined without a desktop. */
function browserOpener({ env, which }: Pick<Project, 'env' | 'which'>): string | undefined {
  const isDesktop =
    process.platform === 'darwin' || Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
  const program = which(process.platform === 'darwin' ? 'open' : 'xdg-open');
  return isDesktop && program.ok ? program.value : undefined;
}

/**
 * Opens an address in the user's browser, and returns false if there is none. Arguments of a process are visible to all
 * users of the machine, so the browser opens a file that leads to the address.
 */
export async function openBrowser(
  project: Pick<Project, 'env' | 'which' | 'dir'>,
  address: string,
): Promise<boolean> {
  const opener = browserOpener(project);
  if (opener === undefined) return false;
  const { env, dir: cwd } = project;
  const file = join(cwd, 'open.html');
  rmSync(file, { force: true });
  const page = `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`;
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
  const opened = await outcomeOf(startDetached({ argv: [opener, file], cwd, env }));
  return opened.ok;
}

const Known = object({ roots: names });
const knownMost = 20;

/** Checkouts of other projects for which a web server was started before, and that still exist. */
export function knownProjects(stateDir: string): readonly string[] {
  const file = knownFile(stateDir);
  const known = existsSync(file) ? readJson(Known, readFileSync(file, 'utf8')) : undefined;
  return (known?.roots ?? []).filter((root) => findPlace(root)?.root === root);
}

/** Remembers checkouts, the newest first. */
export function rememberProjects(
  stateDir: string,
  roots: readonly string[],
): Promise<Result<void>> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const all = [...new Set([...roots, ...knownProjects(stateDir)])].slice(0, knownMost);
  return outcomeOf(writeFile(knownFile(stateDir), `${JSON.stringify({ roots: all })}\n`));
}

const knownFile = (stateDir: string): string => join(stateDir, 'web-projects.json');
