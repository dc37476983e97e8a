import type { RunId, Stop, StopReason } from '../../model/run.ts';
import { type FailureView, failureView } from './failure.ts';
import type { TaskView } from './task.ts';

export interface StopView {
  readonly reason: StopReason;
  readonly failure?: FailureView;
  /** Tasks whose answer, approval or choice it waits for. */
  readonly tasks: readonly string[];
}

type Waiting = Extract<TaskView, { cause: 'answer' | 'approval' | 'choice' }>;

/** Tasks of a run that wait for an answer, an approval or a choice. */
export function waitingIn(tasks: readonly TaskView[], run: RunId): readonly Waiting[] {
  return tasks.filter((task): task is Waiting => 'run' in task && task.run === run);
}

/** `waiting` lists the tasks that wait for a person now. */
export function stopView({ reason, failure }: Stop, waiting: readonly Waiting[]): StopView {
  if (failure === undefined) return { reason, tasks: [] };
  const view = failureView(failure);
  if (reason !== 'question') return { reason, failure: view, tasks: [] };
  if (waiting.length === 0) {
    const remedy = 'Everything was answered; type `ym resume` to continue.';
    return { reason, failure: { ...view, do: remedy }, tasks: [] };
  }
  const needed = [answersNeeded(waiting), approvalsNeeded(waiting), choicesNeeded(waiting)];
  const parts = needed.filter((one) => one !== undefined);
  const more = waiting.length > namesMax ? ' `ym tasks --state blocked` lists them all.' : '';
  const { details: _details, ...rest } = view;
  const details = detailsOf(waiting);
  return {
    reason,
    failure: {
      ...rest,
      what: parts.map(({ what }) => what).join(' '),
      do: `${parts.map((one) => one.do).join(' ')}${more} Then type \`ym resume\`.`,
      details,
    },
    tasks: waiting.map(({ id }) => id),
  };
}

/** All details for one waiting task; one line each for several. */
function detailsOf(waiting: readonly Waiting[]): readonly string[] | undefined {
  const [first] = waiting;
  if (waiting.length === 1 && first !== undefined) return first.failure.details;
  return waiting.slice(0, namesMax).map(({ id, failure }) => `${id}: ${failure.what}`);
}

const namesMax = 8;

interface StepText {
  readonly what: string;
  readonly do: string;
}

function answersNeeded(waiting: readonly Waiting[]): StepText | undefined {
  const asking = waiting.filter(({ cause }) => cause === 'answer');
  const [first] = asking;
  if (first === undefined) return undefined;
  const commands = asking.slice(0, namesMax).map(({ command }) => `\`${command}\``);
  const remedy = `Type ${commands.join(', ')}.`;
  if (asking.length > 1) {
    return { what: `${asking.length} tasks wait for an answer: ${namesOf(asking)}.`, do: remedy };
  }
  const { what } = first.failure;
  return {
    what: what.replace(/^Its agent /, `The agent of ${first.id} `),
    do: remedy,
  };
}

function approvalsNeeded(waiting: readonly Waiting[]): StepText | undefined {
  const awaiting = waiting.filter(({ cause }) => cause === 'approval');
  const [first] = awaiting;
  if (first === undefined) return undefined;
  if (awaiting.length === 1) {
    const { what, do: remedy } = first.failure;
    return { what: what.replace(/^Waits /, `${first.id} waits `), do: remedy };
  }
  const ids = awaiting.slice(0, namesMax).map(({ id }) => id);
  const looks = ids.map((id) => `\`ym why ${id}\``).join(', ');
  return {
    what: `${awaiting.length} tasks wait for your approval: ${namesOf(awaiting)}.`,
    do:
      `Look at ${looks}; then type \`ym approve ${ids.join(' ')}\` to let them land, or ` +
      '`ym reject ID "why"` to send one back to its agent.',
  };
}

function choicesNeeded(waiting: readonly Waiting[]): StepText | undefined {
  const choices = waiting.filter(({ cause }) => cause === 'choice');
  const [first] = choices;
  if (first === undefined) return undefined;
  const commands = choices.slice(0, namesMax).map(({ command }) => `\`${command}\``);
  const looks = choices.slice(0, namesMax).map(({ id }) => `\`ym compare ${id}\``);
  const wait = choices.length === 1 ? `${first.id} waits` : `${choices.length} tasks wait`;
  const names = choices.length === 1 ? '' : `: ${namesOf(choices)}`;
  return {
    what: `${wait} for your choice between variants${names}.`,
    do: `Look at ${looks.join(', ')}; then type ${commands.join(', ')}.`,
  };
}

function namesOf(waiting: readonly Waiting[]): string {
  const names = waiting.slice(0, namesMax).map(({ id }) => id);
  const more = waiting.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
