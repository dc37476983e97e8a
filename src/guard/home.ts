import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../model/limits.ts';
import { type HomeEffect, homeEffects } from '../model/violation.ts';
import type { Listing } from '../port/guard.ts';
import type { AgentState, StateFolder } from '../port/sandbox.ts';
import { attempt, fileMark, followed, listing, type Mark, UNKNOWN } from './marks.ts';

/** A file of the home, or a folder whose entries are compared; folders in it are not entered. */
export interface HomePlace {
  /** Path as it is shown, with `~` for the home. */
  readonly name: string;
  readonly path: string;
  readonly effect: HomeEffect;
}

/** Relative to the home, or to `XDG_CONFIG_HOME` if they begin with `.config`. */
const places: Readonly<Record<HomeEffect, readonly string[]>> = {
  gate: [
    '.bunfig.toml',
    '.cargo/config',
    '.cargo/config.toml',
    '.config/git',
    '.config/go/env',
    '.config/pip/pip.conf',
    '.gitconfig',
    '.gradle/gradle.properties',
    '.gradle/init.gradle',
    '.m2/settings.xml',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
  ],
  access: ['.netrc', '.ssh'],
  session: [
    '.bash_login',
    '.bash_profile',
    '.bashrc',
    '.config/autostart',
    '.config/fish/conf.d',
    '.config/fish/config.fish',
    '.config/systemd/user',
    '.profile',
    '.zlogin',
    '.zprofile',
    '.zshenv',
    '.zshrc',
    'Library/LaunchAgents',
  ],
};

/** Entries of agents' folders that their programs rewrite by themselves when they start. */
const rewritten = new Set(['extensions', 'plugins']);

/** Places of the home to compare: well-known ones, and the settings of agents. */
export function homePlaces(
  env: Readonly<Record<string, string | undefined>>,
  agents: readonly AgentState[],
): readonly HomePlace[] {
  const home = env.HOME;
  if (home === undefined || home === '') return [];
  const shown = (path: string): string =>
    path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const pathOf = (place: string): string =>
    place.startsWith('.config/') ? join(config, place.slice('.config/'.length)) : join(home, place);
  const known = homeEffects.flatMap((effect) =>
    places[effect].map((place) => ({ path: pathOf(place), effect })),
  );
  const settings = agents.flatMap(settingsOf).map((path) => ({ path, effect: 'session' as const }));
  return [...known, ...settings].map((place) => ({ ...place, name: shown(place.path) }));
}

/** Settings, hooks and instructions, which the agent's program reads and a sandbox keeps read-only. */
function settingsOf({ folders }: AgentState): readonly string[] {
  return folders.flatMap(settingsIn);
}

function settingsIn(folder: StateFolder): readonly string[] {
  switch (folder.use) {
    case 'shared':
      return [];
    case 'read':
      return [folder.dir];
    case 'mixed':
      return folder.readOnly
        .filter((name) => !rewritten.has(name))
        .map((name) => join(folder.dir, name));
  }
}

/** Reads a file only if its status is not the one of the last reading. */
export function homeMarks(
  watched: readonly HomePlace[],
): () => Promise<Readonly<Record<HomeEffect, Listing>>> {
  const known = new Map<string, Known>();
  const marksOf = async (effect: HomeEffect): Promise<Listing> => {
    const some = watched.filter((place) => place.effect === effect);
    const marks = await Promise.all(some.map((place) => placeMarks(place, known)));
    return listing(marks.flat(), limits.watchedFiles);
  };
  return async () => ({
    gate: await marksOf('gate'),
    access: await marksOf('access'),
    session: await marksOf('session'),
  });
}

interface Known {
  readonly status: string;
  readonly mark: string;
}

async function placeMarks(
  { name, path, effect }: HomePlace,
  known: Map<string, Known>,
): Promise<readonly Mark[]> {
  const found = statusOf(path);
  if (found?.isFolder !== true) return markOf({ name, path, effect }, found, known);
  const entries = await attempt(() => readdir(path), { missing: [], unknown: undefined });
  if (entries === undefined) return [[name, UNKNOWN]];
  const some = entries.filter((entry) => !isHostList(entry)).sort();
  const marks = await Promise.all(
    some.slice(0, limits.watchedFiles).map((entry) => {
      const place = { name: `${name}/${entry}`, path: join(path, entry), effect };
      return markOf(place, statusOf(place.path), known);
    }),
  );
  return marks.flat();
}

/** Every connection of ssh may add a host to these. */
function isHostList(entry: string): boolean {
  return entry.startsWith('known_hosts');
}

async function markOf(
  { name, path, effect }: HomePlace,
  found: Status | undefined,
  known: Map<string, Known>,
): Promise<readonly Mark[]> {
  if (found === undefined) return [];
  const { status } = found;
  const before = known.get(path);
  if (before?.status === status) return [[name, before.mark]];
  // Keys are compared by their status alone: nothing has to read them.
  const mark = effect === 'access' ? status : await fileMark(path, followed);
  if (mark === undefined) return [];
  known.set(path, { status, mark });
  return [[name, mark]];
}

interface Status {
  readonly status: string;
  readonly isFolder: boolean;
}

/**
 * Undefined for a missing file, and for a socket or pipe, which programs leave while they run. The call is synchronous,
 * because fifty calls through the thread pool take ten times as long.
 */
function statusOf(path: string): Status | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    const isFolder = found?.isDirectory() === true;
    if (found === undefined || !(isFolder || found.isFile())) return undefined;
    const { mode, ino, size, mtimeMs, ctimeMs } = found;
    return { status: `${mode.toString(8)} ${ino} ${size} ${mtimeMs} ${ctimeMs}`, isFolder };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { status: UNKNOWN, isFolder: false };
  }
}
