import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, projectFile } from '../config/config.ts';
import { parseAssignments, setKeys } from '../config/edit.ts';
import { refusalOf, settableKeys, typeOf } from '../config/keys.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
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
  const origin = config.value.origins.get(key);
  const screen = screenOf(call);
  if (call.options.flag('json')) screen.json({ key, ...origin });
  else screen.lines([shown(origin?.value)]);
  return ok(undefined);
}

function list(call: Call, config: Config): Result<void, never> {
  const screen = screenOf(call);
  const rows = [...config.origins].map(([key, { value, origin, file, line }]) => ({
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
  const wanted = value === undefined ? parseAssignments(key) : ok([{ key, value }]);
  if (!wanted.ok) return fail([wanted.failure]);
  const file = join(place.root, projectFile);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = setKeys(before, wanted.value);
  if (!after.ok) return after;
  // A set that would leave a config no command can load is refused; mending a broken one is not.
  if (projectConfig(place).ok) {
    const loads = projectConfig(place, {}, process.env, after.value);
    if (!loads.ok) return loads;
  }
  const written = await replaceFile(file, after.value);
  if (!written.ok) return fail([written.failure]);
  if (!call.global.quiet) {
    screenOf(call).lines(wanted.value.map((one) => `${one.key} = ${one.value || '(cleared)'}`));
  }
  return ok(undefined);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function usage(problem: string, remedy: string): Result<never, readonly Failure[]> {
  return fail([{ kind: 'usage', problem, remedy }]);
}
