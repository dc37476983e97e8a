import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One action: an object with one verb. The docs page on the scripted agent lists them all. */
export interface Action {
  readonly verb: Verb;
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** All verbs with their fields and types; `?` marks an optional field. */
const grammar = {
  write: { path: 'string', text: 'string' },
  append: { path: 'string', text: 'string' },
  replace: { path: 'string', from: 'string', to: 'string' },
  delete: { path: 'string' },
  run: { 'argv?': 'strings', 'shell?': 'string', 'ignore?': 'boolean' },
  commit: { message: 'string' },
  print: { text: 'string' },
  echo: {},
  printError: { text: 'string' },
  sleep: { ms: 'number' },
  hang: {},
  ignoreTerm: {},
  fork: { seconds: 'number', 'detach?': 'boolean', 'ignoreTerm?': 'boolean' },
  flood: { bytes: 'number', 'line?': 'string', 'to?': 'string' },
  crash: { 'signal?': 'string' },
  exit: { code: 'number' },
  signal: { line: 'string' },
  usage: {
    'input?': 'number',
    'cacheRead?': 'number',
    'cacheWrite?': 'number',
    'output?': 'number',
    'costUsd?': 'number',
  },
  mergeTarget: { branch: 'string', 'resolve?': 'string' },
  waitFor: { file: 'string', 'ms?': 'number' },
  touch: { file: 'string' },
  break: { path: 'string', 'text?': 'string' },
  env: { to: 'string' },
} as const satisfies Record<
  string,
  Readonly<Record<string, 'string' | 'strings' | 'number' | 'boolean'>>
>;

export type Verb = keyof typeof grammar;

export class ScriptError extends Error {}

export interface Part {
  readonly task: string;
  readonly attempt: number;
  readonly turn: number;
  /** One-shot call to play instead of a turn. */
  readonly oneShot?: OneShotStep;
}

export interface OneShotStep {
  readonly list: 'reviews' | 'critiques' | 'improvements' | 'batches' | 'revisions' | 'probes';
  readonly round: number;
  /** Try within the round. */
  readonly again: number;
}

/** Loads a script file, or the file of this task in a folder, and picks the actions to play now. */
export function loadActions(path: string, part: Part): readonly Action[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new ScriptError(`The script ${path} does not exist.`);
  if (!stat.isDirectory()) return actionsFor(readJson(path), part, path);
  const own = join(path, `${part.task}.json`);
  const file = statSync(own, { throwIfNoEntry: false }) ? own : join(path, 'default.json');
  if (!statSync(file, { throwIfNoEntry: false })) {
    throw new ScriptError(`The folder ${path} has neither ${part.task}.json nor default.json.`);
  }
  return actionsFor({ default: readJson(file) }, part, file);
}

const lists = ['turns', 'reviews', 'critiques', 'improvements', 'batches', 'revisions', 'probes'];

/** Actions of one turn or one-shot call. The last list, and the last attempt, repeat. */
function actionsFor(script: unknown, part: Part, where: string): readonly Action[] {
  const top = object(script, where);
  allow(top, ['tasks', 'default', '$schema'], where);
  const tasks = top.tasks === undefined ? {} : object(top.tasks, `${where}: tasks`);
  const entry = Object.hasOwn(tasks, part.task) ? tasks[part.task] : top.default;
  if (entry === undefined) {
    if (part.oneShot?.list === 'probes') return [];
    throw new ScriptError(`${where} has no entry for task ${part.task} and no default.`);
  }
  const at = `${where}: task ${part.task}`;
  const given = object(entry, at);
  allow(given, [...lists, 'attempts'], at);
  const attempts =
    given.attempts === undefined ? [given] : array(given.attempts, `${at}: attempts`);
  const attempt = object(nth(attempts, part.attempt, `${at}: attempts`), at);
  allow(attempt, [...lists, 'attempts'], at);
  const list =
    part.oneShot === undefined
      ? turnOf(attempt, part.turn, at)
      : oneShotOf(attempt, part.oneShot, at);
  return list.map((action, index) => actionOf(action, `${at}: action ${index + 1}`));
}

function turnOf(attempt: Fields, turn: number, at: string): readonly unknown[] {
  const turns = array(attempt.turns, `${at}: turns`);
  return array(nth(turns, turn, `${at}: turns`), `${at}: turn ${turn}`);
}

/** Each round is a list of actions, or `tries` with one list per try. */
function oneShotOf(
  attempt: Fields,
  { list, round, again }: OneShotStep,
  at: string,
): readonly unknown[] {
  // Without a list of its own a probe succeeds: there is no model to ask.
  if (list === 'probes' && attempt[list] === undefined) return [];
  const rounds = array(attempt[list], `${at}: ${list}`);
  const entry = nth(rounds, round, `${at}: ${list}`);
  const where = `${at}: round ${round} of ${list}`;
  if (Array.isArray(entry)) return entry;
  const { tries, ...more } = object(entry, where);
  allow(more, [], where);
  return array(nth(array(tries, `${where}: tries`), again, `${where}: tries`), where);
}

function actionOf(given: unknown, where: string): Action {
  const [[verb, value] = ['', undefined], ...more] = Object.entries(object(given, where));
  if (verb === '' || more.length > 0) {
    throw new ScriptError(`${where} must be an object with exactly one verb.`);
  }
  if (!isVerb(verb)) {
    const known = Object.keys(grammar).join(', ');
    throw new ScriptError(`${where} has the unknown verb "${verb}"; known verbs are ${known}.`);
  }
  const fields = object(value, `${where} (${verb})`);
  const shape = Object.entries(grammar[verb]).map(([name, type]) => ({
    name: name.replace('?', ''),
    needed: !name.endsWith('?'),
    type,
  }));
  allow(
    fields,
    shape.map(({ name }) => name),
    `${where} (${verb})`,
  );
  for (const { name, needed, type } of shape) {
    const isAbsent = fields[name] === undefined;
    if (isAbsent ? needed : !isOfType(fields[name], type)) {
      const should = type === 'strings' ? 'a list of strings' : `a ${type}`;
      throw new ScriptError(`${where} (${verb}) needs "${name}" to be ${should}.`);
    }
  }
  return { verb, fields };
}

function isVerb(word: string): word is Verb {
  return Object.hasOwn(grammar, word);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'strings')
    return Array.isArray(value) && value.every((one) => typeof one === 'string');
  return typeof value === type;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new ScriptError(`${file} is not JSON: ${error.message}.`);
    throw error;
  }
}

function object(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new ScriptError(`${where} must be an object.`);
}

function array(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ScriptError(`${where} must be a list.`);
}

function nth(list: readonly unknown[], number: number, where: string): unknown {
  if (list.length === 0) throw new ScriptError(`${where} must not be empty.`);
  return list[Math.min(Math.max(number, 1), list.length) - 1];
}

function allow(given: Fields, names: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new ScriptError(`${where} has the unknown key "${unknown}".`);
}
