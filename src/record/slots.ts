import type { Event } from '../model/event.ts';
import { given } from '../model/given.ts';
import type { RunId, StopReason } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { RunRecord } from '../plan/record.ts';
import { troubleOf } from '../plan/retry.ts';
import type { SlotSummary } from './run-file.ts';

interface Ride {
  readonly run: RunId;
  /** The slot it has, or had last. */
  readonly slot: number;
  /** Since when it has the slot; absent while it has none. */
  readonly since?: number;
  readonly commit?: string;
}

interface Sum {
  attempts: number;
  landed: number;
  failed: number;
  ms: number;
}

/**
 * What went through each slot of each run, told by events alone, so that the events of an earlier process count for as
 * much as those of this one.
 */
export class Slots {
  readonly #sums = new Map<string, Sum>();
  readonly #coClaimedBy = new Map<string, Ride>();
  /** Attempts whose agent said by a call, in the turn under way, that it is done. */
  readonly #finished = new Set<string>();

  on(event: Event): void {
    switch (event.type) {
      case 'attempt-started':
        this.#sum(event.run, event.slot).attempts += 1;
        return this.#enter(event, event.slot, event.at);
      case 'attempt-adopted':
        return event.slot === undefined ? undefined : this.#enter(event, event.slot, event.at);
      case 'turn-started':
      case 'review-started':
      case 'critique-started':
        return this.#enter(event, event.slot, event.at);
      case 'work-captured': {
        const ride = this.ride(event.id, event.attempt);
        if (ride !== undefined) this.#put(event, { ...ride, commit: event.commit });
        // Work that breaks a rule is not judged: it goes back, or waits for a person.
        if ((event.violations ?? []).length > 0) this.#leave(event.id, event.attempt, event.at);
        return;
      }
      case 'gate-skipped':
      case 'review-ended':
      case 'approval-asked':
        this.#leave(event.id, event.attempt, event.at);
        return;
      case 'agent-reported':
        if (event.call.id === 'complete') this.#finished.add(rideKey(event));
        return;
      case 'turn-ended':
        if (this.#rests(event)) this.#leave(event.id, event.attempt, event.at);
        return;
      case 'work-planned':
        this.#leave(event.id, event.attempt, event.at);
        this.#coClaimedBy.delete(rideKey(event));
        return;
      case 'branch-judged':
        // A gate that could not be run leaves the attempt in its slot until its work is saved.
        if (event.verdict.id !== 'not-run') this.#leave(event.id, event.attempt, event.at);
        return;
      case 'attempt-failed':
        return this.#end(event.id, event.attempt, event.at, 'failed');
      // Work that was judged and handed over has done in its slot what a landing does.
      case 'landed':
      case 'delivered':
        for (const entry of event.entries) this.#end(entry.id, entry.attempt, event.at, 'landed');
        return;
      default:
        return;
    }
  }

  ride(task: TaskId, attempt: number): Ride | undefined {
    return this.#coClaimedBy.get(rideKey({ id: task, attempt }));
  }

  summary(run: RunRecord): readonly SlotSummary[] {
    return Array.from({ length: run.settings.jobs }, (_, index) => {
      const slot = index + 1;
      const summary = { slot, ...this.#sum(run.id, slot) };
      const stop = stopOf(run, index);
      return { ...summary, ...given({ stop }) };
    });
  }

  /** Whether the conversation goes on later, in whatever slot is free then. */
  #rests(event: Extract<Event, { readonly type: 'turn-ended' }>): boolean {
    const told = this.#finished.delete(rideKey(event));
    const { result } = event;
    if (result.ok) return !told && result.signal !== undefined && result.signal.id !== 'complete';
    return ['pause', 'hold', 'hiccup', 'renew', 'killed'].includes(troubleOf(result.failure));
  }

  #enter(event: { run: RunId; id: TaskId; attempt: number }, slot: number, at: number): void {
    const before = this.ride(event.id, event.attempt);
    if (before?.since !== undefined && before.slot === slot) return;
    this.#leave(event.id, event.attempt, at);
    const ride = { run: event.run, slot, since: at };
    this.#put(event, before?.commit === undefined ? ride : { ...ride, commit: before.commit });
  }

  #leave(task: TaskId, attempt: number, at: number): Ride | undefined {
    const ride = this.ride(task, attempt);
    if (ride?.since === undefined) return ride;
    const { since, ...rest } = ride;
    // Clocks are set back now and then; time in use only grows.
    this.#sum(ride.run, ride.slot).ms += Math.max(0, at - since);
    this.#put({ id: task, attempt }, rest);
    return rest;
  }

  #end(task: TaskId, attempt: number, at: number, how: 'landed' | 'failed'): void {
    const ride = this.#leave(task, attempt, at);
    if (ride === undefined) return;
    this.#sum(ride.run, ride.slot)[how] += 1;
    this.#coClaimedBy.delete(rideKey({ id: task, attempt }));
  }

  #put({ id, attempt }: { id: TaskId; attempt: number }, ride: Ride): void {
    this.#coClaimedBy.set(rideKey({ id, attempt }), ride);
  }

  #sum(run: RunId, slot: number): Sum {
    const key = `${run} ${slot}`;
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      sum = { attempts: 0, landed: 0, failed: 0, ms: 0 };
      this.#sums.set(key, sum);
    }
    return sum;
  }
}

function rideKey({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): string {
  return `${id} ${attempt}`;
}

function stopOf(run: RunRecord, index: number): StopReason | undefined {
  const errors = run.slotErrors[index] ?? 0;
  return errors >= run.settings.slotErrors ? 'slot-errors' : run.stop?.reason;
}
