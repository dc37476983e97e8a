import type { Ports, RunContext } from '../engine/context.ts';
import type { Perform } from '../engine/dispatcher.ts';
import { removeWorktrees } from '../engine/end-run.ts';
import { gateIds } from '../engine/job-answer.ts';
import { withoutLeftovers } from '../engine/job-bug.ts';
import { perform } from '../engine/perform.ts';
import { giveBack, saveUnfinished } from '../engine/save.ts';
import { isLive } from '../model/attempt-state.ts';
import { parseName, parseStray } from '../model/branch.ts';
import type { Command, Work } from '../model/command.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Job, RefAt } from '../model/job.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded, isDrained } from '../model/run-record.ts';
import { outcomeOf, settled, settledAll } from '../model/trouble.ts';
import { projectNotes } from '../plan/project-notes.ts';
import { needsWorker } from '../plan/workers.ts';
import type { SharedFiles } from '../port/workers.ts';
import type { LastCalls } from './last-calls.ts';
import { abandonment } from './liveness.ts';
import type { Opened } from './ports.ts';
import { preflight } from './preflight.ts';
import { asStarted } from './resume.ts';
import { contextOf } from './run.ts';
import { runConfig } from './target.ts';
import { shareWork } from './unshared-work.ts';
import type { WorkerParts } from './worker.ts';

/** A run that the worker works for: its ports on this machine, and how to perform its commands. */
export interface OpenRun {
  readonly opened: Opened;
  readonly perform: Perform;
  readonly files: SharedFiles;
  /** Ids of the gates as this machine knows them. */
  readonly gates: readonly string[];
  /** True for a ref of an attempt whose worktree is here: no other machine knows it better. */
  isOwnRef(ref: string): boolean;
  /**
   * Interrupts agents of attempts that were given up, and gives back worktrees that no job uses; all of them once the run
   * has ended. Returns true if it has.
   */
  tidy(jobs: readonly Job[]): Promise<boolean>;
  /** True if an attempt on this worker needs it for its next step, and the run is not abandoned. */
  isNeeded(): Promise<boolean>;
  /** Pushes the unfinished work of this worker to the shared repository, before the worker ends. */
  leave(): Promise<void>;
}

export async function closed(opening: Promise<Result<OpenRun>>): Promise<void> {
  const run = await opening;
  if (!run.ok) return;
  await run.value.files.close();
  await run.value.opened.store.close();
  await run.value.opened.git.close();
}

export async function openRun(
  parts: WorkerParts,
  id: RunId,
  refs: readonly RefAt[],
  lastCalls: LastCalls,
): Promise<Result<OpenRun>> {
  const project = await parts.open(refs);
  if (!project.ok) return project;
  const run = await settled(openedRun(parts, id, project.value, lastCalls));
  if (run.ok) return run;
  await project.value.store.close();
  await project.value.git.close();
  return run;
}

async function openedRun(
  { files, courier, onUnsent, self: { id: worker, slots } }: WorkerParts,
  id: RunId,
  opened: Opened,
  lastCalls: LastCalls,
): Promise<Result<OpenRun>> {
  const { store } = opened;
  const record = await store.run(id);
  if (!record.ok) return record;
  if (record.value === undefined) return fail({ kind: 'unknown-run', run: id });
  const { settings, startedAt } = record.value;
  const { mode, target } = settings;
  const read = await settledAll(runConfig(opened, { flags: { mode }, target }));
  if (!read.ok) return firstOf(read.failure);
  const config = asStarted(read.value.config, record.value);
  const ready = await settledAll(preflight(opened, config, settings.scope, [], settings));
  if (!ready.ok) return firstOf(ready.failure);
  const { agents, sandbox } = ready.value;
  const ports = await opened.engine({ run: id, config, agents, sandbox, jobs: slots, store });
  if (!ports.ok) return ports;
  const base = contextOf(ready.value, id);
  if (!base.ok) return firstOf(base.failure);
  const notes = await store.notes(startedAt);
  if (!notes.ok) return notes;
  const context: RunContext = { ...base.value, notes: projectNotes(notes.value), worker };
  const unsent: RefAt[] = [];
  const isAbandoned = abandonment(opened);
  const share = async (): Promise<void> => {
    if (unsent.length === 0) return;
    await shareWork(unsent, opened, await courier(id), { run: id, worker }, lastCalls.signal());
  };
  return ok({
    opened,
    files: files(opened, config),
    gates: gateIds(context),
    perform: (command) => {
      const doing = settled(perform(ports.value, context, command));
      return withoutLeftovers(ports.value, context, command, doing);
    },
    isOwnRef(ref) {
      const of = parseName(ref) ?? parseStray(ref);
      return ports.value.pool.held().some(({ key }) => key === `${of?.task}-${of?.attempt}`);
    },
    async isNeeded() {
      return isNeededBy({ opened, isAbandoned }, id, worker);
    },
    async leave() {
      unsent.push(...(await saveUnfinished(ports.value, (task) => store.task(task))));
      await share();
      if (unsent.length > 0) onUnsent(unsent, opened.root);
    },
    async tidy(jobs) {
      const work = jobs.flatMap(({ command }) => ('work' in command ? [command] : []));
      for (const command of work) await endGivenUp(ports.value, context, command);
      const busy = new Set(
        work.map(({ work: { task, attempt } }) => `${task.id}-${attempt.number}`),
      );
      unsent.push(...(await giveBack(ports.value, (task) => store.task(task), { busy, worker })));
      await share();
      const now = await store.run(id);
      if (!now.ok || now.value === undefined || !hasEnded(now.value)) return false;
      if (unsent.length > 0) return false;
      await removeWorktrees(ports.value);
      // What a worker that was away sent after the end of the run.
      const shared = isDrained(now.value) ? await courier(id) : undefined;
      if (shared?.ok) await outcomeOf(shared.value.clear({ signal: lastCalls.signal() }));
      return true;
    },
  });
}

/** True if a live attempt on the worker needs it, and the run is neither over nor abandoned. */
async function isNeededBy(
  of: { readonly opened: Opened; readonly isAbandoned: ReturnType<typeof abandonment> },
  id: RunId,
  worker: string,
): Promise<boolean> {
  const { store } = of.opened;
  const live = await store.live();
  const now = await store.run(id);
  const isOver =
    now.ok && now.value !== undefined && (hasEnded(now.value) || of.isAbandoned(now.value));
  if (!live.ok || isOver) return false;
  return live.value.some(({ attempt }) => attempt?.worker === worker && needsWorker(attempt));
}

/** A worker that was away may still run the agent of an attempt that goes on elsewhere. */
async function endGivenUp(
  ports: Ports,
  context: RunContext,
  command: Command & { readonly work: Work },
): Promise<void> {
  if (command.type !== 'run-turn') return;
  const { task, attempt } = command.work;
  const record = await ports.store.task(task.id);
  const now = record.ok ? record.value?.attempt : attempt;
  if (now?.number === attempt.number && isLive(now.state)) return;
  const of = { id: task.id, attempt: attempt.number, branch: attempt.branch };
  const by = 'the run, which gave it up';
  await settled(perform(ports, context, { type: 'interrupt', ...of, turn: command.turn, by }));
}

function firstOf(failures: readonly Failure[]): Result<never> {
  const [first = { kind: 'internal', message: 'no failure' } as const] = failures;
  return fail(first);
}
