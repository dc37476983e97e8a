import { existsSync } from 'node:fs';
import { attemptDir } from '../files/layout.ts';
import type { Attempt } from '../model/attempt.ts';
import { holderOf } from '../model/attempt-state.ts';
import { startedBy } from '../model/branch.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { holdOf, isSameOwner } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { holderGone } from '../plan/fold-hold.ts';
import type { Confine, ConfinedSpec } from '../port/processes.ts';
import { attachable } from '../report/task/attach.ts';
import { projectConfig } from './config.ts';
import { isUnderWay, ownerLife } from './liveness.ts';
import { taskNamed, willContinue } from './lookup.ts';
import type { Liveness, Opened, Project } from './ports.ts';
import { usableSandbox } from './sandbox.ts';

type Ports = Liveness & Pick<Opened, 'store'>;

/** An attempt that a person asked to work in, by this process. It must be released in any case. */
export interface Hold {
  readonly task: TaskId;
  readonly by: Owner;
}

/** Asks to pause the agent of a task for a person. Ends the hold of a process that is gone. */
export async function askToHold(
  ports: Ports & Pick<Opened, 'self'>,
  id: TaskId,
): Promise<Result<Hold>> {
  const record = await attachableTask(ports, id);
  if (!record.ok) return record;
  const { attempt } = record.value;
  if (attempt === undefined) return gone(id);
  const by = ports.self();
  const before = holderOf(attempt.state);
  const release = before === undefined ? [] : [holderGone(id, before)];
  const leased = await renewHold(ports, { task: id, by });
  if (!leased.ok) return leased;
  const decision = { kind: 'hold', attempt: attempt.number, by } as const;
  const stored = await ports.store.append(ports.clock.now(), [
    ...release,
    { type: 'task-decided', id, decision },
  ]);
  return stored.ok ? ok({ task: id, by }) : stored;
}

/** Takes or extends the lease of a hold, so that other machines know that its process is alive. */
async function renewHold({ store, clock }: Ports, { task, by }: Hold): Promise<Result<void>> {
  const holder = { ...by, until: clock.now() + limits.leaseMs };
  const before = await store.holder(holdOf(task));
  const taken = before.ok ? await store.lock(holdOf(task), holder, before.value) : before;
  return taken.ok ? ok(undefined) : taken;
}

/** Keeps the lease of a hold until `signal` aborts. A renewal that fails is tried again with the next heartbeat. */
export async function keepHold(ports: Ports, hold: Hold, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await ports.clock.sleep(limits.heartbeatMs, signal);
    if (!signal.aborted) await renewHold(ports, hold);
  }
}

/** The attempt if its agent is paused by now; undefined while it is being interrupted. */
export async function heldAttempt(
  ports: Ports,
  { task: id, by }: Hold,
): Promise<Result<Attempt | undefined>> {
  const record = await taskNamed(ports.store, id);
  if (!record.ok) return record;
  const { attempt } = record.value;
  const holder = attempt && holderOf(attempt.state);
  if (attempt === undefined || holder === undefined || !isSameOwner(holder, by)) {
    const why = await attachableTask(ports, id);
    return why.ok ? gone(id) : why;
  }
  if (attempt.state.id === 'held') return ok(attempt);
  if (await isDriven(ports, record.value)) return ok(undefined);
  return usage(`the run of ${id} has stopped`, 'Type `ym resume` and try again.');
}

/** Waits until the agent is paused; undefined if `signal` aborts before. */
export async function untilHeld(
  ports: Ports,
  hold: Hold,
  signal: AbortSignal,
): Promise<Result<Attempt | undefined>> {
  while (!signal.aborted) {
    const attempt = await heldAttempt(ports, hold);
    if (!attempt.ok || attempt.value !== undefined) return attempt;
    await ports.clock.sleep(limits.followMs, signal);
  }
  return ok(undefined);
}

/** Lets the agent continue with what is in its worktree. Returns true if a run under way does so. */
export async function release(ports: Ports, { task: id, by }: Hold): Promise<Result<boolean>> {
  const decision = { kind: 'release', by } as const;
  const event = { type: 'task-decided', id, decision } as const;
  const stored = await ports.store.append(ports.clock.now(), [event]);
  if (!stored.ok) return stored;
  await ports.store.unlock(holdOf(id), by);
  return ok(await willContinue(ports, [id]));
}

/** Program for a person in a worktree: the agent's own session if it can be opened, else their shell. */
export type Session =
  | {
      readonly id: 'shell';
      readonly cwd: string;
      /** Folder with the git settings and hooks that were replaced for the person. */
      readonly replaced?: string;
    }
  | {
      readonly id: 'agent';
      readonly cwd: string;
      /** Such as `claude --resume 3f…`. */
      readonly name: string;
      readonly argv: readonly [string, ...string[]];
      readonly env: Readonly<Record<string, string>>;
    };

/** The session for a person in an attempt. That of an agent is in the sandbox of its turns. */
export async function sessionFor(
  project: Pick<Project, 'root' | 'env' | 'childEnv' | 'agents' | 'sandbox' | 'dir' | 'git'>,
  task: TaskId,
  attempt: Attempt,
): Promise<Result<Session, Failure | readonly Failure[]>> {
  const { agent: name, conversation, worktree } = attempt;
  const { session } = conversation;
  if (worktree === undefined || !existsSync(worktree.dir)) {
    return fail({ kind: 'worktree-failed', cause: 'its folder no longer exists' });
  }
  const cwd = worktree.dir;
  const config = projectConfig(project);
  if (!config.ok) return config;
  const sandbox = await usableSandbox(project, config.value);
  if (!sandbox.ok) return sandbox;
  const agent = (await project.agents(config.value, sandbox.value)).get(name);
  if (agent?.attach === undefined || session === undefined) return ok(await shellIn(project, cwd));
  const found = await agent.check();
  if (!found.ok) return found;
  const { argv, env, state } = agent.attach(session.id, cwd);
  const [, ...args] = argv;
  const spec = {
    // The folder of its turns, so that the private temp is theirs.
    dir: attemptDir(project, startedBy(attempt), task, attempt.number),
    name: 'attach',
    argv: [found.value.binary, ...args],
    cwd,
    env: { ...project.childEnv, ...env },
    limits: { wallMs: 0, outputBytes: 0 },
    confined: { role: 'agent', state, variables: Object.keys(env), terminal: true },
  } as const;
  const started = sandbox.value.id === 'on' ? confined(sandbox.value.confine, spec) : ok(spec);
  if (!started.ok) return started;
  const [program = '', ...rest] = started.value.argv;
  const shown = [name, ...args].join(' ');
  return ok({ id: 'agent', cwd, name: shown, argv: [program, ...rest], env: started.value.env });
}

/** The shell is outside of the sandbox, so the git in its folder must not run what the agent told it to. */
async function shellIn({ git }: Pick<Project, 'git'>, cwd: string): Promise<Session> {
  const reset = await git.resetSettings(cwd);
  return { id: 'shell', cwd, replaced: reset };
}

function confined(confine: Confine, spec: ConfinedSpec): Result<ReturnType<Confine>> {
  try {
    return ok(confine(spec));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return fail({ kind: 'state-unwritable', dir: spec.cwd, cause: error.message });
  }
}

/** The task, or why a person cannot work in its worktree now. */
async function attachableTask(ports: Ports, id: TaskId): Promise<Result<TaskRecord>> {
  const record = await taskNamed(ports.store, id);
  if (!record.ok) return record;
  const { attempt } = record.value;
  const holder = attempt && holderOf(attempt.state);
  const lock = await ports.store.holder(holdOf(id));
  if (!lock.ok) return lock;
  const until = isSameOwner(lock.value, holder) ? lock.value?.until : undefined;
  const isHolderThere = holder !== undefined && ownerLife(ports, holder, until) === 'alive';
  const found = attachable(record.value, await isDriven(ports, record.value), isHolderThere);
  return found.id === 'yes' ? record : usage(found.because, found.remedy);
}

async function isDriven(ports: Ports, { attempt }: TaskRecord): Promise<boolean> {
  const run = await ports.store.run(attempt?.run ?? '');
  return run.ok && run.value !== undefined && isUnderWay(ports, run.value);
}

const gone = (id: TaskId): Result<never> =>
  usage(`${id} could not be paused: its turn ended`, `See \`ym why ${id}\`.`);
