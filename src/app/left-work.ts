import { removeWorktrees } from '../engine/end-run.ts';
import { giveBack } from '../engine/save.ts';
import { attemptDir } from '../files/layout.ts';
import { isLive } from '../model/attempt-state.ts';
import { attemptOfKey, KEPT, runOf } from '../model/branch.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { RefAt } from '../model/job.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded } from '../model/run-record.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import { type Pool, worktreePool } from '../worktree/pool.ts';
import { preparedOnDisk } from '../worktree/prepared-disk.ts';
import { runsOnDisk } from '../worktree/run-folders.ts';
import type { LastCalls } from './last-calls.ts';
import type { Opened } from './ports.ts';
import { shareWork, unsharedWork } from './unshared-work.ts';
import type { WorkerParts } from './worker.ts';

/** Reports of work that is only on the machine of a worker. */
export interface WorkReports {
  /** Called when the worker ends and work that it saved in its repository could not be shared. */
  readonly onUnsent: (refs: readonly RefAt[], repository: string) => void;
  /** Called when work that an earlier process left, in one run or in all, cannot be saved or found. */
  readonly onUnsaved: (failure: Failure, run?: RunId) => void;
}

interface Parts extends WorkReports, Pick<WorkerParts, 'reopen' | 'courier' | 'self'> {
  readonly lastCalls: LastCalls;
}

/** Work that an earlier process of a worker left in its folder. */
export class LeftWork {
  readonly #parts: Parts;
  #opened: Opened | undefined;
  #unsent = new Map<RunId, RefAt[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Finds the work and saves it as commits. Work that cannot be saved stays in its worktree for the next process. */
  async save(): Promise<void> {
    const { reopen, self, onUnsaved } = this.#parts;
    const opened = await settled(reopen());
    if (!opened.ok) onUnsaved(opened.failure);
    if (!opened.ok || opened.value === undefined) return;
    this.#unsent = await saveLeftWork(opened.value, self.id, onUnsaved);
    this.#opened = opened.value;
  }

  /** Pushes the saved work to the shared repository. After a failure, the next call tries again. */
  async share(): Promise<void> {
    const { courier, self, lastCalls } = this.#parts;
    if (this.#opened === undefined) return;
    for (const [run, refs] of this.#unsent) {
      const of = { run, worker: self.id };
      await shareWork(refs, this.#opened, await courier(run), of, lastCalls.signal());
      if (refs.length === 0) this.#unsent.delete(run);
    }
    if (this.#unsent.size === 0) await this.#close();
  }

  /** Closes store and git. With `isOwnName`, first tries to share a last time and reports what could not be shared. */
  async leave(isOwnName: boolean): Promise<void> {
    if (isOwnName) await this.share();
    const refs = [...this.#unsent.values()].flat();
    const root = this.#opened?.root;
    if (isOwnName && root !== undefined && refs.length > 0) this.#parts.onUnsent(refs, root);
    await this.#close();
  }

  async #close(): Promise<void> {
    await this.#opened?.store.close();
    await this.#opened?.git.close();
    this.#opened = undefined;
  }
}

/**
 * Saves what an earlier process of a worker left in worktrees whose attempts the run has given up meanwhile, and returns
 * all work of the worker that no record names, by run. Agents of such attempts are ended first. Worktrees of live
 * attempts stay as they are. After a failure in one run, goes on with the others.
 */
async function saveLeftWork(
  opened: Opened,
  worker: string,
  onUnsaved: WorkReports['onUnsaved'],
): Promise<Map<RunId, RefAt[]>> {
  const { git, stateDir, id: project } = opened;
  const runs = await runsOnDisk(stateDir, project);
  for (const run of runs) {
    const saved = await settled(saveWorktrees(opened, run, worker));
    if (!saved.ok) onUnsaved(saved.failure, run);
  }
  // Read after the saves: work of an attempt that another run has adopted is kept under the run that started it.
  const refs = await outcomeOf(git.refs(KEPT));
  if (!refs.ok) onUnsaved(refs.failure);
  const kept = (refs.ok ? refs.value : []).flatMap(({ ref }) => runOf(ref) ?? []);
  const found = new Map<RunId, RefAt[]>();
  for (const run of new Set([...runs, ...kept])) {
    const left = await settled(unsharedWork(opened, run, worker));
    if (!left.ok) onUnsaved(left.failure, run);
    else if (left.value.length > 0) found.set(run, [...left.value]);
  }
  return found;
}

async function saveWorktrees(opened: Opened, run: RunId, worker: string): Promise<Result<void>> {
  const { git, stateDir, id: project, store } = opened;
  const { release } = preparedOnDisk({ stateDir, project });
  const pool = await worktreePool({ git, stateDir, project, run, release });
  if (!pool.ok) return pool;
  const ended = await endGivenUp(opened, run, pool.value);
  if (!ended.ok) return ended;
  await giveBack({ pool: pool.value, git }, (task) => store.task(task), { worker });
  const record = await store.run(run);
  if (!record.ok) return record;
  if (record.value === undefined || !hasEnded(record.value)) return ok(undefined);
  const removed = await removeWorktrees({ pool: pool.value, store });
  return removed.ok ? ok(undefined) : removed;
}

/** Ends the agents of attempts that the run has given up: they write to worktrees that are about to be used again. */
async function endGivenUp(opened: Opened, run: RunId, pool: Pool): Promise<Result<void>> {
  const processes = await opened.children({ agents: {} });
  for (const { key } of pool.held()) {
    const of = attemptOfKey(key);
    if (of === undefined) continue;
    const record = await opened.store.task(of.task);
    if (!record.ok) return record;
    const now = record.value?.attempt;
    if (now?.number === of.attempt && isLive(now.state)) continue;
    await processes.endIn(attemptDir(opened, run, of.task, of.attempt));
  }
  return ok(undefined);
}
