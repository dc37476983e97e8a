import { allConfigValues, configValues, setConfig } from '../app/config.ts';
import { runConfig } from '../app/target.ts';
import { isJudging } from '../config/dotted.ts';
import { type Assignment, parseAssignments } from '../config/edit.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { settled, settledAll } from '../model/trouble.ts';
import { table } from '../report/format/table.ts';
import { findPlace, here } from '../wire/place.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, confirm, print } from './screen.ts';

type Done = Result<number, readonly Failure[]>;
type Project = Parameters<typeof setConfig>[0];

export async function run(call: Call): Promise<number> {
  const place = findPlace(folderOf(call));
  if (place === undefined) return complain([{ kind: 'not-a-repository', dir: folderOf(call) }]);
  const project = { ...place, ...here };
  const [action = 'list', ...words] = call.args;
  const act = { list, get, set }[action as 'list' | 'get' | 'set'];
  const done = await act(call, project, words);
  return done.ok ? done.value : complain(done.failure);
}

function get(call: Call, project: Project, keys: readonly string[]): Done {
  if (keys.length === 0) return usage('no key was given', 'Type `ym config get KEY`.');
  const found = configValues(project, keys);
  if (!found.ok) return found;
  const [only, ...others] = found.value;
  const isOne = others.length === 0;
  return print(call, isOne ? { ...only } : { keys: found.value }, () =>
    isOne ? [shown(only?.value)] : found.value.map(({ key, value }) => `${key} = ${shown(value)}`),
  );
}

function list(call: Call, project: Project): Done {
  const rows = allConfigValues(project);
  if (!rows.ok) return rows;
  const lines = rows.value.map(({ key, value, origin = '', file, line }) => {
    const place = file === undefined ? origin : `${file}${line === undefined ? '' : `:${line}`}`;
    return [key, shown(value), place];
  });
  const columns = [{ title: 'key' }, { title: 'value', gives: true }, { title: 'from' }];
  return print(call, { keys: rows.value }, ({ style, width }) =>
    table(columns, lines, width, style.bold),
  );
}

async function set(call: Call, project: Project, words: readonly string[]): Promise<Done> {
  const wanted = wantedOf(words);
  if (!wanted.ok) return fail([wanted.failure]);
  const done = await setConfig(project, wanted.value);
  if (!done.ok) return done;
  const set = done.value.map(({ key, value }) => `${key} = ${value || '(cleared)'}`);
  const isRead = wanted.value.some(({ key }) => isJudging(key));
  return confirm(call, isRead ? [...set, ...(await notYetUsed(call))] : set);
}

/** Warnings about keys for which runs still use another value, from the target's commit. */
async function notYetUsed(call: Call): Promise<readonly string[]> {
  const project = await settled(openProject(folderOf(call)));
  if (!project.ok) return [];
  const read = await settledAll(runConfig(project.value));
  await project.value.git.close();
  return read.ok ? read.value.warnings : [];
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

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function usage(problem: string, remedy: string): Result<never, readonly Failure[]> {
  return fail([{ kind: 'usage', problem, remedy }]);
}
