import type { Document, Path, Problem } from '../document/document.ts';
import { problemsOf, valueAt, type Wording } from '../document/document.ts';
import { readYaml } from '../document/yaml.ts';
import { nearest } from '../graph/nearest.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { keysBelow, mapKeys, pathOf, refusalOf, typeOf } from './dotted.ts';
import { hookKeys } from './hook.ts';
import { settableKeys } from './keys.ts';
import { misplacedKey, profileKeys } from './profile.ts';
import { layerSchema } from './schema.ts';
import { priorityName } from './values.ts';

type OriginName = 'default' | 'user file' | 'project file' | 'mode' | 'environment' | 'flag';

export interface Origin {
  readonly value: unknown;
  readonly origin: OriginName;
  /** The file, or the name of the variable or flag. */
  readonly file?: string;
  readonly line?: number;
}

/** One key as one layer sets it: the written value, and what the schema made of it. */
export interface Leaf extends Origin {
  readonly key: string;
  readonly meaning: unknown;
}

export type Layer = Result<readonly Leaf[], readonly Failure[]>;

/** Reads a config file's text as a layer; `part` selects what counts of it. */
export function fileLayer(
  origin: OriginName,
  file: string,
  text: string,
  part: (whole: unknown) => unknown = (whole) => whole,
): Layer {
  const parsed = readYaml(text.replace(/^\uFEFF/, ''));
  if (parsed.ok) return layerOf(origin, file, { ...parsed.value, value: part(parsed.value.value) });
  return fail(parsed.failure.map((problem) => configFailure(file, problem)));
}

/** One key that is set outside of a file. */
export function keyLayer(origin: OriginName, name: string, key: string, input: unknown): Layer {
  if (typeOf(key) === undefined) return fail([configFailure(name, refusalOf(key))]);
  const value = typeof input === 'string' ? valueFrom(key, input) : ok(input);
  if (!value.ok) return fail([configFailure(name, value.failure)]);
  const whole = pathOf(key).reduceRight((inner: unknown, part) => ({ [part]: inner }), value.value);
  return layerOf(origin, name, { value: whole, lineOf: () => undefined });
}

/** The keys of a mode; `name` is what messages call it. */
export function modeLayer(name: string, keys: unknown): Layer {
  return layerOf('mode', name, { value: keys, lineOf: () => undefined });
}

export function configFailure(file: string, problem: Problem): Failure {
  return { kind: 'config-invalid', file, ...problem };
}

/** A failure at the place where the key is set. */
export function failureAt({ file, origin, line }: Leaf, problem: string, remedy: string): Failure {
  return configFailure(file ?? origin, { line, problem, remedy });
}

/** Reads a value typed by a person. Lists and maps are JSON; one plain text is a list of one. */
export function valueFrom(key: string, text: string): Result<unknown, Problem> {
  const trimmed = text.trim();
  switch (typeOf(key)) {
    case 'number':
    case 'choice':
      return ok(/^-?\d+$/.test(trimmed) ? Number(trimmed) : unquoted(trimmed));
    case 'boolean':
      return ok(trimmed === 'true' || (trimmed === 'false' ? false : unquoted(trimmed)));
    case 'tokens':
    case 'money':
      return ok(/^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : unquoted(trimmed));
    case 'list':
      return trimmed.startsWith('[') ? fromJson(key, trimmed) : ok([unquoted(trimmed)]);
    case 'map':
      return fromJson(key, trimmed);
    default:
      return ok(unquoted(trimmed));
  }
}

function unquoted(text: string): string {
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
}

function fromJson(key: string, text: string): Result<unknown, Problem> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({
      problem: `"${key}" is not valid JSON (${cause})`,
      remedy: 'Give a list or a map as JSON, such as ["npm test"].',
    });
  }
}

function layerOf(origin: OriginName, file: string, document: Document): Layer {
  const whole = document.value ?? {};
  const isOff = valueAt(whole, ['gate']) === 'none';
  const layer = isOff ? { ...whole, gate: undefined } : whole;
  const checked = layerSchema(layer).safeParse(layer);
  if (!checked.success) {
    const problems = problemsOf(checked.error, { ...document, value: whole }, wordingOf(whole));
    return fail(problems.map((problem) => configFailure(file, problem)));
  }
  const leaf = (path: Path, meaning: unknown): Leaf => {
    const written = asWritten(whole, path);
    const value = valueAt(whole, written);
    const line = document.lineOf(written);
    return { key: path.join('.'), value, meaning, origin, file, line };
  };
  const leaves = pathsIn(checked.data).map((path) => leaf(path, valueAt(checked.data, path)));
  return ok(isOff ? [...leaves, leaf(['gate'], 'none')] : leaves);
}

/** The path with a priority as the file spells it, such as 0 for `P0`. */
function asWritten(whole: unknown, path: Path): Path {
  const [first, second, priority] = path;
  if (first !== 'model' || second !== 'by_priority') return path;
  const keys = Object.keys(valueAt(whole, [first, second]) ?? {});
  return [first, second, keys.find((one) => priorityName(one) === priority) ?? ''];
}

/** The paths of all values. An entry of a map, such as an agent's profile, is one value: layers never mix in one. */
function pathsIn(values: object): string[][] {
  const keys = settableKeys
    .filter((one) => one.key !== 'gate' && !mapKeys.includes(one))
    .map(({ key }) => key.split('.'));
  const entries = mapKeys.flatMap(({ key }) => {
    const map = key.split('.');
    return Object.keys(valueAt(values, map) ?? {}).map((entry) => [...map, entry]);
  });
  return [...keys, ...entries].filter((path) => valueAt(values, path) !== undefined);
}

function wordingOf(whole: unknown): Wording {
  return {
    name: (path) => (path.length === 0 ? 'the config' : `"${dotted(path)}"`),
    keys: (path) => {
      const use = valueAt(whole, [...path, 'use']);
      if (path[0] === 'agents' && path.length === 2) return profileKeys(use);
      if (path[0] === 'hooks' && path.length === 2) return hookKeys(use);
      return keysBelow(path.join('.'));
    },
    unknown: (path, key) => {
      if (path.length === 0) return dottedKey(key);
      return path[0] === 'agents' ? misplacedKey(valueAt(whole, [...path, 'use']), key) : undefined;
    },
  };
}

/** Explains a known key that a file has with dots in it, as docs and `ym config` name it. */
function dottedKey(key: string): Problem | undefined {
  const [section, ...inner] = pathOf(key);
  if (inner.length === 0 || typeOf(key) === undefined) return undefined;
  const below = inner.map((part) => `\`${part}:\``).join(' with ');
  return {
    problem: `"${key}" is written with dots`,
    remedy: `Write it as \`${section}:\` with ${below} in it.`,
  };
}

/** `gate.commands[1]` for the second command. */
function dotted(path: Path): string {
  return path
    .map((part, at) =>
      typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

const prefix = 'YARDMASTER_';

/** Our variables that set no key. */
const notKeys: ReadonlySet<string> = new Set([
  'YARDMASTER_USER_CONFIG',
  'YARDMASTER_STATE_DIR',
  'YARDMASTER_CRASH_AT',
  // Of commands that hooks start; such a command may call `ym`.
  'YARDMASTER_HOOK',
  'YARDMASTER_POINT',
]);

/** The variable that sets a key: `YARDMASTER_GATE__TIMEOUT` for `gate.timeout`. */
export function variableOf(key: string): string {
  return prefix + key.toUpperCase().replaceAll('.', '__');
}

const keys = new Map(settableKeys.map(({ key }) => [variableOf(key), key]));

/**
 * One layer for each variable that sets a key. A name close to that of a key is refused as a typo; other names belong
 * to other programs and are ignored. An empty variable counts as not set.
 */
export function variableLayers(env: Readonly<Record<string, string | undefined>>): Layer[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && !notKeys.has(name) && value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => {
      const key = keys.get(name);
      return key === undefined ? refused(name) : [keyLayer('environment', name, key, value)];
    });
}

function refused(name: string): Layer[] {
  const near = nearest(
    name.slice(prefix.length),
    [...keys.keys()].map((variable) => variable.slice(prefix.length)),
  );
  if (near === undefined) return [];
  const problem = 'there is no key of this name';
  const remedy = `Did you mean ${prefix}${near}? Else unset the variable.`;
  return [fail([configFailure(name, { problem, remedy })])];
}
