import type { Car, Event } from '../model/event.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { isNoGate } from './gateless.ts';
import { callSays, resultSays, takenBy } from './turnwords.ts';

/** One thing that happened to a task, as a person tells it. */
export interface Step {
  readonly at: number;
  readonly attempt?: number;
  readonly says: string;
  readonly failure?: Failure;
}

/** The story of one task out of its events. Events of other tasks are passed over. */
export function historyOf(id: TaskId, events: readonly Event[]): Step[] {
  const riding = new Set<string>();
  const told: Told = {};
  const steps = events.flatMap((event) => {
    if (event.type === 'candidate-built' && event.cars.some((car) => isOn(car, id))) {
      riding.add(event.candidate);
    }
    const step = stepOf(id, event, riding);
    return step === undefined ? [] : [inContext(step, event, told)];
  });
  // A landing that waits is tried again and again; that is one step.
  return steps.filter((step, at) => !isSame(step, steps[at - 1]));
}

function isSame(step: Step, before: Step | undefined): boolean {
  return (
    step.failure !== undefined &&
    step.says === before?.says &&
    JSON.stringify(step.failure) === JSON.stringify(before.failure)
  );
}

/** What earlier events say about the meaning of a later one. */
interface Told {
  decision?: string;
  commit?: string;
}

function inContext(step: Step, event: Event, told: Told): Step {
  if (event.type === 'task-decided') told.decision = event.decision.kind;
  if (event.type === 'attempt-started') {
    delete told.decision;
    delete told.commit;
  }
  if (event.type === 'work-captured') {
    const same = told.commit === event.commit;
    told.commit = event.commit;
    return same ? { ...step, says: `nothing new; work is still ${event.commit}` } : step;
  }
  // An agent that was ended because of a person's word was not ended by the run's own wish.
  const ended = step.failure?.kind === 'interrupted' && told.decision !== undefined;
  return ended ? { ...step, failure: { kind: 'interrupted', by: 'a person' } } : step;
}

function stepOf(id: TaskId, event: Event, riding: ReadonlySet<string>): Step | undefined {
  const { at } = event;
  switch (event.type) {
    case 'task-added':
      return event.task.id === id ? { at, says: 'added' } : undefined;
    case 'task-changed':
      return event.task.id === id ? { at, says: 'changed by its source' } : undefined;
    case 'task-decided': {
      if (event.id !== id) return undefined;
      const { decision } = event;
      const reason = decision.kind === 'answer' ? decision.text : decision.reason;
      const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
      return { at, says: `${decisionWords[decision.kind]} by a person${why}` };
    }
    case 'target-judged':
      return undefined;
    case 'candidate-judged':
    case 'candidate-dropped':
    case 'landing-waits':
      return riding.has(event.candidate) ? trainStep(event) : undefined;
    case 'candidate-built':
    case 'landed': {
      const car = event.cars.find((one) => isOn(one, id));
      if (car === undefined) return undefined;
      const what = event.type === 'landed' ? `landed as ${event.commit}` : 'coupled to the target';
      if (car.id !== id) return { at, says: `${what}, riding with ${car.id}` };
      const riders = car.riders ?? [];
      const says = riders.length === 0 ? what : `${what}, with ${riders.join(', ')}`;
      return { at, attempt: car.attempt, says };
    }
    case 'run-started':
    case 'run-resumed':
    case 'run-troubled':
    case 'stop-asked':
    case 'run-ended':
      return undefined;
    default:
      return event.id === id ? attemptStep(event) : undefined;
  }
}

/** Whether the task is the car's own, or rides in it. */
function isOn(car: Car, id: TaskId): boolean {
  return car.id === id || car.riders?.includes(id) === true;
}

const decisionWords = {
  answer: 'answered',
  retry: 'let go again',
  cancel: 'cancelled',
  skip: 'skipped',
  block: 'blocked',
  unblock: 'unblocked',
} as const;

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

function gateSays(
  where: string,
  { gate, verdict, cached }: Of<'candidate-judged'> | Of<'branch-judged'>,
): string {
  if (isNoGate(gate)) return `no gate for the ${where}`;
  return `gate on the ${where}: ${verdict.id}${cached ? ' (known)' : ''}`;
}

function trainStep(
  event: Of<'candidate-judged'> | Of<'candidate-dropped'> | Of<'landing-waits'>,
): Step {
  const { at } = event;
  if (event.type === 'candidate-dropped') {
    return { at, says: `queued again: the target had moved to ${event.found}` };
  }
  if (event.type === 'landing-waits') {
    return { at, says: 'green, but the landing waits', failure: event.failure };
  }
  const says = gateSays('candidate', event);
  return event.verdict.id === 'passed'
    ? { at, says }
    : { at, says, failure: event.verdict.failure };
}

function attemptStep(
  event: Of<
    | 'attempt-started'
    | 'worktree-ready'
    | 'turn-started'
    | 'agent-said'
    | 'turn-ended'
    | 'work-captured'
    | 'work-planned'
    | 'branch-judged'
    | 'attempt-given-up'
    | 'attempt-failed'
    | 'coupling-refused'
  >,
): Step {
  const { at, attempt } = event;
  switch (event.type) {
    case 'attempt-started':
      return { at, attempt, says: `attempt ${attempt} in slot ${event.slot} by ${event.agent}` };
    case 'worktree-ready':
      return { at, attempt, says: `worktree at ${event.base}` };
    case 'turn-started':
      return { at, attempt, says: `turn ${event.turn} started${takenBy(event)}` };
    case 'agent-said':
      return { at, attempt, says: callSays(event.call) };
    case 'turn-ended': {
      const says = `turn ${event.turn} ${resultSays(event.result)}`;
      return event.result.ok
        ? { at, attempt, says }
        : { at, attempt, says, failure: event.result.failure };
    }
    case 'work-captured':
      return { at, attempt, says: `work is ${event.commit}, committed by the ${event.by}` };
    case 'work-planned':
      return { at, attempt, says: `nothing to land; filed ${event.filed.join(', ') || 'no task'}` };
    case 'branch-judged': {
      const says = gateSays('branch', event);
      return event.verdict.id === 'passed'
        ? { at, attempt, says }
        : { at, attempt, says, failure: event.verdict.failure };
    }
    case 'attempt-given-up':
      return { at, attempt, says: 'given up', failure: event.failure };
    case 'attempt-failed': {
      const left =
        event.left === undefined ? 'nothing to keep' : `its work is left in ${event.left}`;
      const kept = event.kept === undefined ? left : `work kept as ${event.kept}`;
      return { at, attempt, says: `attempt ${attempt} ended, ${kept}`, failure: event.failure };
    }
    case 'coupling-refused':
      return { at, attempt, says: 'sent back by the train', failure: event.failure };
    default:
      return unreachable(event);
  }
}
