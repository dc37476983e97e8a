import type { Event } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { TaskId } from '../../model/task.ts';
import { attemptStep, gateStep } from '../event/attempt.ts';
import { decisionText } from '../event/decision.ts';
import { counted } from '../format/amount.ts';
import { BlameSteps, isOn, PullSteps } from './train-steps.ts';

/** One event in the history of a task. */
export interface Step {
  readonly at: number;
  readonly attempt?: number;
  readonly text: string;
  readonly failure?: Failure;
}

/** History of one task. Events of other tasks are ignored. */
export function historyOf(id: TaskId, events: readonly Event[]): Step[] {
  const riding = new Map<string, readonly QueueEntry[]>();
  const earlier: Earlier = {};
  const pulls = new PullSteps(id);
  const blame = new BlameSteps(id);
  const steps = events.flatMap((event) => {
    if (event.type === 'candidate-built' && event.entries.some((entry) => isOn(entry, id))) {
      riding.set(event.candidate, event.entries);
    }
    const step = stepOf(id, event, riding);
    const own = step === undefined ? [] : [inContext(step, event, earlier)];
    return [...own, ...pulls.on(event), ...blame.on(event)];
  });
  // A landing that waits is tried again and again; that is one step.
  return steps.filter((step, at) => !isSame(step, steps[at - 1]));
}

function isSame(step: Step, before: Step | undefined): boolean {
  return (
    step.failure !== undefined &&
    step.text === before?.text &&
    JSON.stringify(step.failure) === JSON.stringify(before.failure)
  );
}

/** Earlier events that change the text of later ones. */
interface Earlier {
  decision?: string;
  commit?: string;
}

function inContext(step: Step, event: Event, earlier: Earlier): Step {
  if (event.type === 'task-decided') earlier.decision = event.decision.kind;
  if (earlier.decision === 'release') delete earlier.decision;
  if (event.type === 'attempt-started') {
    delete earlier.decision;
    delete earlier.commit;
  }
  if (event.type === 'work-captured') {
    const same = earlier.commit === event.commit;
    earlier.commit = event.commit;
    return same ? { ...step, text: `no new changes; work is still ${event.commit}` } : step;
  }
  // An agent that was ended because of a person's word was not ended by the run's own wish.
  const ended = step.failure?.kind === 'interrupted' && earlier.decision !== undefined;
  return ended ? { ...step, failure: { kind: 'interrupted', by: 'a person' } } : step;
}

function stepOf(id: TaskId, event: Event, riding: Riding): Step | undefined {
  const { at } = event;
  switch (event.type) {
    case 'task-added':
      return event.task.id === id ? { at, text: 'added' } : undefined;
    case 'task-changed':
      return event.task.id === id ? { at, text: 'changed by its source' } : undefined;
    case 'message-sent':
      return event.id === id ? { at, text: `message from a person: ${event.text}` } : undefined;
    case 'task-decided':
      return event.id === id ? { at, text: decisionText(event.decision) } : undefined;
    case 'candidate-judged':
    case 'candidate-dropped':
    case 'landing-waits': {
      const entries = riding.get(event.candidate);
      return entries === undefined ? undefined : trainStep(id, event, entries);
    }
    case 'candidate-built':
    case 'landed':
    case 'delivered':
      return entryStep(id, event);
    case 'run-started':
    case 'run-resumed':
    case 'run-troubled':
    case 'run-verified':
    case 'check-flaked':
    case 'pulls-seen':
    case 'stop-asked':
    case 'run-ended':
    case 'gate-started':
    case 'gate-abandoned':
    case 'target-check-started':
    case 'target-check-ended':
    case 'target-judged':
    case 'target-moved':
      return undefined;
    default:
      return event.id === id ? { at, attempt: event.attempt, ...attemptStep(event) } : undefined;
  }
}

/** Entries of each candidate that contains the task. */
type Riding = ReadonlyMap<string, readonly QueueEntry[]>;

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

function entryStep(
  id: TaskId,
  event: Of<'candidate-built'> | Of<'landed'> | Of<'delivered'>,
): Step | undefined {
  const { at } = event;
  const entry = event.entries.find((one) => isOn(one, id));
  if (entry === undefined) return undefined;
  const what = arrival(event, event.entries.indexOf(entry));
  if (entry.id !== id) return { at, text: `${what}, claimed by ${entry.id}` };
  const coClaims = entry.coClaims ?? [];
  const others = event.entries.filter((one) => one !== entry).map((one) => one.id);
  const beside = others.length === 0 ? '' : ` together with ${others.join(', ')}`;
  const carried = coClaims.length === 0 ? '' : `, with ${coClaims.join(', ')}`;
  return { at, attempt: entry.attempt, text: `${what}${beside}${carried}` };
}

function arrival(
  event: Of<'candidate-built'> | Of<'landed'> | Of<'delivered'>,
  place: number,
): string {
  if (event.type === 'candidate-built') return `candidate built on ${event.on ?? 'the target'}`;
  if (event.type === 'landed') return `landed as ${event.commits?.[place] ?? event.commit}`;
  return `delivered as ${event.url ?? event.branch}`;
}

function trainStep(
  id: TaskId,
  event: Of<'candidate-judged'> | Of<'candidate-dropped'> | Of<'landing-waits'>,
  entries: readonly QueueEntry[],
): Step | undefined {
  const { at } = event;
  if (event.type === 'candidate-dropped') {
    return { at, text: `queued again: the target had moved to ${event.found}` };
  }
  if (event.type === 'landing-waits') {
    return { at, text: 'passed, but landing waits', failure: event.failure };
  }
  // Only the first few of the candidate may have been judged, and the task need not be among them.
  const count = event.count ?? entries.length;
  if (entries.findIndex((entry) => isOn(entry, id)) >= count) return undefined;
  const others = count - 1;
  const beside = others < 1 ? '' : ` with ${counted(others, 'other')}`;
  return { at, ...gateStep(`candidate${beside}`, event) };
}
