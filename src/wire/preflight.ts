import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentPoolOf, defaultAgent } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import type { RunContext } from '../engine/context.ts';
import type { RootFiles } from '../gate/detect.ts';
import { detectStack } from '../gate/stack.ts';
import { verifyCommand } from '../gate/verify-command.ts';
import { childEnv } from '../git/env.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Budget, PoolMember, RunSettings, Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { Gate } from '../model/verdict.ts';
import { oneOfEachKind } from '../plan/agent-pool.ts';
import { limits, poolSize } from '../plan/limits.ts';
import { which } from '../process/which.ts';
import { type Agents, agentsOf, checkAgents } from './agents.ts';
import { agentsNeeded, fallbackProblem, priceProblem, taskNobodyTakes } from './eligibility.ts';
import { checkGate, filesAt, findGate, inEnvironment } from './gate.ts';
import { harnessesOnPath } from './on-path.ts';
import { checkWritable, type Project } from './project.ts';
import { promptsOf, type Templates } from './prompts.ts';
import { findTarget } from './target.ts';

/** Everything a run needs, checked; nothing has been changed yet. */
export interface Preflight {
  readonly project: Project;
  readonly config: Config;
  readonly gate: Gate;
  readonly gateFrom: string;
  /** Judges a branch by itself, where that is not the gate. */
  readonly quick?: Gate;
  readonly verify: RunContext['verify'];
  readonly settings: RunSettings;
  readonly base: string;
  /** The target's commit, if it must pass the gate before the first agent starts. */
  readonly check?: string;
  readonly agents: Agents;
  readonly templates: Templates;
}

/**
 * Checks all that can be checked before an agent is paid for. The first thing that is not fit is the answer. `started`
 * are the settings of a run that goes on: it keeps them, so its agent pool has to be there.
 */
export async function preflight(
  project: Project,
  config: Config,
  scope: Scope,
  tasks: readonly Task[],
  started?: RunSettings,
): Promise<Result<Preflight, readonly Failure[]>> {
  const ready = await fitness(project, config, scope, tasks, started);
  if (!ready.ok) return fail([ready.failure]);
  const templates = promptsOf(config, project.root);
  return templates.ok ? ok({ ...ready.value, templates: templates.value }) : templates;
}

async function fitness(
  project: Project,
  config: Config,
  scope: Scope,
  tasks: readonly Task[],
  started: RunSettings | undefined,
): Promise<Result<Omit<Preflight, 'templates'>>> {
  const { git } = project;
  const aim = await findTarget(project, config);
  if (!aim.ok) return aim;
  const { branch: target, commit: base } = aim.value;
  const identity = await git.identity();
  if (!identity.ok) return identity;
  const files = await filesAt(git, base, project.root);
  if (!files.ok) return files;
  const named = findGate(config, project.root, files.value);
  if (!named.ok) return named;
  const env = childEnv(process.env);
  const { environment } = config.gate;
  const found = await inEnvironment(named.value, environment, project.root, env);
  if (!found.ok) return found;
  const { gate, quick, from: gateFrom } = found.value;
  const usable = await checkGate(gate, project.root, env, config.worktree.setup);
  if (!usable.ok) return usable;
  const settings =
    started === undefined
      ? settingsOf(config, { target, scope, gate: gate.id, quickGate: quick !== undefined })
      : ok({ ...started, gate: gate.id });
  if (!settings.ok) return settings;
  const { how } = config.delivery;
  const gh = which('gh', process.env.PATH, project.root);
  if ((how === 'pr' || how === 'stack') && !gh.ok) {
    return fail({
      kind: 'usage',
      problem: `finished work is to be handed over by "delivery.how: ${how}", but ${gh.cause}`,
      remedy:
        'Install gh and sign in with `gh auth login`, or set `delivery.how` to land or branch.',
    });
  }
  const agents = agentsOf(config, project.root);
  const ineligible = await ineligiblePool(config, settings.value, agents, oneOfEachKind(tasks));
  if (ineligible !== undefined) return fail(ineligible);
  for (const dir of [project.dir, join(project.stateDir, project.id)]) {
    const writable = checkWritable(dir);
    if (!writable.ok) return writable;
  }
  const verify = lookOf(config, project.root, files.value, gate);
  const judged = { gate, gateFrom, verify, ...(quick === undefined ? {} : { quick }) };
  const check = config.preflight && gate.commands.length > 0 ? { check: base } : {};
  return ok({ project, config, ...judged, settings: settings.value, base, ...check, agents });
}

async function ineligiblePool(
  config: Config,
  settings: RunSettings,
  agents: Agents,
  tasks: readonly Task[],
): Promise<Failure | undefined> {
  const useless = fallbackProblem(settings);
  if (useless !== undefined) return useless;
  const lost = taskNobodyTakes(settings, defaultAgent(config) !== undefined, tasks);
  if (lost !== undefined) return lost;
  const needed = agentsNeeded(settings, tasks);
  const checked = await checkAgents(agents, needed);
  if (!checked.ok) return naming(checked.failure, tasks);
  return priceProblem(settings, config.prices, agents, tasks);
}

/** An agent that only a task asks for is that task's mistake. */
function naming(failure: Failure, tasks: readonly Task[]): Failure {
  if (failure.kind !== 'agent-unknown') return failure;
  const task = tasks.find(({ agent }) => agent === failure.agent)?.id;
  return task === undefined ? failure : { ...failure, task };
}

function settingsOf(
  config: Config,
  chosen: Pick<RunSettings, 'target' | 'scope' | 'gate' | 'quickGate'>,
): Result<RunSettings> {
  const agentPool = agentPoolByFlags(config);
  // Where everybody is choosy, the first of them stands for the run; preflight sees to it that each task has somebody.
  const agent = defaultAgent(config) ?? agentPool.find(({ volunteers }) => volunteers)?.name;
  if (agent === undefined) {
    const described = Object.keys(config.agents);
    const known = described.length > 0 ? described : harnessesOnPath(process.env.PATH);
    return fail({ kind: 'agent-unknown', agent: '', known });
  }
  const { pool } = config.worktree;
  const { fallback, models, quotaWaitMs, waitForTasksMs } = config;
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
    ...(fallback === undefined ? {} : { fallback }),
    quotaWaitMs,
    returns: config.retry.returns,
    providerRetries: config.retry.provider,
    silentTurns: config.retry.silent,
    ...(waitForTasksMs === 0 ? {} : { waitForTasksMs }),
    train: config.train,
    branchGate: config.gate.branch,
    recheckMs: config.gate.recheckMs,
    gateSlots: config.gate.slots,
    ...(config.review === undefined ? {} : { review: config.review }),
    ...(config.critique === undefined ? {} : { critique: config.critique }),
    pipelines: config.pipelines,
    ...(config.verify.enabled ? { verify: config.verify.onFailure } : {}),
    delivery: config.delivery.how,
    ...(config.delivery.waitMs === 0 ? {} : { deliveryWaitMs: config.delivery.waitMs }),
  });
}

/** What the look at the whole target runs, or why there is nothing to run. */
function lookOf(
  { verify }: Config,
  root: string,
  files: RootFiles,
  { commands }: Gate,
): RunContext['verify'] {
  const budgetMs = verify.timeoutMs;
  const stack = detectStack({ ...files, names: () => readdirSync(root) });
  const found = verifyCommand({
    gate: commands,
    ...(verify.command === undefined ? {} : { config: verify.command }),
    ...(stack === undefined ? {} : { stack }),
  });
  return 'command' in found ? { command: found.command, budgetMs } : { ...found, budgetMs };
}

/**
 * What is said on the command line is meant for this run: an agent named there takes what names nobody, and nobody else
 * does; a model named there goes before those of the profiles.
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
  const { attempts, newTasks, wallMs, tokens, costUsd } = budget;
  return {
    ...(attempts === undefined ? {} : { maxAttempts: attempts }),
    ...(newTasks === undefined ? {} : { newTasks }),
    ...(wallMs === undefined ? {} : { wallMs }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** What a resumed run may spend: what the config or its flags say now, else what it was given at its start. */
export function resumedBudget(settings: RunSettings, config: Pick<Config, 'budget'>): Budget {
  const { maxAttempts, newTasks, wallMs, tokens, costUsd } = { ...settings, ...budgetOf(config) };
  return {
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(newTasks === undefined ? {} : { newTasks }),
    ...(wallMs === undefined ? {} : { wallMs }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}
