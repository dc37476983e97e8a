import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  agentPoolOf,
  defaultAgent,
  plannerOf,
  profilesOf,
  revisionOf,
} from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { agentNames } from '../config/profile.ts';
import type { RunContext } from '../engine/context.ts';
import { checkWritable } from '../files/state-file.ts';
import type { RootFiles } from '../gate/detect.ts';
import { detectStack, verifyCommand } from '../gate/verify-command.ts';
import { defined } from '../model/defined.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { limits, poolSize } from '../model/limits.ts';
import type { Budget, PoolMember, RunSettings, Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { settled } from '../model/trouble.ts';
import type { Gate } from '../model/verdict.ts';
import { type AgentModel, modelsNeeded, oneOfEachKind } from '../plan/agent-pool.ts';
import { tasksAtWork } from '../plan/best-of.ts';
import type { Sandbox } from '../port/processes.ts';
import {
  agentsNeeded,
  agentsOnPath,
  checkAgents,
  fallbackProblem,
  oneShotProblem,
  priceProblem,
  taskWithoutAgent,
} from './agents.ts';
import { usableGate } from './gate.ts';
import type { Agents, Failures, Project } from './ports.ts';
import { promptsOf, type Templates } from './prompts.ts';
import { usableSandbox } from './sandbox.ts';
import { findTarget } from './target.ts';

/** Everything a run needs, checked before anything is changed. */
export interface Preflight {
  readonly project: Project;
  readonly config: Config;
  readonly gate: Gate;
  readonly gateFrom: string;
  /** Gate of a single branch; absent if that is `gate`. */
  readonly quick?: Gate;
  readonly verify: RunContext['verify'];
  readonly settings: RunSettings;
  readonly base: string;
  /** Check of the target's commit before the first agent starts, by `run.before` and the gate; empty without one. */
  readonly check: Pick<Extract<EventBody, { type: 'run-started' }>, 'preflight' | 'before'>;
  readonly agents: Agents;
  /** Agents and models that the run may need. */
  readonly models: readonly AgentModel[];
  readonly sandbox: Sandbox;
  readonly templates: Templates;
}

/**
 * Checks everything that can be checked before an agent costs money, up to the first problem. `started` are the settings
 * of a resumed run: it keeps them, so its agents must be available.
 */
export async function preflight(
  project: Project,
  config: Config,
  scope: Scope,
  tasks: readonly Task[],
  started?: RunSettings,
): Promise<Result<Preflight, Failures>> {
  const ready = await checkAll(project, config, scope, tasks, started);
  if (!ready.ok) return fail([ready.failure]);
  const templates = promptsOf(config, project.root);
  return templates.ok ? ok({ ...ready.value, templates: templates.value }) : templates;
}

/** Finds the target of a run. Fails if the git identity is missing. */
export async function committableTarget(
  project: Project,
  config: Config,
): ReturnType<typeof findTarget> {
  const target = await settled(findTarget(project, config));
  if (!target.ok) return target;
  await project.git.identity();
  return target;
}

async function checkAll(
  project: Project,
  config: Config,
  scope: Scope,
  tasks: readonly Task[],
  started: RunSettings | undefined,
): Promise<Result<Omit<Preflight, 'templates'>>> {
  const found = await committableTarget(project, config);
  if (!found.ok) return found;
  const { branch: target, commit: base } = found.value;
  const usable = await usableGate(project, config, found.value);
  if (!usable.ok) return usable;
  const { gate, quick, from: gateFrom, files } = usable.value;
  const settings =
    started === undefined
      ? settingsOf(config, project, {
          target,
          scope,
          gate: gate.id,
          quickGate: quick !== undefined,
        })
      : ok({ ...started, gate: gate.id });
  if (!settings.ok) return settings;
  const { how } = config.delivery;
  const gh = project.which('gh');
  if ((how === 'pr' || how === 'stack') && !gh.ok) {
    return usage(
      `"delivery.how: ${how}" needs gh, but ${gh.failure}`,
      'Install gh and sign in with `gh auth login`, or set `delivery.how` to land or branch.',
    );
  }
  const confining = await usableSandbox(project, config);
  if (!confining.ok) return confining;
  const sandbox = confining.value;
  const agents = await project.agents(config, sandbox);
  const isStrict = sandbox.id === 'on' && sandbox.mode === 'strict';
  const isOffline = isStrict && config.sandboxHosts.length === 0;
  const worked = oneOfEachKind(tasksAtWork(tasks, settings.value));
  const needed = agentsNeeded(settings.value, worked);
  const offline = isOffline ? needed.find(callsService(config)) : undefined;
  if (offline !== undefined) {
    return usage(
      `"sandbox: strict" turns the network off, and ${offline} cannot work without its service`,
      'List the hosts of its service in `sandbox_hosts`, set `sandbox` to write, or use an agent that needs no network.',
    );
  }
  const ineligible = await ineligiblePool(config, settings.value, agents, worked);
  if (ineligible !== undefined) return fail(ineligible);
  for (const dir of [project.dir, join(project.stateDir, project.id)]) {
    checkWritable(dir);
  }
  const verify = verificationOf(config, project.root, files, gate);
  const check = checkOf(config, gate, base);
  const judged = { gate, gateFrom, verify, check, quick };
  const models = modelsNeeded(settings.value, worked);
  return ok({
    project,
    config,
    ...judged,
    settings: settings.value,
    base,
    agents,
    models,
    sandbox,
  });
}

function checkOf({ preflight, run }: Config, { commands }: Gate, base: string): Preflight['check'] {
  const hasCommands = run.before.length > 0;
  if (!preflight || (!hasCommands && commands.length === 0)) return {};
  return { preflight: base, ...(hasCommands ? { before: true } : {}) };
}

/** True for the name of an agent that is known to need its service. */
function callsService(config: Config): (agent: string) => boolean {
  const profiles = profilesOf(config);
  return (agent) => agentNames.some((known) => known === profiles.get(agent)?.use);
}

async function ineligiblePool(
  config: Config,
  settings: RunSettings,
  agents: Agents,
  tasks: readonly Task[],
): Promise<Failure | undefined> {
  const fallback = fallbackProblem(settings);
  if (fallback !== undefined) return fallback;
  const lost = taskWithoutAgent(settings, defaultAgent(config) !== undefined, tasks);
  if (lost !== undefined) return lost;
  const mute = oneShotProblem(settings, agents, tasks);
  if (mute !== undefined) return mute;
  const needed = agentsNeeded(settings, tasks);
  const checked = await checkAgents(agents, needed);
  if (!checked.ok) return withTask(checked.failure, tasks);
  return priceProblem(settings, config.prices, agents, tasks);
}

/** Adds the task that asks for an unknown agent. */
function withTask(failure: Failure, tasks: readonly Task[]): Failure {
  if (failure.kind !== 'agent-unknown') return failure;
  const task = tasks.find(({ agent }) => agent === failure.agent)?.id;
  return task === undefined ? failure : { ...failure, task };
}

export function settingsOf(
  config: Config,
  project: Pick<Project, 'which'>,
  chosen: Pick<RunSettings, 'target' | 'scope' | 'gate' | 'quickGate'>,
): Result<RunSettings> {
  const agentPool = agentPoolByFlags(config);
  // Without a default agent the first volunteer is the run's agent; `taskWithoutAgent` checks that each task has one.
  const agent = defaultAgent(config) ?? agentPool.find(({ volunteers }) => volunteers)?.name;
  if (agent === undefined) {
    const described = Object.keys(config.agents);
    const known = described.length > 0 ? described : agentsOnPath(project);
    return fail({ kind: 'agent-unknown', agent: '', known });
  }
  const { pool } = config.worktree;
  const { fallback, models, quotaWaitMs, waitForTasksMs, review, critique, attempts } = config;
  return ok({
    ...chosen,
    ...budgetOf(config),
    agent,
    jobs: config.jobs,
    spawnRate: config.spawnRate,
    retries: config.retries,
    quarantineAfter: config.quarantine,
    slotErrors: limits.slotErrorsDefault,
    pool: pool === 'auto' ? poolSize(config.jobs) : Math.max(pool, config.jobs),
    agentPool,
    models,
    quotaWaitMs,
    returns: config.retry.returns,
    providerRetries: config.retry.provider,
    silentTurns: config.retry.silent,
    train: config.train,
    branchGate: config.gate.branch,
    recheckMs: config.gate.recheckMs,
    gateSlots: config.gate.slots,
    pipelines: config.pipelines,
    attempts,
    delivery: config.delivery.how,
    fallback,
    mode: config.mode,
    ask: config.ask.timeoutMs === 0 ? undefined : config.ask,
    waitForTasksMs: waitForTasksMs || undefined,
    review,
    critique,
    tester: config.tests.agent,
    planner: plannerOf(config),
    revision: revisionOf(config),
    verify: config.verify.enabled ? config.verify.onFailure : undefined,
    deliveryWaitMs: config.delivery.waitMs || undefined,
  });
}

/** Command of the end-of-run verification, or why there is none. */
function verificationOf(
  { verify }: Config,
  root: string,
  files: RootFiles,
  { commands }: Gate,
): RunContext['verify'] {
  const budgetMs = verify.timeoutMs;
  const stack = detectStack({ ...files, names: () => readdirSync(root) });
  const found = verifyCommand({
    gate: commands,
    config: verify.command,
    stack,
  });
  return 'command' in found ? { command: found.command, budgetMs } : { ...found, budgetMs };
}

/**
 * The agent pool with command-line flags applied: only an agent named by `--agent` takes tasks that name none, and
 * `--model` overrides the models of profiles.
 */
function agentPoolByFlags(config: Config): readonly PoolMember[] {
  const isFlag = (key: string): boolean => config.origins.get(key)?.origin === 'flag';
  return agentPoolOf(config).map(({ model, ...member }) => ({
    ...member,
    ...(model === undefined || isFlag('model.default') ? {} : { model }),
    volunteers: isFlag('agent') ? member.name === config.agent : member.volunteers,
  }));
}

export function budgetOf({ budget }: Pick<Config, 'budget'>): Budget {
  const { attempts: maxAttempts, newTasks, wallMs, tokens, costUsd } = budget;
  return { maxAttempts, newTasks, wallMs, tokens, costUsd };
}

/** Budget of a resumed run: what the config and flags set now, else what the run was started with. */
export function resumedBudget(settings: RunSettings, config: Pick<Config, 'budget'>): Budget {
  const { maxAttempts, newTasks, wallMs, tokens, costUsd } = {
    ...settings,
    ...defined(budgetOf(config)),
  };
  return { maxAttempts, newTasks, wallMs, tokens, costUsd };
}
