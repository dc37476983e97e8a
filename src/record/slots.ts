import type { Event } from '../model/event.ts';
import { given } from '../model/given.ts';
import type { RunId, StopReason } from '../model/run.ts';
import { type RunRecord, stopOf } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { troubleOf } from '../model/trouble.ts';
import type { SlotSummary } from './run-file.ts';

interface Occupancy {
  readonly run: RunId;
  /** Current or last slot. */
  readonly slot: number;
  /** When it took the slot; absent while it holds none. */
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
 * Summarizes what each slot of each run did, from events alone, so that events of an earlier process count the same.
 */
export class Slots {
  readonly #sums = new Map<string, Sum>();
  readonly #occupancies = new Map<string, Occupancy>();
  /** Attempts whose agent reported completion with `ym agent` in the current turn. */
  readonly #finished = new Set<string>();

  on(event: Event): void {
    switch (event.type) {
      case 'attempt-started':
        this.#sum(event.run, event.slot).attempts += 1;
        return this.#enter(event, event.slot, event.at);
      case 'attempt-adopted':
        return event.slot === undefined ? undefined : this.#enter(event, event.slot, event.at);
      case 'turn-started':
      case 'call-started':
        return this.#enter(event, event.slot, event.at);
      case 'work-captured': {
        const occupancy = this.occupancy(event.id, event.attempt);
        if (occupancy !== undefined) this.#put(event, { ...occupancy, commit: event.commit });
        // Work that violates a rule is not judged: it is returned or waits for a person.
        if ((event.violations ?? []).length > 0) this.#leave(event.id, event.attempt, event.at);
        return;
      }
      case 'call-ended':
        // Only a review has a slot of its own.
        if (event.call.kind === 'review') this.#leave(event.id, event.attempt, event.at);
        return;
      case 'gate-skipped':
      case 'approval-asked':
        this.#leave(event.id, event.attempt, event.at);
        return;
      case 'agent-reported':
        if (event.call.id === 'complete') this.#finished.add(keyOf(event));
        return;
      case 'turn-ended':
        if (this.#continuesLater(event)) this.#leave(event.id, event.attempt, event.at);
        return;
      case 'work-planned':
        this.#leave(event.id, event.attempt, event.at);
        this.#occupancies.delete(keyOf(event));
        return;
      case 'branch-judged':
        // After a gate that could not run, the attempt keeps its slot until its work is saved.
        if (event.verdict.id !== 'not-run') this.#leave(event.id, event.attempt, event.at);
        return;
      case 'attempt-failed':
        return this.#end(event.id, event.attempt, event.at, 'failed');
      // For a slot, a delivery counts like a landing.
      case 'landed':
      case 'delivered':
        for (const entry of event.entries) this.#end(entry.id, entry.attempt, event.at, 'landed');
        return;
      default:
        return;
    }
  }

  occupancy(task: TaskId, attempt: number): Occupancy | undefined {
    return this.#occupancies.get(keyOf({ id: task, attempt }));
  }

  summary(run: RunRecord): readonly SlotSummary[] {
    return Array.from({ length: run.settings.jobs }, (_, index) => {
      const slot = index + 1;
      const summary = { slot, ...this.#sum(run.id, slot) };
      const stop = slotStop(run, index);
      return { ...summary, ...given({ stop }) };
    });
  }

  /** True if the conversation continues later, in any free slot. */
  #continuesLater(event: Extract<Event, { readonly type: 'turn-ended' }>): boolean {
    const isComplete = this.#finished.delete(keyOf(event));
    const { result } = event;
    if (result.ok)
      return !isComplete && result.signal !== undefined && result.signal.id !== 'complete';
    return ['pause', 'hold', 'hiccup', 'renew', 'killed'].includes(troubleOf(result.failure));
  }

  #enter(event: { run: RunId; id: TaskId; attempt: number }, slot: number, at: number): void {
    const before = this.occupancy(event.id, event.attempt);
    if (before?.since !== undefined && before.slot === slot) return;
    this.#leave(event.id, event.attempt, at);
    const commit = before?.commit;
    this.#put(event, { run: event.run, slot, since: at, ...given({ commit }) });
  }

  #leave(task: TaskId, attempt: number, at: number): Occupancy | undefined {
    const occupancy = this.occupancy(task, attempt);
    if (occupancy?.since === undefined) return occupancy;
    const { since, ...rest } = occupancy;
    // The clock may be set back; time in use never shrinks.
    this.#sum(occupancy.run, occupancy.slot).ms += Math.max(0, at - since);
    this.#put({ id: task, attempt }, rest);
    return rest;
  }

  #end(task: TaskId, attempt: number, at: number, how: 'landed' | 'failed'): void {
    const occupancy = this.#leave(task, attempt, at);
    if (occupancy === undefined) return;
    this.#sum(occupancy.run, occupancy.slot)[how] += 1;
    this.#occupancies.delete(keyOf({ id: task, attempt }));
  }

  #put({ id, attempt }: { id: TaskId; attempt: number }, occupancy: Occupancy): void {
    this.#occupancies.set(keyOf({ id, attempt }), occupancy);
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

function keyOf({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): string {
  return `${id} ${attempt}`;
}

function slotStop(run: RunRecord, index: number): StopReason | undefined {
  const errors = run.slotErrors[index] ?? 0;
  return errors >= run.settings.slotErrors ? 'slot-errors' : stopOf(run)?.reason;
}
