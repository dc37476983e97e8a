import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig, originOf } from '../config/config.ts';
import type { Judge } from '../config/dotted.ts';
import { refusalOf, typeOf } from '../config/dotted.ts';
import { type Assignment, setKeys } from '../config/edit.ts';
import { projectFile, settableKeys } from '../config/keys.ts';
import { canWork } from '../config/profile.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { type Redactor, redactor, secretsOf } from '../model/redact.ts';
import { storeAddress } from '../model/store-address.ts';
import { withoutTokens } from '../protocol/token.ts';
import type { Environment, Failures, Project } from './ports.ts';

export interface ConfigInputs {
  /** Values from the command line, by config key. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Replaces the content of the project's config file, to try out an edit. */
  readonly text?: string;
  /** Config file of the target's commit; see `runConfig`. */
  readonly judge?: Judge;
}

type Configured = Pick<Project, 'root' | 'env'>;

/** The config as files, environment and flags set it. */
export function projectConfig(
  { root, env }: Configured,
  { flags = {}, text, judge }: ConfigInputs = {},
): Result<Config, Failures> {
  const own = join(root, projectFile);
  const readFile = (path: string): string | undefined => {
    if (text !== undefined && path === own) return text;
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  return loadConfig({ root, env, flags, readFile, judge });
}

/** Redactor of a project; a config that cannot be read adds no secrets. */
export function projectRedactor(project: Configured): Redactor {
  const config = projectConfig(project);
  return redactorFor(config.ok ? config.value : { agents: {} }, project.env);
}

/** The effective value of a key, without secrets, and where it is from. */
export interface ConfigValue {
  readonly key: string;
  readonly value: unknown;
  readonly origin?: string;
  readonly file?: string;
  readonly line?: number;
}

export function configValues(
  project: Configured,
  keys: readonly string[],
): Result<readonly ConfigValue[], Failures> {
  const config = projectConfig(project);
  if (!config.ok) return config;
  const unknown = keys.filter((key) => typeOf(key) === undefined);
  if (unknown.length > 0) return fail(unknown.map((key) => ({ kind: 'usage', ...refusalOf(key) })));
  return ok(keys.map((key) => configValue(config.value, key, project.env)));
}

/** The values of all keys, with their documentation. */
export function allConfigValues(
  project: Configured,
): Result<readonly (ConfigValue & { readonly doc: string })[], Failures> {
  const config = projectConfig(project);
  if (!config.ok) return config;
  const { origins } = config.value;
  // A section whose keys are set is listed by those keys.
  const listed = [...origins.keys()].filter(
    (key) =>
      origins.get(key)?.origin !== 'default' || originOf(config.value, key).origin === 'default',
  );
  return ok(
    listed.map((key) => {
      const doc = settableKeys.find((known) => known.key === key)?.doc ?? '';
      return { ...configValue(config.value, key, project.env), doc };
    }),
  );
}

function configValue(config: Config, key: string, env: Environment): ConfigValue {
  const { value, origin, file, line } = originOf(config, key);
  const address = key === 'store' ? storeAddress(String(value)) : undefined;
  const plain = address?.kind === 'postgres' ? address.shown : value;
  return { key, value: withoutSecrets(config, env)(plain), origin, file, line };
}

/** Removes secrets, such as the configured environment of agents. */
function withoutSecrets(config: Config, env: Environment): (value: unknown) => unknown {
  const redactor = redactorFor(config, env);
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.whole(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clean(one)]));
  };
  return clean;
}

/**
 * Sets keys in the project's config file, and returns them without secrets. Refuses an edit that makes a valid config
 * invalid; a config that is already broken may be edited step by step.
 */
export async function setConfig(
  project: Configured & Pick<Project, 'writeFile'>,
  wanted: readonly Assignment[],
): Promise<Result<readonly Assignment[], Failures>> {
  const file = join(project.root, projectFile);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sound = projectConfig(project).ok;
  const after = setKeys(before, wanted);
  if (!after.ok) return sound ? fail(after.failure.map(asGiven)) : after;
  const loads = projectConfig(project, { text: after.value });
  if (sound && !loads.ok) return fail(loads.failure.map(asGiven));
  await project.writeFile(file, after.value);
  const redact = loads.ok ? redactorFor(loads.value, project.env).whole : (text: string) => text;
  return ok(wanted.map(({ key, value }) => ({ key, value: redact(value) })));
}

/** Reports a problem as one of the typed value: the file was valid before, so its lines are not at fault. */
function asGiven(failure: Failure): Failure {
  if (failure.kind !== 'config-invalid') return failure;
  const { problem, remedy } = failure;
  return { kind: 'usage', problem: `nothing was set: ${problem}`, remedy };
}

export type { RedactedPieces, Redactor } from '../model/redact.ts';

type WithSecrets = Pick<Config, 'agents'> & Partial<Pick<Config, 'telemetry' | 'hooks' | 'store'>>;

/**
 * Values that no record may contain: agents' configured environment and keys, headers of telemetry, secrets and
 * addresses of hooks, the password of the store, and secrets in our own environment.
 */
export function secretsIn(
  { agents, telemetry, hooks = {}, store = '' }: WithSecrets,
  env: Environment,
): readonly string[] {
  const configured = Object.values(agents).map((profile) =>
    canWork(profile) ? profile.env : { key: env[profile.key_env ?? ''] },
  );
  const headers = (env[telemetry?.headersEnv ?? ''] ?? '').split(',');
  const values = headers.map((pair) => ({ header: pair.slice(pair.indexOf('=') + 1) }));
  const ofHooks = Object.values(hooks).map((hook) =>
    hook.use === 'webhook'
      ? { secret: env[hook.secret_env ?? ''], url: env[hook.url_env ?? ''] }
      : {},
  );
  const address = storeAddress(store);
  const ofStore = address?.kind === 'postgres' ? address.secrets : [];
  const passwords = ofStore.map((password) => ({ password }));
  return secretsOf(env, [...configured, ...values, ...ofHooks, ...passwords]);
}

/** Removes those values from text for users; `whole` removes agent tokens too. */
export function redactorFor(config: WithSecrets, env: Environment): Redactor {
  const known = redactor(secretsIn(config, env));
  return { ...known, whole: (text) => withoutTokens(known.whole(text)) };
}
