import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Project } from '../app/ports.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { hashOf } from '../model/hash.ts';
import { settled } from '../model/trouble.ts';
import { isLoopback } from '../web/access.ts';
import type { Served } from '../web/app.ts';
import { startServer } from '../web/server.ts';
import { builtProgram } from '../wire/built-program.ts';
import { openProject } from '../wire/project.ts';
import { version } from '../wire/version.ts';
import {
  callersOf,
  knownProjects,
  openBrowser,
  rememberProjects,
  startProgram,
  webToken,
} from '../wire/web.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, screenOf, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/** Serves the web dashboard until a signal ends it. Runs are other processes: they go on. */
export async function run(call: Call): Promise<number> {
  const host = hostOf(call);
  if (!host.ok) return complain([host.failure]);
  const projects = await openAll(call);
  if (!projects.ok) return complain([projects.failure]);
  const [first] = projects.value;
  const token = webToken(first.dir);
  if (!token.ok) return complain([token.failure]);
  const hash = hashOf(first.id);
  const started = await startServer({
    host: host.value,
    port: call.options.number('port') ?? portOf(hash),
    token: token.value,
    cookie: `ym-${hash.toString(16)}`,
    page: builtProgram('ui'),
    version: version(),
    boot: randomBytes(4).toString('hex'),
    projects: servedOf(projects.value),
  });
  if (!started.ok) return complain([started.failure]);
  const { port, close } = started.value;
  const ended = interruptedBySignals();
  const name = host.value.includes(':') ? `[${host.value}]` : host.value;
  const address = `http://${name}:${port}/?token=${token.value}`;
  await greet(call, first, { address, host: host.value });
  await rememberProjects(
    first.stateDir,
    projects.value.map(({ root }) => root),
  );
  if (!ended.signal.aborted) {
    await new Promise((stop) => ended.signal.addEventListener('abort', stop));
  }
  await close();
  ended.release();
  return 0;
}

async function greet(
  call: Call,
  project: Project,
  { address, host }: { readonly address: string; readonly host: string },
): Promise<void> {
  const isOpened = !call.options.flag('no-open') && (await openBrowser(project, address));
  const screen = screenOf(call);
  if (call.options.flag('json')) screen.json({ address });
  else {
    const how = isOpened ? 'Opened in your browser; the address is' : 'Open in your browser:';
    screen.lines([`${how} ${address}`, 'Ctrl-C ends the server. Runs go on.']);
  }
  if (isLoopback(host)) return;
  warn([
    `the server listens on ${host}: everyone who knows the address can read this project, decide about its work and start agents. The connection is not encrypted.`,
  ]);
}

function hostOf({ options }: Call): Result<string> {
  const host = options.text('host') ?? '127.0.0.1';
  if (isLoopback(host) || options.flag('expose')) return ok(host);
  return usage(
    `${host} is not only this machine: others could read this project, decide about its work and start agents`,
    'Add `--expose` if you want that; a tunnel such as `ssh -L` is safer.',
  );
}

/** Ports for web servers; each project has its own, so that its address stays the same. */
const [firstPort, portCount] = [41_000, 2_000];

function portOf(hash: number): number {
  return firstPort + (hash % portCount);
}

/** The project of this folder, those that the call names, and those that had a server before. */
async function openAll(call: Call): Promise<Result<readonly [Project, ...Project[]]>> {
  const here = folderOf(call);
  const [own = here, ...others] = call.args.map((dir) => resolve(here, dir));
  const first = await openProject(own);
  if (!first.ok) return first;
  const projects: [Project, ...Project[]] = [first.value];
  for (const dir of others) {
    const opened = await openProject(dir);
    if (!opened.ok) return opened;
    projects.push(opened.value);
  }
  for (const dir of knownProjects(first.value.stateDir)) {
    if (projects.some(({ root }) => root === dir)) continue;
    const opened = await settled(openProject(dir));
    if (opened.ok) projects.push(opened.value);
  }
  return ok(projects);
}

function servedOf([first, ...others]: readonly [Project, ...Project[]]): readonly [
  Served,
  ...Served[],
] {
  const served = (project: Project): Served => ({
    project,
    callers: (connection) => callersOf(project, connection),
    start: async (words) => {
      const started = await startProgram(project, words, { actor: { through: 'ui' } });
      return started.ok ? ok(started.value.output) : started;
    },
  });
  return [served(first), ...others.map(served)];
}
