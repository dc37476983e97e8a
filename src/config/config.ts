import { isAbsolute, join } from 'node:path';
import { nearest } from '../graph/nearest.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import { variableLayers } from './environment.ts';
import { agentsToCome, settableKeys } from './keys.ts';
import {
  configFailure,
  fileLayer,
  keyLayer,
  type Layer,
  type Leaf,
  type Origin,
} from './layers.ts';
import type { ProfileValues } from './schema.ts';

export const projectFile = 'yardmaster.yaml';

export type Profile =
  | {
      readonly use: 'command';
      readonly command: readonly string[];
      /** What completes an attempt: exit status 0 with changes, or a signal of the agent. */
      readonly done: 'exit' | 'signal';
      readonly prompt: 'stdin' | 'file';
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly use: 'scripted'; readonly script: string };

export type GateConfig =
  | { readonly kind: 'commands'; readonly commands: readonly string[]; readonly timeoutMs: number }
  /** Nothing was said: look into the repository. */
  | { readonly kind: 'detect'; readonly timeoutMs: number }
  /** A person said that there is none. */
  | { readonly kind: 'none' };

/** Everything settled, with the origin of each key. */
export interface Config {
  readonly target?: string;
  readonly jobs: number;
  readonly agent?: string;
  readonly agents: Readonly<Record<string, Profile>>;
  readonly gate: GateConfig;
  readonly worktree: {
    readonly setup: readonly string[];
    readonly copy: readonly string[];
    readonly pool: number | 'auto';
  };
  readonly retries: number;
  readonly quarantine: number;
  readonly limits: {
    readonly agentWallMs: number;
    /** 0 for none, as for the one below. */
    readonly agentIdleMs: number;
    readonly agentStartMs: number;
    readonly setupWallMs: number;
    readonly outputBytes: number;
  };
  readonly budget: { readonly attempts?: number; readonly wallMs?: number };
  readonly train: { readonly style: 'merge' };
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
}

/** Reads all layers and reports everything that is wrong in any of them. */
export function loadConfig(input: ConfigInput): Result<Config, readonly Failure[]> {
  const layers = [
    userLayer(input),
    readLayer(input, 'project file', join(input.root, projectFile), false),
    ...variableLayers(input.env),
    ...Object.entries(input.flags)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => keyLayer('flag', `flag for ${key}`, key, value)),
  ];
  const failures = layers.flatMap((layer) => (layer.ok ? [] : layer.failure));
  const leaves = merge(layers.flatMap((layer) => (layer.ok ? layer.value : [])));
  failures.push(...agentProblems(leaves));
  return failures.length > 0 ? fail(failures) : ok(settle(leaves));
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
  const remedy = 'Mend or unset YARDMASTER_USER_CONFIG.';
  return fail([configFailure(shown, { problem: 'there is no such file', remedy })]);
}

/** Later leaves win. `gate: none` and the keys below `gate` put each other out. */
function merge(leaves: readonly Leaf[]): Map<string, Leaf> {
  const merged = new Map<string, Leaf>();
  for (const leaf of leaves) {
    if (leaf.key === 'gate') {
      merged.delete('gate.commands');
      merged.delete('gate.timeout');
    }
    if (leaf.key.startsWith('gate.')) merged.delete('gate');
    merged.set(leaf.key, leaf);
  }
  return merged;
}

function agentProblems(leaves: ReadonlyMap<string, Leaf>): Failure[] {
  const leaf = leaves.get('agent');
  if (leaf === undefined) return [];
  const agent = String(leaf.meaning);
  if (leaves.has(`agents.${agent}`)) return [];
  const place = leaf.line === undefined ? {} : { line: leaf.line };
  const names = [...leaves.keys()]
    .filter((key) => key.startsWith('agents.'))
    .map((key) => key.slice('agents.'.length));
  const near = nearest(agent, names);
  const known =
    names.length === 0
      ? 'Describe it under "agents".'
      : `Known are ${names.join(', ')}; describe others under "agents".`;
  const toCome = agentsToCome.includes(agent);
  const problem = {
    ...place,
    problem: toCome
      ? `the agent "${agent}" is not supported yet by this version`
      : `there is no agent "${agent}"`,
    remedy: toCome
      ? 'Put a profile of that name with "use: command" under "agents".'
      : `${near === undefined ? '' : `Did you mean "${near}"? `}${known}`,
  };
  return [configFailure(leaf.file ?? leaf.origin, problem)];
}

function settle(leaves: ReadonlyMap<string, Leaf>): Config {
  // Meanings were made by the schema; the type named at each use is the one the schema gives that key.
  const get = <T>(key: string): T | undefined => leaves.get(key)?.meaning as T | undefined;
  const target = get<string>('target');
  const agent = get<string>('agent');
  const attempts = get<number>('budget.attempts');
  const wallMs = get<number>('budget.wall');
  return {
    ...(target === undefined ? {} : { target }),
    jobs: get('jobs') ?? limits.jobsDefault,
    ...(agent === undefined ? {} : { agent }),
    agents: profilesOf(leaves),
    gate: gateOf(get('gate'), get('gate.commands'), get('gate.timeout') ?? limits.gateWallMs),
    worktree: {
      setup: get('worktree.setup') ?? [],
      copy: get('worktree.copy') ?? [],
      pool: get('worktree.pool') ?? 'auto',
    },
    retries: get('retries') ?? limits.retriesDefault,
    quarantine: get('quarantine') ?? limits.quarantineAfterDefault,
    limits: {
      agentWallMs: get('limits.agent_wall') ?? limits.agentWallMs,
      agentIdleMs: get('limits.agent_idle') ?? limits.agentIdleMs,
      agentStartMs: get('limits.agent_start') ?? limits.agentStartMs,
      setupWallMs: get('limits.setup_wall') ?? limits.setupWallMs,
      outputBytes: get('limits.output') ?? limits.outputBytes,
    },
    budget: {
      ...(attempts === undefined ? {} : { attempts }),
      ...(wallMs === undefined ? {} : { wallMs }),
    },
    train: { style: get('train.style') ?? 'merge' },
    origins: originsOf(leaves),
  };
}

function gateOf(
  none: 'none' | undefined,
  commands: readonly string[] | undefined,
  timeoutMs: number,
): GateConfig {
  if (none !== undefined) return { kind: 'none' };
  if (commands === undefined) return { kind: 'detect', timeoutMs };
  return { kind: 'commands', commands, timeoutMs };
}

function profilesOf(leaves: ReadonlyMap<string, Leaf>): Record<string, Profile> {
  const profiles: Record<string, Profile> = {};
  for (const [key, { meaning }] of leaves) {
    if (!key.startsWith('agents.')) continue;
    const given = meaning as ProfileValues;
    profiles[key.slice('agents.'.length)] =
      given.use === 'scripted'
        ? given
        : {
            use: 'command',
            command: given.command,
            done: given.done ?? 'exit',
            prompt: given.prompt ?? 'stdin',
            env: given.env ?? {},
          };
  }
  return profiles;
}

function originsOf(leaves: ReadonlyMap<string, Leaf>): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const { key, default: value } of settableKeys)
    origins.set(key, { value, origin: 'default' });
  for (const { key, value, origin, file, line } of leaves.values()) {
    origins.set(key, {
      value,
      origin,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    });
  }
  return origins;
}
