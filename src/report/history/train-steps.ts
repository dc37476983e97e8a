import type { Event, Pull } from '../../model/event.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { TaskId } from '../../model/task.ts';
import { Blame, type Blamed } from './blame.ts';
import type { Step } from './history.ts';

/** Steps derived from events that do not name the task. */

/** True if the entry belongs to the task or co-claims it. */
export function isOn(entry: QueueEntry, id: TaskId): boolean {
  return entry.id === id || entry.coClaims?.includes(id) === true;
}

/** Changes of the task's pull request; each state is reported once. */
export class PullSteps {
  readonly #id: TaskId;
  #branch: string | undefined;
  #lastText = '';

  constructor(id: TaskId) {
    this.#id = id;
  }

  on(event: Event): Step[] {
    if (event.type === 'delivered' && event.entries.some((entry) => isOn(entry, this.#id))) {
      this.#branch = event.branch;
      this.#lastText = '';
    }
    if (event.type !== 'pulls-seen') return [];
    const pull = event.states?.find(({ branch }) => branch === this.#branch);
    const text = pull === undefined ? '' : pullText(pull);
    if (text === '' || text === this.#lastText) return [];
    this.#lastText = text;
    return [{ at: event.at, text }];
  }
}

function pullText({ state, url, checks, mergeCommit }: Pull): string {
  if (state === 'closed') return `pull request closed: ${url}`;
  if (state === 'merged') {
    return `pull request merged: ${url}${mergeCommit === undefined ? '' : ` as ${mergeCommit}`}`;
  }
  return checks === 'failed' || checks === 'passed' ? `checks of ${url} ${checks}` : '';
}

/** The branch at fault among several that failed together, and the effect on the others. */
export class BlameSteps {
  readonly #id: TaskId;
  /** By run. */
  readonly #blames = new Map<string, Blame>();

  constructor(id: TaskId) {
    this.#id = id;
  }

  on(event: Event): Step[] {
    if (!('candidate' in event)) return [];
    const blame = this.#blames.get(event.run) ?? new Blame();
    this.#blames.set(event.run, blame);
    return blame.on(event).flatMap((blamed) => {
      const text = this.#text(blamed);
      return text === '' ? [] : [{ at: event.at, text }];
    });
  }

  #text({ entry, green, again }: Blamed): string {
    if (again.some((one) => isOn(one, this.#id)))
      return `queued again: ${entry.id} caused the failure`;
    if (!isOn(entry, this.#id)) return '';
    const names = green.map(({ id }) => id).join(', ');
    if (green.length > 0) {
      return `caused the failure: ${names} ${green.length === 1 ? 'passes' : 'pass'} without it, ${green.length === 1 ? 'fails' : 'fail'} with it`;
    }
    return again.length === 0
      ? ''
      : 'caused the failure: also fails without the rest of its candidate';
  }
}
