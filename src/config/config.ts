import { availableParallelism } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Stage } from '../model/review.ts';
import type {
  CritiqueSettings,
  Delivery,
  ModelRules,
  Prices,
  ReviewSettings,
  TrainSettings,
} from '../model/run.ts';
import type { VerifyPolicy } from '../model/verdict.ts';
import { variableLayers } from './environment.ts';
import { isJudging, type Judge, judgingPart } from './judge.ts';
import {
  configFailure,
  fileLayer,
  keyLayer,
  type Layer,
  type Leaf,
  type Origin,
} from './layers.ts';
import { problemsAmong } from './problems.ts';
import type { Profile } from './profile.ts';
import { settle } from './settle.ts';

export const projectFile = 'yardmaster.yaml';

export type GateConfig = (
  | { readonly kind: 'commands'; readonly commands: readonly string[]; readonly timeoutMs: number }
  /** Nothing was said: look into the repository. */
  | { readonly kind: 'detect'; readonly timeoutMs: number }
  /** A person said that there is none. */
  | { readonly kind: 'none' }
) & {
  /** When a branch is judged by itself before it queues. */
  readonly branch: 'auto' | 'always' | 'never';
  /** What judges it then instead of the gate; empty where that is the gate itself. */
  readonly quick: readonly string[];
  /** How often a red check is run again on the same tree. */
  readonly reruns: number;
  /** Patterns of files that stay in the gate's worktrees from one judgement to the next. */
  readonly cache: readonly string[];
  /** Commands whose output is part of what a verdict holds for, such as `node --version`. */
  readonly environment: readonly string[];
  /** How long a green gate counts as proof that the environment is sound. */
  readonly recheckMs: number;
  /** Gates that run at once. */
  readonly slots: number;
};

/** Everything settled, with the origin of each key. */
export interface Config {
  readonly target?: string;
  readonly jobs: number;
  readonly agent?: string;
  /** Those that the config describes. A coding agent that is known by name needs no profile; see `agent pool.ts`. */
  readonly agents: Readonly<Record<string, Profile>>;
  readonly models: ModelRules;
  readonly fallback?: { readonly agent: string; readonly cooldown: number };
  /** Files with words for every agent; relative ones are of the repository's root. */
  readonly prompts: readonly string[];
  readonly sandbox: 'auto' | 'none';
  readonly gate: GateConfig;
  /** True if the target must pass the gate before the first agent of a run starts. */
  readonly preflight: boolean;
  /** Patterns of paths that only a person may let through. */
  readonly protect: readonly string[];
  readonly rules: {
    readonly tests: 'guard' | 'off';
    readonly maxFiles?: number;
    readonly maxLines?: number;
  };
  /** Absent where nobody reviews. */
  readonly review?: ReviewSettings;
  readonly critique?: CritiqueSettings;
  /** Stages by type of task; `default`, for the rest, is always there. */
  readonly pipelines: Readonly<Record<string, readonly Stage[]>>;
  readonly worktree: {
    readonly setup: readonly string[];
    readonly copy: readonly string[];
    readonly pool: number | 'auto';
  };
  readonly retries: number;
  readonly spawnRate: number;
  readonly quarantine: number;
  readonly retry: {
    readonly returns: number;
    readonly provider: number;
    readonly silent: number;
  };
  /** 0 for none. */
  readonly quotaWaitMs: number;
  /** 0 for not at all. */
  readonly waitForTasksMs: number;
  readonly limits: {
    readonly agentWallMs: number;
    /** 0 for none, as for the one below. */
    readonly agentIdleMs: number;
    readonly agentStartMs: number;
    readonly agentLingerMs: number;
    readonly setupWallMs: number;
    readonly outputBytes: number;
  };
  readonly budget: {
    readonly attempts?: number;
    readonly newTasks?: number;
    readonly wallMs?: number;
    readonly tokens?: number;
    readonly costUsd?: number;
  };
  readonly prices: Prices;
  readonly train: TrainSettings;
  readonly delivery: {
    readonly how: Delivery;
    readonly remote: string;
    /** How long a run stays for open pull requests; 0 for not at all. */
    readonly waitMs: number;
  };
  /** The look at the whole target after the last landing. */
  readonly verify: {
    readonly enabled: boolean;
    readonly command?: string;
    readonly timeoutMs: number;
    readonly onFailure: VerifyPolicy;
  };
  readonly origins: ReadonlyMap<string, Origin>;
}

export interface ConfigInput {
  /** Top folder of the repository. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By dotted key; text is read as `config set` reads it, absent and undefined ones are passed over. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The text of a file, or none where there is no such file. May throw for any other trouble. */
  readFile(path: string): string | undefined;
  /** The project's file as the target has it: what judges is taken from there instead of the file in the checkout. */
  readonly judge?: Judge;
  /** Of the machine; asked for where absent. */
  readonly cores?: number;
}

/** Reads all layers and reports everything that is wrong in any of them. */
export function loadConfig(input: ConfigInput): Result<Config, readonly Failure[]> {
  const layers = [
    userLayer(input),
    ...projectLayers(input),
    ...variableLayers(input.env),
    ...Object.entries(input.flags)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => keyLayer('flag', `flag for ${key}`, key, value)),
  ];
  const failures = layers.flatMap((layer) => (layer.ok ? [] : layer.failure));
  const leaves = merge(layers.flatMap((layer) => (layer.ok ? layer.value : [])));
  failures.push(...problemsAmong(leaves));
  return failures.length > 0
    ? fail(failures)
    : ok(settle(leaves, input.cores ?? availableParallelism()));
}

/** Where the user's own file is looked for, and whether it was asked for by name. */
export function userFile(
  env: ConfigInput['env'],
): { readonly file: string; readonly named: boolean } | undefined {
  if (env.YARDMASTER_USER_CONFIG) return { file: env.YARDMASTER_USER_CONFIG, named: true };
  const xdg = env.XDG_CONFIG_HOME;
  const home = xdg && isAbsolute(xdg) ? xdg : env.HOME && join(env.HOME, '.config');
  return home ? { file: join(home, 'yardmaster', 'config.yaml'), named: false } : undefined;
}

/** Also a part of the checkout's file that does not count is read: what is wrong in it is told before it is committed. */
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

const namesGate = (key: string): boolean => key.startsWith('gate.') && key !== 'gate.slots';

/** Later leaves win. `gate: none` and the keys below `gate` replace each other; how many run at once fits both. */
function merge(leaves: readonly Leaf[]): Map<string, Leaf> {
  const merged = new Map<string, Leaf>();
  for (const leaf of leaves) {
    if (leaf.key === 'gate') {
      for (const key of merged.keys()) if (namesGate(key)) merged.delete(key);
    }
    if (namesGate(leaf.key)) merged.delete('gate');
    merged.set(leaf.key, leaf);
  }
  return merged;
}
