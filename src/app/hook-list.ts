import type { Config } from '../config/config.ts';
import type { Hook } from '../config/hook.ts';
import { type HookDelivery, readHookFile } from '../files/hook-file.ts';
import { runsDir } from '../files/layout.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { desktopProgram, type HookPoint, hookPoints, isHookPoint } from '../model/hook.ts';
import { limits } from '../model/limits.ts';
import { commandText } from '../report/format/command.ts';
import { sampleOf } from '../report/hook/message.ts';
import type { HookRow, HookTry } from '../report/run/hooks.ts';
import { projectConfig, redactorFor } from './config.ts';
import { cleanMessage, messageOptions } from './hooks.ts';
import type { Environment, Failures, Opened, Project } from './ports.ts';
import { runConfig } from './target.ts';

interface HookList {
  readonly hooks: readonly HookRow[];
  /** Messages for the user: hooks that the checkout has otherwise than the target. */
  readonly warnings: readonly string[];
  /** Names of hooks in the checkout's config that the target does not have: no run calls them. */
  readonly uncommitted: readonly string[];
}

/** The hooks that a run would use, with their deliveries in the newest runs. */
export async function listHooks(
  project: Pick<Opened, 'git' | 'root' | 'env' | 'dir' | 'store'>,
): Promise<Result<HookList, Failures>> {
  const found = await runConfig(project);
  if (!found.ok) return found;
  const { config, warnings } = found.value;
  const runs = await project.store.ids('runs', limits.runsListed);
  if (!runs.ok) return fail([runs.failure]);
  const dir = runsDir(project);
  const files = runs.value.flatMap((run) => readHookFile(dir, run) ?? []);
  const { whole } = redactorFor(config, project.env);
  const hooks = Object.entries(config.hooks).map(([name, hook]): HookRow => {
    const ledgers = files.flatMap((file) => file.hooks[name] ?? []);
    const recent = ledgers
      .flatMap((ledger) => ledger.recent)
      .toSorted((a, b) => b.at - a.at)
      .slice(0, limits.hookDeliveries);
    const last = (isSent: boolean): HookDelivery | undefined =>
      recent.find(({ cause }) => (cause === undefined) === isSent);
    const { on, types, labels } = hook;
    return {
      name,
      use: hook.use,
      receiver: whole(receiverOf(hook)),
      on: on ?? hookNames,
      types,
      labels,
      lastSent: last(true),
      lastFailed: last(false),
      sent: ledgers.reduce((sum, { sent }) => sum + sent, 0),
      failed: ledgers.reduce((sum, { failed }) => sum + failed, 0),
      recent,
    };
  });
  const own = projectConfig(project);
  if (!own.ok) return own;
  const uncommitted = Object.keys(own.value.hooks).filter((name) => !(name in config.hooks));
  const isSaid = (warning: string) =>
    uncommitted.some((name) => warning.includes(` sets hooks.${name} to `));
  const others = warnings.filter((one) => one.includes(' hooks') && !isSaid(one));
  return ok({ hooks, warnings: others, uncommitted });
}

const hookNames = Object.keys(hookPoints).filter(isHookPoint);

function receiverOf(hook: Hook): string {
  switch (hook.use) {
    case 'command':
      return hook.command[0] === '/bin/sh' && hook.command[1] === '-c'
        ? (hook.command[2] ?? '')
        : commandText(hook.command);
    case 'webhook':
      return hook.url ?? `$${hook.url_env}`;
    case 'desktop':
      return 'desktop';
    case 'bell':
      return 'terminal';
  }
}

/** Reasons why hooks of the config would not deliver, as far as they can be known without a message. */
export function hookFlaws(
  { env, which }: Pick<Project, 'env' | 'which'>,
  { hooks }: Pick<Config, 'hooks'>,
): readonly string[] {
  return Object.entries(hooks).flatMap(([name, hook]) =>
    flawsOf(hook, env, which).map((flaw) => `hook ${name} delivers nothing: ${flaw}`),
  );
}

function flawsOf(hook: Hook, env: Environment, which: Project['which']): readonly string[] {
  switch (hook.use) {
    case 'webhook':
      return [hook.url_env, hook.secret_env].flatMap((variable) =>
        variable === undefined || env[variable] ? [] : [`the variable ${variable} is not set`],
      );
    case 'command':
    case 'desktop': {
      const isCommand = hook.use === 'command';
      const found = which(isCommand ? (hook.command[0] ?? '') : desktopProgram(process.platform));
      return found.ok ? [] : [found.failure];
    }
    case 'bell':
      return [];
  }
}

interface HookTries {
  readonly tried: readonly HookTry[];
  /** Names of hooks that would have been tried if the checkout's config was committed. */
  readonly uncommitted: readonly string[];
}

/** Sends a sample of a point to the hooks that report it, or to the named one, with one try each. */
export async function tryHooks(
  project: Pick<Project, 'git' | 'root' | 'env' | 'clock' | 'hookSender'>,
  word: string,
  name: string | undefined,
): Promise<Result<HookTries, Failures>> {
  const point = pointNamed(word);
  if (!point.ok) return fail([point.failure]);
  const found = await runConfig(project);
  if (!found.ok) return found;
  const { config } = found.value;
  const own = projectConfig(project);
  if (!own.ok) return own;
  const isChosen = ([hook, { on }]: readonly [string, Hook]) =>
    name === undefined ? on === undefined || on.includes(point.value) : hook === name;
  const chosen = Object.entries(config.hooks).filter(isChosen);
  const names = chosen.map(([hook]) => hook);
  const uncommitted = Object.entries(own.value.hooks)
    .filter(isChosen)
    .flatMap(([hook]) => (names.includes(hook) ? [] : hook));
  const known = Object.keys(config.hooks);
  if (name !== undefined && names.length === 0 && uncommitted.length === 0) {
    const remedy = known.length === 0 ? noHooks : `Hooks are ${known.join(', ')}.`;
    return fail([{ kind: 'usage', problem: `there is no hook "${name}"`, remedy }]);
  }
  const sample = sampleOf(point.value, project.clock.now());
  const options = messageOptions(project, config);
  const never = new AbortController().signal;
  const tries = chosen.map(async ([hook, one]): Promise<HookTry> => {
    const sender = await project.hookSender(one);
    if (sender === undefined) return { hook, ok: false, cause: 'there is no terminal' };
    const sent = await sender.send(cleanMessage([sample], { ...options, hook }), never);
    return sent.ok ? { hook, ok: true } : { hook, ok: false, cause: options.redact(sent.cause) };
  });
  return ok({ tried: await Promise.all(tries), uncommitted });
}

const noHooks = 'Add one to `hooks` in the config; see docs/hooks.md.';

function pointNamed(word: string): Result<HookPoint> {
  if (isHookPoint(word)) return ok(word);
  return usage(`"${word}" is not a point of hooks`, `Points are ${hookNames.join(', ')}.`);
}
