import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, projectFile } from '../config/config.ts';
import {
  type Assignment,
  clearKey,
  type Edited,
  parseAssignments,
  setKeys,
} from '../config/edit.ts';
import { refusalOf, settableKeys, typeOf } from '../config/keys.ts';
import type { Origin } from '../config/layers.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { poolSize } from '../plan/limits.ts';
import { table } from '../report/table.ts';
import { findPlace, type Place } from '../wire/place.ts';
import { projectConfig } from '../wire/project.ts';
import { replaceFile } from '../wire/replace.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';
import { complain } from './trouble.ts';

export async function run(call: Call): Promise<number> {
  const place = findPlace(folderOf(call));
  if (place === undefined) return complain([{ kind: 'not-a-repository', dir: folderOf(call) }]);
  const done = await act(call, place);
  return done.ok ? 0 : complain(done.failure);
}

async function act(call: Call, place: Place): Promise<Result<void, readonly Failure[]>> {
  const [action = 'list', key, value] = call.args;
  if (action === 'set') return set(call, place, key, value);
  const config = projectConfig(place);
  if (!config.ok) return config;
  if (action === 'list') return list(call, config.value);
  if (key === undefined) return usage('no key was given', 'Say `ym config get KEY`.');
  if (typeOf(key) === undefined) return fail([{ kind: 'usage', ...refusalOf(key) }]);
  const origin = originOf(config.value, key);
  const screen = screenOf(call);
  if (call.options.flag('json')) screen.json({ key, ...origin });
  else screen.lines([shown(origin?.value)]);
  return ok(undefined);
}

/** A section that holds something is not at its default, although the key itself is set nowhere. */
function originOf(config: Config, key: string): Partial<Origin> | undefined {
  const origin = config.origins.get(key);
  if (origin?.origin !== 'default') return origin;
  if (key === 'worktree.pool') {
    return { ...origin, value: `auto (${poolSize(config.jobs)} for ${config.jobs} jobs)` };
  }
  const below = [...config.origins].filter(
    ([name, one]) => name.startsWith(`${key}.`) && one.origin !== 'default',
  );
  const [first] = below;
  if (first === undefined) return origin;
  const names = below.map(([name, { value }]) => [name.slice(key.length + 1), value]);
  const places = new Set(below.map(([, one]) => one.origin));
  const value = Object.fromEntries(names);
  return places.size === 1 ? { value, origin: first[1].origin } : { value };
}

function list(call: Call, config: Config): Result<void, never> {
  const screen = screenOf(call);
  // A section whose keys are set is told by those.
  const told = [...config.origins.keys()].flatMap((key) => {
    const origin = originOf(config, key);
    return config.origins.get(key)?.origin === 'default' && origin?.origin !== 'default'
      ? []
      : [[key, origin ?? {}] as const];
  });
  const rows = told.map(([key, { value, origin = '', file, line }]) => ({
    key,
    value,
    origin,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    doc: settableKeys.find((known) => known.key === key)?.doc ?? '',
  }));
  if (call.options.flag('json')) {
    screen.json(rows);
    return ok(undefined);
  }
  const lines = rows.map(({ key, value, origin, file, line }) => {
    const place = file === undefined ? origin : `${file}${line === undefined ? '' : `:${line}`}`;
    return [key, shown(value), place];
  });
  const columns = [{ title: 'key' }, { title: 'value', gives: true }, { title: 'from' }];
  screen.lines(table(columns, lines, screen.width, screen.style.bold));
  return ok(undefined);
}

async function set(
  call: Call,
  place: Place,
  key: string | undefined,
  value: string | undefined,
): Promise<Result<void, readonly Failure[]>> {
  if (key === undefined) return usage('no key was given', 'Say `ym config set KEY VALUE`.');
  if (value === undefined && !key.includes('=')) {
    const remedy = `Say \`ym config set ${key} VALUE\`; an empty value ("") clears the key.`;
    return usage(`no value was given for "${key}"`, remedy);
  }
  const wanted = value === undefined ? parseAssignments(key) : ok([{ key, value }]);
  if (!wanted.ok) return fail([wanted.failure]);
  const file = join(place.root, projectFile);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sound = projectConfig(place).ok;
  const after = assign(before, wanted.value);
  if (!after.ok) return sound ? fail(after.failure.map(asGiven)) : after;
  // A set that would leave a config no command can load is refused; mending a broken one is not.
  if (sound) {
    const loads = projectConfig(place, {}, process.env, after.value);
    if (!loads.ok) return fail(loads.failure.map(asGiven));
  }
  const written = await replaceFile(file, after.value);
  if (!written.ok) return fail([written.failure]);
  if (!call.global.quiet) {
    screenOf(call).lines(wanted.value.map((one) => `${one.key} = ${one.value || '(cleared)'}`));
  }
  return ok(undefined);
}

/** All of them or none; an empty value takes the key away. */
function assign(text: string, wanted: readonly Assignment[]): Edited {
  const cleared = wanted
    .filter(({ value }) => value === '')
    .reduce<Edited>((so, { key }) => (so.ok ? clearKey(so.value, key) : so), ok(text));
  const given = wanted.filter(({ value }) => value !== '');
  return cleared.ok && given.length > 0 ? setKeys(cleared.value, given) : cleared;
}

/** The file was right before, so what is wrong is what was typed, and not a line of the file. */
function asGiven(failure: Failure): Failure {
  if (failure.kind !== 'config-invalid') return failure;
  const { problem, remedy } = failure;
  return { kind: 'usage', problem: `nothing was set: ${problem}`, remedy };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function usage(problem: string, remedy: string): Result<never, readonly Failure[]> {
  return fail([{ kind: 'usage', problem, remedy }]);
}
