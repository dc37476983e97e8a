import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord, SlotChange } from '../model/run-record.ts';
import { slotStatus } from '../plan/free-slots.ts';
import { isUnderWay } from './liveness.ts';
import { activeRun, existingRun } from './lookup.ts';
import type { Liveness, Opened } from './ports.ts';

type Ports = Liveness & Pick<Opened, 'store'>;

/** The pace of starts is not a change that users make to a run. */
type UserChange = Exclude<SlotChange, { readonly id: 'pace' }>;

/** A wanted change of slots; `by` adds slots, or removes them if negative. */
export type SlotWish = UserChange | { readonly id: 'by'; readonly count: number };

/** The run after a change of its slots, and the change that was stored. */
export interface SlotsChanged {
  readonly run: RunRecord;
  readonly change: UserChange;
}

/** Changes the slots of a run under way: the named one, else the newest. Fails if it would change nothing. */
export async function changeSlots(
  ports: Ports,
  wish: SlotWish,
  name?: string,
): Promise<Result<SlotsChanged>> {
  const before = await runToChange(ports, name);
  if (!before.ok) return before;
  const change = changeOf(before.value, wish);
  if (!change.ok) return change;
  const event = { type: 'slots-changed', run: before.value.id, change: change.value } as const;
  const stored = await ports.store.append(ports.clock.now(), [event]);
  if (!stored.ok) return stored;
  const after = await ports.store.run(before.value.id);
  return after.ok ? ok({ run: after.value ?? before.value, change: change.value }) : after;
}

async function runToChange(ports: Ports, name: string | undefined): Promise<Result<RunRecord>> {
  if (name === undefined) {
    const run = await activeRun(ports);
    if (!run.ok) return run;
    if (run.value !== undefined) return ok(run.value);
    return usage('no run is active here', 'Start one with `ym run --jobs N`.');
  }
  const run = await existingRun(ports.store, name);
  if (!run.ok || isUnderWay(ports, run.value)) return run;
  return usage(
    `run ${run.value.id} is not active`,
    'Only the slots of an active run can be changed.',
  );
}

function changeOf(run: RunRecord, wish: SlotWish): Result<UserChange> {
  const { jobs } = run.settings;
  if (wish.id === 'number' || wish.id === 'by') {
    const wanted = wish.id === 'number' ? wish.jobs : jobs + wish.count;
    if (wanted < limits.jobsMin || wanted > limits.jobsMax) {
      return usage(
        `a run cannot have ${wanted} slots`,
        `It has ${jobs}; give a number from ${limits.jobsMin} to ${limits.jobsMax}. \`ym stop\` ends the run.`,
      );
    }
    if (wanted !== jobs) return ok({ id: 'number', jobs: wanted });
    return usage(`run ${run.id} has ${jobs} slots already`, 'See `ym slots`.');
  }
  const { id, slot } = wish;
  if (slot > run.slots.length || slotStatus(run, slot) === 'removed') {
    return usage(`run ${run.id} has no slot ${slot}`, 'See `ym slots`.');
  }
  const isPaused = run.slots[slot - 1]?.paused === true;
  if (isPaused !== (id === 'pause')) return ok(wish);
  const state = isPaused ? 'paused already' : `not paused (${slotStatus(run, slot)})`;
  return usage(`slot ${slot} is ${state}`, 'See `ym slots`.');
}
