import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { refusalOf, typeOf } from '../config/dotted.ts';
import { type Assignment, parseAssignments, setKeys } from '../config/edit.ts';
import { projectFile, settableKeys } from '../config/keys.ts';
import { originOf } from '../config/origins.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { table } from '../report/format/table.ts';
import { findPlace, type Place } from '../wire/place.ts';
import { projectConfig } from '../wire/project-config.ts';
import { replaceFile } from '../wire/replace.ts';
import { redactorFor } from '../wire/secrets.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, screenOf } from './screen.ts';

export async function run(call: Call): Promise<number> {
  const place = findPlace(folderOf(call));
  if (place === undefined) return complain([{ kind: 'not-a-repository', dir: folderOf(call) }]);
  const done = await act(call, place);
  return done.ok ? 0 : complain(done.failure);
}

async function act(call: Call, place: Place): Promise<Result<void, readonly Failure[]>> {
  const [action = 'list', ...words] = call.args;
  if (action === 'set') return set(call, place, words);
  const config = projectConfig(place);
  if (!config.ok) return config;
  return action === 'list' ? list(call, config.value) : get(call, config.value, words);
}

function get(
  call: Call,
  config: Config,
  keys: readonly string[],
): Result<void, readonly Failure[]> {
  if (keys.length === 0) return usage('no key was given', 'Type `ym config get KEY`.');
  const unknown = keys.filter((key) => typeOf(key) === undefined);
  if (unknown.length > 0) return fail(unknown.map((key) => ({ kind: 'usage', ...refusalOf(key) })));
  const clean = withoutSecrets(config);
  const found = keys.map((key) => {
    const { value, ...origin } = originOf(config, key);
    return { key, value: clean(value), ...origin };
  });
  const screen = screenOf(call);
  const [only] = found;
  if (call.options.flag('json')) screen.json(found.length === 1 ? { ...only } : { keys: found });
  else if (found.length === 1) screen.lines([shown(only?.value)]);
  else screen.lines(found.map(({ key, value }) => `${key} = ${shown(value)}`));
  return ok(undefined);
}

/** Removes secrets, such as the configured environment of agents. */
function withoutSecrets(config: Config): (value: unknown) => unknown {
  const redactor = redactorFor(config, process.env);
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.whole(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clean(one)]));
  };
  return clean;
}

function list(call: Call, config: Config): Result<void, never> {
  const screen = screenOf(call);
  // A section whose keys are set is listed by those keys.
  const listed = [...config.origins.keys()].flatMap((key) => {
    const origin = originOf(config, key);
    return config.origins.get(key)?.origin === 'default' && origin.origin !== 'default'
      ? []
      : [[key, origin] as const];
  });
  const clean = withoutSecrets(config);
  const rows = listed.map(([key, { value, origin = '', file, line }]) => ({
    key,
    value: clean(value),
    origin,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    doc: settableKeys.find((known) => known.key === key)?.doc ?? '',
  }));
  if (call.options.flag('json')) {
    screen.json({ keys: rows });
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
  words: readonly string[],
): Promise<Result<void, readonly Failure[]>> {
  const wanted = wantedOf(words);
  if (!wanted.ok) return fail([wanted.failure]);
  const file = join(place.root, projectFile);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sound = projectConfig(place).ok;
  const after = setKeys(before, wanted.value);
  if (!after.ok) return sound ? fail(after.failure.map(asGiven)) : after;
  // Refuse an edit that makes a valid config invalid. A config that is already broken may be edited step by step.
  const loads = projectConfig(place, { text: after.value });
  if (sound && !loads.ok) return fail(loads.failure.map(asGiven));
  const written = await replaceFile(file, after.value);
  if (!written.ok) return fail([written.failure]);
  if (!call.global.quiet) {
    const clean = loads.ok ? withoutSecrets(loads.value) : (value: unknown) => value;
    const lines = wanted.value.map((one) => `${one.key} = ${clean(one.value) || '(cleared)'}`);
    screenOf(call).lines(lines);
  }
  return ok(undefined);
}

/** `KEY VALUE`, or several at once as `KEY=VALUE,KEY=VALUE`. */
function wantedOf([key, value, extra]: readonly string[]): Result<readonly Assignment[]> {
  const refuse = (problem: string, remedy: string): Result<never> =>
    fail({ kind: 'usage', problem, remedy });
  if (key === undefined) return refuse('no key was given', 'Type `ym config set KEY VALUE`.');
  if (extra !== undefined) {
    const remedy = 'Quote a value with spaces; set several keys with KEY=VALUE,KEY=VALUE.';
    return refuse(`"${extra}" is an unexpected argument after the value`, remedy);
  }
  if (value !== undefined) return ok([{ key, value }]);
  if (key.includes('=')) return parseAssignments(key);
  const remedy = `Type \`ym config set ${key} VALUE\`; an empty value ("") clears the key.`;
  return refuse(`no value was given for "${key}"`, remedy);
}

/** Reports a problem as one of the typed value: the file was valid before, so its lines are not at fault. */
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
