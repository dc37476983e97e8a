import { parseName } from '../model/branch.ts';
import {
  type AttemptEvent,
  type EventBody,
  isAttemptEvent,
  isTrainEvent,
  runOf,
  type TrainEvent,
} from '../model/event.ts';
import { unreachable } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { followedUpBy, type Task, type TaskId } from '../model/task.ts';
import { conflictOf, conflictTaskId } from '../task/conflict.ts';
import { afterLanding } from '../train/candidates.ts';

/** Names records that a change reads. */
export class Keys {
  readonly tasks = new Set<TaskId>();
  /** Tasks whose children are read too. */
  readonly parents = new Set<TaskId>();
  readonly runs = new Set<RunId>();
  readonly runHistories = new Set<RunId>();
  readonly attempts = new Map<string, readonly [task: TaskId, number: number]>();

  get isEmpty(): boolean {
    const { tasks, parents, runs, runHistories, attempts } = this;
    return tasks.size + parents.size + runs.size + runHistories.size + attempts.size === 0;
  }
}

/** Key of an attempt's history in maps. */
export function attemptKey(task: TaskId, number: number): string {
  return `${task} ${number}`;
}

/** Records that are loaded already; undefined for all others. */
export interface Known extends Pick<Records, 'task' | 'run'> {
  has(kind: KeyKind, key: string): boolean;
}

export type KeyKind = Exclude<keyof Keys, 'isEmpty'>;

/**
 * Adds to `keys` the records that the fold of an event reads and `known` lacks. Records lead to others (a run to the
 * branches in its merge queue), so it is asked again after each load, until it adds nothing.
 */
export function reach(event: EventBody, known: Known, keys: Keys): void {
  new Reach(known, keys).add(event);
}

class Reach {
  readonly #known: Known;
  readonly #keys: Keys;

  constructor(known: Known, keys: Keys) {
    this.#known = known;
    this.#keys = keys;
  }

  add(event: EventBody): void {
    const run = runOf(event);
    if (run !== undefined) {
      this.#want('runs', run);
      this.#want('runHistories', run);
    }
    if (isAttemptEvent(event)) {
      this.#attempt(event);
      return this.#others(event);
    }
    if (isTrainEvent(event)) return this.#train(event);
    switch (event.type) {
      case 'task-added':
        this.#origin(event.task);
        return this.#tasks(event.task.id, ...event.task.after);
      case 'task-changed':
        return this.#tasks(event.task.id, ...event.task.after);
      case 'message-sent':
        return this.#tasks(event.id);
      case 'task-decided':
        return this.#decided(event.id, event.decision.kind === 'hand-in');
      case 'pulls-seen':
        for (const { branch } of event.states ?? []) this.#pull(branch);
        return;
      case 'run-resumed':
      case 'run-ended':
        return this.#queue(event.run);
      case 'run-started':
      case 'run-troubled':
      case 'run-verified':
      case 'check-flaked':
      case 'stop-asked':
        return;
      default:
        // Stored by a newer version.
        event satisfies never;
    }
  }

  /** Tasks besides its own that an event of an attempt changes. */
  #others(event: AttemptEvent): void {
    switch (event.type) {
      case 'agent-reported':
        return event.call.id === 'claim' ? this.#claims(event.call.ids) : undefined;
      case 'turn-ended': {
        const signal = event.result.ok ? event.result.signal : undefined;
        if (signal?.id === 'claim') this.#claims(signal.ids);
        return this.#tasks(...this.#coClaims(event.id));
      }
      case 'work-planned':
        this.#settled(event.id);
        return this.#tasks(...this.#coClaims(event.id));
      case 'attempt-adopted':
        this.#want('runs', event.from);
        if (this.#known.task(event.id)?.attempt?.state.id === 'landing') this.#queue(event.from);
        return this.#tasks(...this.#coClaims(event.id));
      case 'attempt-given-up':
      case 'attempt-failed':
        return this.#tasks(...this.#coClaims(event.id));
      default:
        return;
    }
  }

  #train(event: TrainEvent): void {
    switch (event.type) {
      case 'candidate-built':
        return this.#entries(event.entries);
      case 'merge-refused':
      case 'merge-deferred':
        return this.#attempt(event);
      case 'gate-started':
        for (const { id, entries } of this.#candidates(event.run)) {
          if (id === event.candidate) this.#histories(entries);
        }
        return;
      case 'candidate-judged': {
        const isRed = this.#candidates(event.run).some(({ red }) => red !== undefined);
        return event.verdict.id === 'passed' && !isRed ? undefined : this.#queue(event.run);
      }
      case 'candidate-dropped':
        return this.#queue(event.run);
      case 'landed':
        for (const entry of event.entries) this.#conflictTask(entry.id);
        this.#settledEntries(event.entries);
        return this.#landed(event);
      case 'delivered':
        return this.#settledEntries(event.entries);
      case 'gate-abandoned':
      case 'landing-waits':
      case 'target-moved':
      case 'target-check-started':
      case 'target-check-ended':
      case 'target-judged':
        return;
      default:
        unreachable(event);
    }
  }

  #want(kind: Exclude<KeyKind, 'attempts'>, key: string): void {
    if (!this.#known.has(kind, key)) this.#keys[kind].add(key);
  }

  #wantHistory({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): void {
    const key = attemptKey(id, attempt);
    if (!this.#known.has('attempts', key)) this.#keys.attempts.set(key, [id, attempt]);
  }

  #tasks(...ids: readonly TaskId[]): void {
    for (const id of ids) this.#want('tasks', id);
  }

  /** The status of these tasks may change, and with it what their children wait for. */
  #settled(...ids: readonly TaskId[]): void {
    this.#tasks(...ids);
    for (const id of ids) this.#want('parents', id);
  }

  #attempt(of: { readonly id: TaskId; readonly attempt: number }): void {
    this.#want('tasks', of.id);
    this.#wantHistory(of);
    this.#driver(of.id);
  }

  /** The run of the newest attempt of a task. */
  #driver(id: TaskId): void {
    const run = this.#known.task(id)?.attempt?.run;
    if (run !== undefined) this.#want('runs', run);
  }

  #coClaims(id: TaskId): readonly TaskId[] {
    return this.#known.task(id)?.attempt?.coClaims ?? [];
  }

  /** The task that another one was filed for, and the run that filed it. */
  #origin(task: Task): TaskId | undefined {
    const origin = followedUpBy(task) ?? conflictOf(task);
    if (origin === undefined) return undefined;
    this.#tasks(origin);
    this.#driver(origin);
    return origin;
  }

  /** An agent wants these tasks: their parents and their origins decide whether it gets them. */
  #claims(ids: readonly TaskId[]): void {
    for (const claimed of ids) {
      this.#tasks(claimed, ...(this.#known.task(claimed)?.task.after ?? []));
      const seen = new Set<TaskId>();
      for (let id: TaskId | undefined = claimed; id !== undefined && !seen.has(id); ) {
        seen.add(id);
        const task: Task | undefined = this.#known.task(id)?.task;
        id = task === undefined ? undefined : this.#origin(task);
      }
    }
  }

  #decided(id: TaskId, isHandedIn: boolean): void {
    this.#settled(id);
    this.#driver(id);
    if (isHandedIn) this.#conflictTask(id);
    const { attempt, coClaimedBy } = this.#known.task(id) ?? {};
    if (coClaimedBy !== undefined) this.#tasks(coClaimedBy.id);
    if (attempt?.state.id === 'landing') this.#queue(attempt.run);
  }

  #conflictTask(id: TaskId): void {
    const look = (name: TaskId): Task | undefined => {
      this.#settled(name);
      return this.#known.task(name)?.task;
    };
    conflictTaskId(id, look);
  }

  #pull(branch: string): void {
    const named = parseName(branch);
    if (named === undefined) return this.#tasks('');
    this.#attempt({ id: named.task, attempt: named.attempt });
    this.#settled('', named.task, ...this.#coClaims(named.task));
  }

  #candidates(run: RunId) {
    return this.#known.run(run)?.train.candidates ?? [];
  }

  /** All branches in the merge queue of a run. */
  #queue(run: RunId): void {
    for (const { entries } of this.#candidates(run)) this.#entries(entries);
  }

  #entries(entries: readonly QueueEntry[]): void {
    this.#tasks(...entries.map(({ id }) => id));
    this.#histories(entries);
  }

  #histories(entries: readonly QueueEntry[]): void {
    for (const entry of entries) this.#wantHistory(entry);
  }

  #settledEntries(entries: readonly QueueEntry[]): void {
    this.#histories(entries);
    for (const { id, coClaims = [] } of entries) this.#settled(id, ...coClaims);
  }

  /** After a landing, branches that were built on another commit queue again, and one that is to blame returns. */
  #landed({ run, candidate, commit }: Extract<EventBody, { type: 'landed' }>): void {
    const candidates = this.#candidates(run);
    const { requeued } = afterLanding(candidates, candidate, commit);
    if (requeued.length > 0 || candidates.some(({ red }) => red !== undefined)) this.#queue(run);
  }
}
