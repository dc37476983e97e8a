import { KEPT, parseStray } from '../model/branch.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import { jobLimits, type RefAt } from '../model/job.ts';
import type { RunId } from '../model/run.ts';
import { outcomeOf } from '../model/trouble.ts';
import { workerOf } from '../plan/workers.ts';
import type { Git } from '../port/git.ts';
import type { Store } from '../port/store.ts';
import type { Courier } from '../port/workers.ts';
import type { Opened } from './ports.ts';

/** Work of attempts on a worker that is saved in its repository, and that no record names. */
export async function unsharedWork(
  { git, store }: Repository,
  run: RunId,
  worker: string,
): Promise<Result<readonly RefAt[]>> {
  const refs = await git.refs(`${KEPT}${run}/`);
  const strays = refs.filter(({ ref }) => /\.stray\d+$/.test(ref));
  if (strays.length === 0) return ok([]);
  const attempts = await store.attempts({ run });
  if (!attempts.ok) return attempts;
  const found: RefAt[] = [];
  for (const held of strays) {
    const name = parseStray(held.ref);
    const of = attempts.value.find(
      ({ task, number }) => task === name?.task && number === name.attempt,
    );
    if (of === undefined || isRecorded(of, held)) continue;
    const { run: driver, slot } = of.turns.at(-1) ?? { run, slot: of.slot };
    const record = await store.run(driver);
    if (!record.ok) return record;
    const holder = record.value && workerOf(record.value, slot);
    if (holder === worker) found.push(held);
  }
  return ok(found);
}

interface Repository {
  readonly git: Pick<Git, 'refs'>;
  readonly store: Pick<Store, 'attempts' | 'run'>;
}

function isRecorded({ shared = [], end }: AttemptRecord, { commit }: RefAt): boolean {
  const strays = end.id === 'failed' ? (end.strays ?? []) : [];
  return [...shared, ...strays].some((held) => held.commit === commit);
}

/**
 * Pushes work that only this machine has to the shared repository, where it stays, and stores an event for each commit.
 * After a failure, or if `signal` aborts, the next heartbeat tries again.
 */
export async function shareWork(
  unsent: RefAt[],
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  courier: Result<Courier>,
  of: { readonly run: RunId; readonly worker: string },
  signal?: AbortSignal,
): Promise<void> {
  if (!courier.ok) return;
  const sent = await outcomeOf(courier.value.keep(unsent, signal));
  if (!sent.ok) return;
  const shared = unsent.flatMap((held): EventBody[] => {
    const name = parseStray(held.ref);
    if (name === undefined) return [];
    const { task: id, attempt } = name;
    return [{ type: 'work-shared', ...of, id, attempt, refs: [held] }];
  });
  const stored = await store.append(clock.now(), shared);
  if (stored.ok) unsent.length = 0;
}

interface EndLimits {
  readonly callMs: number;
  readonly clearMs: number;
}

/**
 * Finds work in the shared repository that no record names, and removes the commits of a drained run from there. The end
 * of a run waits for it, so it gives up on a repository that does not answer a call within `callMs`. One that is slow has
 * `clearMs` for all of the removal.
 */
export async function endSharing(
  opened: Pick<Opened, 'store' | 'clock'>,
  courier: Pick<Courier, 'kept' | 'clear'>,
  isDrained: boolean,
  { callMs, clearMs }: EndLimits = { callMs: jobLimits.lastCallMs, clearMs: jobLimits.clearMs },
): Promise<void> {
  const limit = AbortSignal.timeout(callMs);
  await recordSharedWork(opened, courier, limit);
  if (!isDrained || limit.aborted) return;
  // What is left there is found, and removed, at the end of the next run.
  await outcomeOf(courier.clear({ signal: AbortSignal.timeout(clearMs), callMs }));
}

/**
 * Stores an event for work in the shared repository that no record names: its worker pushed it and was lost before it
 * could store that. If the repository cannot be read now, the end of the next run finds the work.
 */
export async function recordSharedWork(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  courier: Pick<Courier, 'kept'>,
  signal?: AbortSignal,
): Promise<void> {
  const kept = await outcomeOf(courier.kept(signal));
  const strays = (kept.ok ? kept.value : []).flatMap((held) => {
    const name = parseStray(held.ref);
    return name === undefined ? [] : [{ held, name }];
  });
  const found: EventBody[] = [];
  for (const run of new Set(strays.map(({ name }) => name.run))) {
    const attempts = await store.attempts({ run });
    const record = await store.run(run);
    if (!attempts.ok || !record.ok) continue;
    for (const { held, name } of strays.filter((one) => one.name.run === run)) {
      const { task: id, attempt } = name;
      const of = attempts.value.find(({ task, number }) => task === id && number === attempt);
      if (of === undefined || of.shared?.some(({ commit }) => commit === held.commit)) continue;
      const worker = (record.value && workerOf(record.value, of.slot)) ?? 'unknown';
      found.push({ type: 'work-shared', run, id, attempt, worker, refs: [held] });
    }
  }
  if (found.length > 0) await store.append(clock.now(), found);
}
