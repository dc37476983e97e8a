import type { Attempt } from '../../model/attempt.ts';
import { changedFiles } from '../../model/attempt-state.ts';
import type { Choice } from '../../model/best-of.ts';
import type { AttemptRecord } from '../../model/history.ts';
import type { RunId } from '../../model/run.ts';
import { choiceOf, type TaskRecord } from '../../model/task-record.ts';
import { tokensOf } from '../../model/turn.ts';
import { isRedByGate, rootFailure } from '../../task/red-work.ts';
import { choiceText, withdrawnText } from '../event/choice.ts';
import { amount, counted, dollars, shortAmount } from '../format/amount.ts';
import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { shortCommit, span } from '../format/time.ts';
import { recordStateText, type WithdrawnView, withdrawnView } from '../view/state.ts';
import { stateText } from '../view/state-text.ts';
import { taskViewer } from '../view/task.ts';
import { haveDifferentBases } from './different-bases.ts';

/** Version of what `ym compare ID --json` prints. */
export const compareSchema = 1;

/** The variants of a task side by side. */
export interface CompareView {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  /** Target commit that their first attempts started from. */
  readonly base: string;
  readonly choice?: Choice;
  /** The newest choice whose variant was given up before it landed, until the task has ended. */
  readonly withdrawn?: WithdrawnView;
  readonly variants: readonly VariantView[];
}

/** One variant: what became of it, its change, and what it has cost over all attempts. */
export interface VariantView {
  readonly number: number;
  readonly id: string;
  readonly state: string;
  readonly agent: string;
  readonly attempts: number;
  /** Result of the gate on its newest work alone. */
  readonly gate: 'passed' | 'failed' | 'not run';
  readonly commit?: string;
  readonly branch?: string;
  /** Target commit that its newest work contains; absent before it has started. */
  readonly base?: string;
  readonly files: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly turns: number;
  readonly tokens: number;
  /** Absent if no agent reported a cost. */
  readonly costUsd?: number;
  /** Time that its agents worked. */
  readonly ms: number;
}

export interface ComparedRecord {
  readonly record: TaskRecord;
  readonly attempts: readonly AttemptRecord[];
}

export function compareView(
  original: TaskRecord,
  variants: readonly ComparedRecord[],
  underWay: readonly RunId[],
): CompareView {
  const { id, title } = original.task;
  return {
    id,
    title,
    state: recordStateText(original),
    base: original.variants?.base ?? '',
    choice: choiceOf(original),
    withdrawn: withdrawnView(original),
    variants: variants.map((one, at) => ({
      ...variantView(one, at + 1),
      state: shownState(one.record, underWay),
    })),
  };
}

function shownState(record: TaskRecord, underWay: readonly RunId[]): string {
  return stateText(taskViewer([record], { run: undefined, underWay, now: 0 })(record));
}

function variantView(
  { record, attempts }: ComparedRecord,
  number: number,
): Omit<VariantView, 'state'> {
  const { task, attempt } = record;
  const turns = attempts.flatMap((one) => one.turns);
  const ended = turns.flatMap(({ startedAt, end }) => (end ? [{ ...end, startedAt }] : []));
  // A choice is made for all of them.
  const calls = attempts.flatMap((one) => one.calls.filter(({ kind }) => kind !== 'choose'));
  const usages = [...ended, ...calls.flatMap(({ end }) => end ?? [])].flatMap(
    ({ usage }) => usage ?? [],
  );
  const costs = usages.flatMap(({ costUsd }) => costUsd ?? []);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const { added = 0, removed = 0 } = attempt?.captured?.changes ?? {};
  const newest = attempts.at(-1);
  const base = newest?.captures.at(-1)?.base ?? newest?.base;
  return {
    number,
    id: task.id,
    agent: attempt?.agent ?? task.agent ?? '',
    attempts: record.attempts,
    gate: gateOf(attempt),
    commit: attempt?.captured?.commit,
    branch: attempt?.branch,
    base,
    files: attempt === undefined ? [] : changedFiles(attempt),
    added,
    removed,
    turns: turns.length,
    tokens: sum(usages.map(tokensOf)),
    ...(costs.length === 0 ? {} : { costUsd: sum(costs) }),
    ms: sum(ended.map(({ at, startedAt }) => at - startedAt)),
  };
}

function gateOf(attempt: Attempt | undefined): VariantView['gate'] {
  if (attempt?.captured?.judged !== true) return 'not run';
  const { state, returns } = attempt;
  const failure = 'failure' in state ? state.failure : returns.because;
  const isRed = failure !== undefined && isRedByGate(rootFailure(failure));
  return isRed ? 'failed' : 'passed';
}

/** Files of each variant that are listed; `ym diff` shows all. */
const filesShown = 8;

export function compareText(view: CompareView, style: Style, width: number): readonly string[] {
  const { id, title, state, base, choice, withdrawn, variants } = view;
  const chosen = [
    ...(withdrawn === undefined ? [] : [withdrawnText(withdrawn)]),
    ...(choice === undefined ? [] : [`${choiceText(choice)}.`]),
  ].flatMap((text) => wrap(text, width));
  const differ = haveDifferentBases(variants);
  const shared = variants.find((one) => one.base !== undefined)?.base ?? base;
  const from = differ ? 'different commits of the target' : shortCommit(shared);
  const rows = variants.map((one) => [
    `${one.number}${one.id === choice?.variant ? '*' : ''}`,
    one.state,
    ...(differ ? [one.base === undefined ? '' : shortCommit(one.base)] : []),
    one.agent,
    one.gate,
    `+${amount(one.added)} -${amount(one.removed)}`,
    String(one.files.length),
    one.tokens === 0 ? '' : shortAmount(one.tokens),
    one.costUsd === undefined ? '' : dollars(one.costUsd),
    one.ms === 0 ? '' : span(one.ms),
    String(one.attempts),
  ]);
  const right = (name: string, yields: number) =>
    ({ title: name, align: 'right', yields }) as const;
  const columns = [
    '#',
    { title: 'state', gives: true },
    ...(differ ? ['base'] : []),
    { title: 'agent', yields: 6 },
    'gate',
    right('lines', 7),
    right('files', 2),
    right('tokens', 3),
    right('cost', 5),
    right('time', 4),
    right('attempts', 1),
  ];
  return [
    ...wrap(`${id}  ${title}`, width).map(style.bold),
    ...wrap(`${state}; ${counted(variants.length, 'variant')} from ${from}`, width),
    ...chosen,
    '',
    ...table(columns, rows, width, style.bold),
    '',
    ...variants.flatMap((one) => fileLines(one, width)),
    ...nextLines(view, width),
  ];
}

function fileLines({ number, id, files, commit }: VariantView, width: number): readonly string[] {
  if (commit === undefined) return [];
  const more = files.length > filesShown ? [`${files.length - filesShown} more`] : [];
  const named = [...files.slice(0, filesShown), ...more].join(', ') || 'no files';
  return wrap(`${number}  ${id} ${shortCommit(commit)}: ${named}`, width);
}

function nextLines({ id, choice, variants }: CompareView, width: number): readonly string[] {
  const isOpen = choice === undefined && variants.some(({ state }) => state === 'finished');
  const see = `See \`ym compare ${id} --diff\`, or \`ym diff ${variants[0]?.id ?? id}\` for one of them.`;
  const choose = isOpen ? wrap(`Choose with \`ym choose ${id} N\`.`, width) : [];
  return ['', ...wrap(see, width), ...choose];
}
