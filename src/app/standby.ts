import { ok, type Result } from '../model/failure.ts';
import { isSameOwner } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner, RunId } from '../model/run.ts';
import { hasEnded, type LeasedRun, type RunRecord } from '../model/run-record.ts';
import type { Store } from '../port/store.ts';
import { isUnderWay } from './liveness.ts';
import { activeRun, existingRun, reading } from './lookup.ts';
import type { Liveness, Project } from './ports.ts';

/**
 * How a wait ended. `free`: no process drives the run, so it can be resumed; without `run`, no run was under way.
 * `ended`: the run ended during the wait. `left`: the user stopped waiting; `run` is present if it goes on.
 */
export type Standby =
  | { readonly id: 'free'; readonly run?: RunRecord }
  | { readonly id: 'ended'; readonly run: RunRecord }
  | { readonly id: 'left'; readonly run?: RunId };

interface StandbyOptions {
  readonly left: AbortSignal;
  /** True if this process has seen the run before its end, so that the end of the run ends the wait. */
  readonly wasOpen: boolean;
  /** Called once for each process that drives the run during the wait. */
  onWait(run: LeasedRun): void;
}

/** Waits while a process drives the run: the named one, else the one under way. */
export function standBy(
  project: Liveness & Pick<Project, 'openStore'>,
  name: string | undefined,
  options: StandbyOptions,
): Promise<Result<Standby>> {
  return reading(project, async (store) => {
    const ports = { ...project, store };
    const run = await (name === undefined ? activeRun(ports) : existingRun(store, name));
    if (!run.ok) return run;
    if (run.value === undefined) return ok<Standby>({ id: options.left.aborted ? 'left' : 'free' });
    return awaitDeath(ports, run.value, options);
  });
}

async function awaitDeath(
  ports: Liveness & { readonly store: Store },
  first: LeasedRun,
  { left, wasOpen, onWait }: StandbyOptions,
): Promise<Result<Standby>> {
  const { id } = first;
  let isOpen = wasOpen;
  let owner: Owner | undefined;
  for (;;) {
    const found = await ports.store.run(id);
    if (!found.ok) return found;
    const run = found.value ?? first;
    if (isOpen && hasEnded(run)) return ok({ id: 'ended', run });
    isOpen = !hasEnded(run);
    const isAlive = isUnderWay(ports, run);
    // Another run of the project also keeps this one from being resumed.
    const holder = isAlive ? ok(run) : await activeRun(ports);
    if (!holder.ok) return holder;
    if (left.aborted) return ok({ id: 'left', ...(isAlive ? { run: id } : {}) });
    if (holder.value === undefined) return ok({ id: 'free', run });
    if (!isSameOwner(owner, holder.value.owner)) onWait(holder.value);
    owner = holder.value.owner;
    await ports.clock.sleep(limits.refreshMs, left);
  }
}
