import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { valueAt } from '../document/document.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { gateSlotsFor, limits, poolSize } from '../model/limits.ts';
import type { Stage } from '../model/review.ts';
import type { CritiqueSettings, ReviewSettings } from '../model/run.ts';
import { isJudging, type Judge, judgingPart, mapKeys, pathOf } from './dotted.ts';
import { type Settled, settled } from './key.ts';
import { keys, projectFile, settableKeys } from './keys.ts';
import {
  configFailure,
  failureAt,
  fileLayer,
  keyLayer,
  type Layer,
  type Leaf,
  modeLayer,
  type Origin,
  variableLayers,
} from './layers.ts';
import { builtInModes } from './mode.ts';
import { problemsAmong } from './problems.ts';
import { canWork } from './profile.ts';
import { userFile } from './user-file.ts';

type Values = Settled<typeof keys>;

type GateConfig = Omit<Values['gate'], 'off' | 'commands' | 'slots'> & {
  readonly slots: number;
} & (
    | { readonly kind: 'commands'; readonly commands: readonly string[] }
    /** The repository's files show which commands to run. */
    | { readonly kind: 'detect' }
    /** The user disabled the gate. Its time limit still holds for commands of tasks and of `run.before`. */
    | { readonly kind: 'none' }
  );

/** The values of all keys, those that belong together combined, and the origin of each key. */
export interface Config
  extends Omit<Values, 'gate' | 'fallback' | 'review' | 'critique' | 'pipelines' | 'train'> {
  readonly gate: GateConfig;
  readonly fallback?: { readonly agent: string; readonly cooldown: number };
  /** Absent without a reviewer. */
  readonly review?: ReviewSettings;
  readonly critique?: CritiqueSettings;
  /** Stages by task type; always has a `default`. */
  readonly pipelines: Readonly<Record<string, readonly Stage[]>>;
  readonly waitForTasksMs: number;
  readonly train: Omit<Values['train'], 'batch'> & { readonly batch: number };
  readonly origins: ReadonlyMap<string, Origin>;
}

export interface ConfigInput {
  /** Top folder of the repository. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By dotted key; text is read as `config set` reads it, undefined values are ignored. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Returns the text of a file, undefined if it does not exist, and throws if it cannot be read. */
  readFile(path: string): string | undefined;
  /** The project file in the target's commit; it replaces the judging part of the file in the checkout. */
  readonly judge?: Judge;
  /** Cores of the machine, by default those of this one. */
  readonly cores?: number;
}

/** Reads all layers and reports everything that is wrong in any of them. */
export function loadConfig(input: ConfigInput): Result<Config, readonly Failure[]> {
  const files = [userLayer(input), ...projectLayers(input)];
  const above = [
    ...variableLayers(input.env),
    ...Object.entries(input.flags)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => keyLayer('flag', `flag for ${key}`, key, value)),
  ];
  const layers = [...files, ...modeLayers([...files, ...above]), ...above];
  const failures = layers.flatMap((layer) => (layer.ok ? [] : layer.failure));
  const leaves = merge(layers.flatMap((layer) => (layer.ok ? layer.value : [])));
  failures.push(...problemsAmong(leaves));
  return failures.length > 0
    ? fail(failures)
    : ok(configFrom(leaves, input.cores ?? availableParallelism()));
}

/** The mode that the layers choose. Every mode is checked, so that an error in one is reported before it is needed. */
function modeLayers(layers: readonly Layer[]): readonly Layer[] {
  const leaves = merge(layers.flatMap((layer) => (layer.ok ? layer.value : [])));
  const written = [...leaves.values()].filter(({ key }) => key.startsWith('modes.'));
  const own = written.map(({ key, meaning }) => [key.slice('modes.'.length), meaning] as const);
  const known = new Map<string, unknown>([...Object.entries(builtInModes), ...own]);
  const wanted = leaves.get('mode');
  const needed = new Set([...own.map(([name]) => name), String(wanted?.meaning ?? '')]);
  const read = [...known]
    .filter(([name]) => needed.has(name))
    .map(([name, keys]) => [name, modeLayer(`modes.${name}`, keys)] as const);
  const broken = read.flatMap(([, layer]) => (layer.ok ? [] : [layer]));
  if (wanted === undefined || broken.length > 0) return broken;
  const found = read.find(([name]) => name === wanted.meaning)?.[1];
  if (found !== undefined) return [found];
  const problem = `there is no mode ${JSON.stringify(wanted.value)}`;
  return [fail([failureAt(wanted, problem, `Modes are ${[...known.keys()].join(', ')}.`)])];
}

/** The checkout's file is checked whole, so that an error in its judging part is reported before it is committed. */
function projectLayers(input: ConfigInput): Layer[] {
  const own = readLayer(input, 'project file', join(input.root, projectFile), false);
  const { judge } = input;
  if (judge === undefined || !own.ok) return [own];
  return [
    ok(own.value.filter(({ key }) => !isJudging(key))),
    fileLayer('project file', judge.file, judge.text, judgingPart),
  ];
}

function userLayer(input: ConfigInput): Layer {
  const user = userFile(input.env);
  return user === undefined ? ok([]) : readLayer(input, 'user file', user.file, user.named);
}

function readLayer(
  input: ConfigInput,
  origin: 'user file' | 'project file',
  file: string,
  mustExist: boolean,
): Layer {
  const shown = origin === 'project file' ? projectFile : file;
  let text: string | undefined;
  try {
    text = input.readFile(file);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const problem = `it cannot be read (${cause})`;
    return fail([configFailure(shown, { problem, remedy: 'Check that you may read it.' })]);
  }
  if (text !== undefined) return fileLayer(origin, shown, text);
  if (!mustExist) return ok([]);
  const remedy = 'Fix or unset YARDMASTER_USER_CONFIG.';
  return fail([configFailure(shown, { problem: 'there is no such file', remedy })]);
}

const describesGate = (key: string): boolean => key.startsWith('gate.') && key !== 'gate.slots';

/** Later leaves win. `gate: none` and the keys below `gate`, except `gate.slots`, replace each other. */
function merge(leaves: readonly Leaf[]): Map<string, Leaf> {
  const merged = new Map<string, Leaf>();
  for (const leaf of leaves) {
    if (leaf.key === 'gate') {
      for (const key of merged.keys()) if (describesGate(key)) merged.delete(key);
    }
    if (describesGate(leaf.key)) merged.delete('gate');
    merged.set(leaf.key, leaf);
  }
  return merged;
}

function configFrom(leaves: ReadonlyMap<string, Leaf>, cores: number): Config {
  const values = settled(keys, (one) => {
    const set = mapKeys.includes(one) ? entriesOf(leaves, one.key) : leaves.get(one.key)?.meaning;
    return set ?? one.value;
  });
  const { gate, fallback, review, critique, pipelines, waitForTasksMs, train, ...rest } = values;
  const isReviewed = review.reviewers.length > 0 || review.person;
  const hasExecutor = Object.values(values.agents).some(
    (profile) => canWork(profile) && profile.role === 'executor',
  );
  const stages: readonly Stage[] = [
    ...(critique.critic === undefined ? [] : (['critique'] as const)),
    ...(values.tests.agent === undefined ? [] : (['tests'] as const)),
    'work',
    'gate',
    ...(isReviewed ? (['review'] as const) : []),
    'land',
  ];
  return {
    ...rest,
    gate: gateFrom(gate, cores),
    ...(fallback.agent === undefined ? {} : { fallback: { ...fallback, agent: fallback.agent } }),
    ...(isReviewed ? { review } : {}),
    ...(critique.critic === undefined
      ? {}
      : { critique: { ...critique, critic: critique.critic } }),
    pipelines: { default: stages, ...pipelines },
    // Executors may start before there is a plan.
    waitForTasksMs: waitForTasksMs ?? (hasExecutor ? limits.waitForTasksDefaultMs : 0),
    train: { ...train, batch: train.batch === 'auto' ? limits.trainBatchDefault : train.batch },
    origins: originsOf(leaves),
  };
}

function gateFrom(values: Values['gate'], cores: number): GateConfig {
  const { off, commands, ...rest } = values;
  const common = { ...rest, slots: rest.slots === 'auto' ? gateSlotsFor(cores) : rest.slots };
  if (off !== undefined) return { kind: 'none', ...common };
  if (commands === undefined) return { kind: 'detect', ...common };
  return { kind: 'commands', commands, ...common };
}

/** The entries of a map from all layers, or undefined if there is none. */
function entriesOf(leaves: ReadonlyMap<string, Leaf>, map: string): object | undefined {
  const entries = [...leaves]
    .filter(([key]) => key.startsWith(`${map}.`))
    .map(([key, { meaning }]) => [key.slice(map.length + 1), meaning]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function originsOf(leaves: ReadonlyMap<string, Leaf>): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const { key, default: value } of settableKeys)
    origins.set(key, { value, origin: 'default' });
  for (const { key, value, origin, file, line } of leaves.values())
    origins.set(key, { value, origin, file, line });
  return origins;
}

/**
 * The value of a dotted key as it was written, and where. A section or map that holds a set key is not at its default;
 * it has no origin if its keys are set in different places.
 */
export function originOf(config: Config, key: string): Partial<Origin> {
  const origin = config.origins.get(pathOf(key).join('.'));
  if (origin === undefined) return originWithin(config, pathOf(key));
  if (origin.origin !== 'default') return origin;
  if (key === 'worktree.pool') {
    return { ...origin, value: `auto (${poolSize(config.jobs)} for ${config.jobs} jobs)` };
  }
  const below = [...config.origins].filter(
    ([name, one]) => name.startsWith(`${key}.`) && one.origin !== 'default',
  );
  const [first] = below;
  if (first === undefined) return origin;
  const value = Object.fromEntries(
    below.map(([name, one]) => [name.slice(key.length + 1), one.value]),
  );
  const places = new Set(below.map(([, one]) => one.origin));
  return places.size === 1 ? { value, origin: first[1].origin } : { value };
}

/** A key inside an entry that is set as a whole, such as the command of an agent. */
function originWithin(config: Config, path: readonly string[]): Partial<Origin> {
  for (let length = path.length - 1; length > 1; length -= 1) {
    const origin = config.origins.get(path.slice(0, length).join('.'));
    if (origin === undefined || origin.origin === 'default') continue;
    const value = valueAt(origin.value, path.slice(length));
    if (value !== undefined) return { ...origin, value };
  }
  return { value: 'none', origin: 'default' };
}
