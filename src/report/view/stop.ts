import type { Failure } from '../../model/failure.ts';
import { given } from '../../model/given.ts';
import type { RunId, Stop, StopReason } from '../../model/run.ts';
import type { TaskId } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { explain } from '../explain/explain.ts';
import { printable } from '../format/printable.ts';
import { type FailureView, failureView } from './failure.ts';
import { standstillFailure } from './standstill.ts';

export interface StopView {
  readonly reason: StopReason;
  readonly failure?: FailureView;
  /** Tasks that wait for a person. */
  readonly tasks?: readonly string[];
}

/** A task that waits for an answer or an approval. */
export interface ForPerson {
  readonly task: TaskId;
  readonly kind: 'answer' | 'approval';
  readonly failure: Failure;
}

const stopTexts = {
  cancelled: 'stopped at once on request',
  'stop-asked': 'stopped on request',
  'budget-tokens': 'stopped: not enough of the token budget is left',
  'budget-cost': 'stopped: not enough of the cost budget is left',
  'budget-wall': 'stopped: the time budget is used up',
  'max-attempts': 'stopped: no agent starts left',
  environment: 'stopped: a problem outside the tasks',
  quota: 'stopped: an account is paused for longer than the run waits',
  'slot-errors': 'stopped: too many errors in a row',
  question: 'stopped: an agent waits for an answer',
  drained: 'ended: nothing left to do',
  died: 'died: its process is gone',
} as const satisfies Readonly<Record<StopReason, string>>;

export function stopText({ reason, failure }: Stop | StopView): string {
  if (reason === 'question' && failure?.kind === 'approval-needed') {
    return 'stopped: work waits for your approval';
  }
  return stopTexts[reason] ?? `ended: ${printable(String(reason))}`;
}

/** Tasks of a run that wait for a person. */
export function waitingForPerson(
  records: readonly TaskRecord[],
  run: RunId | undefined,
): readonly ForPerson[] {
  return records.flatMap(({ task, attempt, status }): ForPerson[] => {
    if (attempt === undefined || status.id !== 'open' || attempt.run !== run) return [];
    const failure = standstillFailure(attempt.state);
    if (failure === undefined) return [];
    if (attempt.state.id === 'asking') return [{ task: task.id, kind: 'answer', failure }];
    return attempt.state.id === 'awaiting' ? [{ task: task.id, kind: 'approval', failure }] : [];
  });
}

/** `waiting` lists the tasks that wait for a person now; absent if unknown. */
export function stopView({ reason, failure }: Stop, waiting?: readonly ForPerson[]): StopView {
  if (failure === undefined) return { reason };
  const view = failureView(failure);
  if (reason !== 'question' || waiting === undefined) return { reason, failure: view };
  if (waiting.length === 0) {
    const remedy = 'Everything was answered; type `ym resume` to continue.';
    return { reason, failure: { ...view, do: remedy } };
  }
  const parts = [answersNeeded(waiting), approvalsNeeded(waiting)].filter(
    (one) => one !== undefined,
  );
  const more = waiting.length > namesMax ? ' `ym tasks --state blocked` lists them all.' : '';
  const { details: _details, ...rest } = view;
  const details = detailsOf(waiting);
  return {
    reason,
    failure: {
      ...rest,
      what: parts.map(({ what }) => what).join(' '),
      do: `${parts.map((one) => one.do).join(' ')}${more} Then type \`ym resume\`.`,
      ...given({ details }),
    },
    tasks: waiting.map(({ task }) => task),
  };
}

/** All details for one waiting task; one line each for several. */
function detailsOf(waiting: readonly ForPerson[]): readonly string[] | undefined {
  const [first] = waiting;
  if (waiting.length === 1 && first !== undefined) {
    return explain(first.failure, first.task).details;
  }
  return waiting
    .slice(0, namesMax)
    .map(({ task, failure }) => printable(`${task}: ${explain(failure, task).what}`));
}

const namesMax = 8;

interface StepText {
  readonly what: string;
  readonly do: string;
}

function answersNeeded(waiting: readonly ForPerson[]): StepText | undefined {
  const asking = waiting.filter(({ kind }) => kind === 'answer');
  const [first] = asking;
  if (first === undefined) return undefined;
  const commands = asking.slice(0, namesMax).map(({ task }) => `\`ym answer ${task} "…"\``);
  const remedy = `Type ${commands.join(', ')}.`;
  if (asking.length > 1) {
    return { what: `${asking.length} tasks wait for an answer: ${namesOf(asking)}.`, do: remedy };
  }
  const { what } = explain(first.failure, first.task);
  return {
    what: what.replace(/^Its agent /, `The agent of ${printable(first.task)} `),
    do: remedy,
  };
}

function approvalsNeeded(waiting: readonly ForPerson[]): StepText | undefined {
  const awaiting = waiting.filter(({ kind }) => kind === 'approval');
  const [first] = awaiting;
  if (first === undefined) return undefined;
  if (awaiting.length === 1) {
    const { what, do: remedy } = explain(first.failure, first.task);
    return { what: what.replace(/^Waits /, `${printable(first.task)} waits `), do: remedy };
  }
  const ids = awaiting.slice(0, namesMax).map(({ task }) => printable(task));
  const looks = ids.map((id) => `\`ym why ${id}\``).join(', ');
  return {
    what: `${awaiting.length} tasks wait for your approval: ${namesOf(awaiting)}.`,
    do:
      `Look at ${looks}; then type \`ym approve ${ids.join(' ')}\` to let them land, or ` +
      '`ym reject ID "why"` to send one back to its agent.',
  };
}

function namesOf(waiting: readonly ForPerson[]): string {
  const names = waiting.slice(0, namesMax).map(({ task }) => printable(task));
  const more = waiting.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
