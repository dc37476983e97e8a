// Checks what a run with several machines left: its events and the target, as one history.
import type { Event } from '../../src/model/event.ts';

type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

export interface Landing {
  /** Value of the target after it. */
  readonly commit: string;
  readonly parents: readonly string[];
  readonly tasks: readonly string[];
}

export interface History {
  /** All events of the store, in order. */
  readonly events: readonly Event[];
  /** First-parent history of the target, oldest first, without the commit that it started at. */
  readonly landings: readonly Landing[];
  readonly tasks: readonly string[];
}

/** Parses `git log --first-parent --reverse` with the format below. */
export const landingFormat = '--format=%H|%P|%(trailers:key=Yard-Task,valueonly,separator=%x2C)';

export function landingsIn(log: string): readonly Landing[] {
  return log
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [commit = '', parents = '', tasks = ''] = line.split('|');
      return { commit, parents: parents.split(' '), tasks: tasks.split(',').filter(Boolean) };
    });
}

/** Everything in the history that must not be, one sentence each. */
export function violationsOf(history: History): readonly string[] {
  return [...ofOwners(history), ...ofTarget(history), ...ofTasks(history)];
}

/** A task has one owner at a time, each with a higher fence, and one that gave up changes nothing any more. */
function ofOwners({ events }: History): readonly string[] {
  const problems: string[] = [];
  const live = new Map<string, number>();
  const fences = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'landed') {
      for (const { id, attempt } of event.entries) {
        if (live.get(id) !== attempt)
          problems.push(`${id} landed from attempt ${attempt}, which is over`);
        live.delete(id);
      }
    }
    if (!('attempt' in event && 'id' in event)) continue;
    const { id, attempt, type, seq } = event;
    // A worker that comes back may store this at any time.
    if (type === 'work-shared') continue;
    if (type === 'attempt-started') {
      if (live.has(id)) problems.push(`${id} has a second owner at event ${seq}`);
      if (event.fence <= (fences.get(id) ?? 0)) problems.push(`${id} got an old fence at ${seq}`);
      fences.set(id, event.fence);
      live.set(id, Number(attempt));
    } else if (live.get(id) !== attempt) {
      problems.push(`${type} of attempt ${attempt} of ${id} at event ${seq}, which was over`);
    } else if (type === 'attempt-failed') live.delete(id);
  }
  return problems;
}

/** The target moved from one landing to the next, each with the commit that its attempt captured. */
function ofTarget({ events, landings }: History): readonly string[] {
  const problems: string[] = [];
  const told = events.filter((event): event is EventOf<'landed'> => event.type === 'landed');
  const values = told.flatMap(({ commits, commit }) => commits ?? [commit]);
  const found = landings.map(({ commit }) => commit);
  if (JSON.stringify(values) !== JSON.stringify(found)) {
    problems.push(`the target is ${found.join(' ')}, but its events tell ${values.join(' ')}`);
  }
  told.forEach(({ from, seq }, at) => {
    const before = told[at - 1]?.commit;
    if (before !== undefined && before !== from)
      problems.push(`event ${seq} starts a second chain`);
  });
  const captured = new Set(
    events.flatMap((event) => {
      return event.type === 'work-captured' ? [`${event.id} ${event.attempt} ${event.commit}`] : [];
    }),
  );
  for (const { entries } of told) {
    for (const { id, attempt, commit } of entries) {
      if (captured.has(`${id} ${attempt} ${commit}`)) continue;
      problems.push(`${commit} landed for ${id}, which its attempt ${attempt} has not captured`);
    }
  }
  return problems;
}

function ofTasks({ landings, tasks }: History): readonly string[] {
  return tasks.flatMap((task) => {
    const times = landings.filter((landing) => landing.tasks.includes(task)).length;
    return times === 1 ? [] : [`${task} landed ${times} times`];
  });
}

export interface Takeover {
  readonly task: string;
  /** Time at which the attempt was given up. */
  readonly at: number;
  /** Time from the fault until the attempt was given up, so that the task may start in any free slot. */
  readonly freeMs: number;
  /** Time from the fault until another attempt of the task started; undefined if none did. */
  readonly ms: number | undefined;
}

/** Times from the end of the process that drove a run until another one went on with it; undefined if none did. */
export function resumptionsOf(
  { events }: History,
  kills: readonly number[],
): readonly (number | undefined)[] {
  return kills.map((at) => {
    const next = events.find((event) => event.type === 'run-resumed' && event.at >= at);
    return next === undefined ? undefined : next.at - at;
  });
}

/** How long the tasks of lost workers waited for another one. `faults`: worker and time, by the clock of the events. */
export function takeoversOf(
  { events }: History,
  faults: readonly { readonly worker: string; readonly at: number }[],
): readonly Takeover[] {
  return events.flatMap((event): Takeover[] => {
    if (event.type !== 'attempt-failed' || event.failure.kind !== 'worker-gone') return [];
    const { worker } = event.failure;
    const fault = faults.findLast((one) => one.worker === worker && one.at <= event.at);
    const next = events.find((one) => {
      return one.type === 'attempt-started' && one.id === event.id && one.seq > event.seq;
    });
    if (fault === undefined) return [];
    const freeMs = event.at - fault.at;
    return [
      {
        task: event.id,
        at: event.at,
        freeMs,
        ms: next === undefined ? undefined : next.at - fault.at,
      },
    ];
  });
}
