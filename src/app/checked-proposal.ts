import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import { given } from '../model/given.ts';
import { newTask, type Task, type TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { withModel } from '../plan/model.ts';
import { finishedStates } from '../source/merge.ts';
import { inFile } from '../source/plan-file.ts';
import { type Proposed, proposalBlock, readProposal } from '../source/proposal.ts';
import { type PlannedWork, planTasks } from './plan.ts';
import type { Failures } from './ports.ts';
import { type CanceledTask, changedTask, type Import, importPlan, isBusy } from './tasks.ts';

/** A valid proposal of an agent. Nothing of it is stored. */
export interface PlanProposal {
  /** New tasks, and changed ones as a whole. */
  readonly tasks: readonly Task[];
  readonly canceled: readonly CanceledTask[];
  readonly effect: Import;
  /** The order of work, as if the proposal were stored. */
  readonly work: PlannedWork;
}

export interface ProposalContext {
  readonly agent: string;
  readonly known: readonly TaskRecord[];
  /** True if the proposal may change and cancel known tasks. */
  readonly revise: boolean;
  readonly times?: LearnedTimes;
}

/** The proposal in an answer, or everything that is wrong with it. */
export function checkedProposal(
  answer: string,
  { agent, known, revise, times }: ProposalContext,
): Result<PlanProposal, Failures> {
  const name = `the ${proposalBlock} block of ${agent}`;
  const read = inFile(name, readProposal(answer, { revise }));
  if (!read.ok) return read;
  const byId = new Map(known.map((record) => [record.task.id, record]));
  const invalid = (problem: string, remedy: string): Failure => {
    return { kind: 'source-invalid', file: name, problem, remedy };
  };
  const problems = read.value.flatMap((one) => {
    const before = byId.get(one.id);
    if (before === undefined || revise) return unfit(one, before) ?? [];
    const problem = `there is already a task "${one.id}"`;
    return invalid(problem, 'Choose another id, or leave the task out.');
  });
  if (problems.length > 0) return fail(problems);
  const made = read.value.flatMap((one) =>
    one.kind === 'task' ? [taskOf(one, byId.get(one.id)?.task)] : [],
  );
  const tasks = made.flatMap((task) => (task.ok ? [task.value] : []));
  const canceled = read.value.flatMap((one) =>
    one.kind === 'cancel' ? [{ id: one.id, reason: one.reason }] : [],
  );
  const effect = importPlan(known, { tasks, sources: [], notes: [] });
  const failures = [
    ...made.flatMap((task) => (task.ok ? [] : task.failure)),
    ...(effect.ok ? [] : effect.failure),
    ...stranded(known, tasks, canceled, invalid),
  ];
  if (!effect.ok || failures.length > 0) return fail(failures);
  const gone = new Set(canceled.map(({ id }) => id));
  const left = known.map((record) => (gone.has(record.task.id) ? withoutWork(record) : record));
  const work = planTasks(left, tasks, times);
  return work.ok ? ok({ tasks, canceled, effect: effect.value, work: work.value }) : work;
}

/** Why a revision cannot have this, given the stored task with its id. */
function unfit(one: Proposed, before: TaskRecord | undefined): Failure | undefined {
  if (before === undefined) {
    return one.kind === 'cancel' ? { kind: 'unknown-task', task: one.id } : undefined;
  }
  const state = stateOf(before);
  const wanted = one.kind === 'cancel' ? 'cancel it' : 'change it';
  const isFixed = finishedStates.has(state) || isBusy(before);
  return isFixed ? { kind: 'task-busy', task: one.id, state, wanted } : undefined;
}

function taskOf(
  { id, title, fields, model }: Extract<Proposed, { readonly kind: 'task' }>,
  before: Task | undefined,
): Result<Task, Failures> {
  const base = before ?? newTask({ id, title });
  const labels = model === undefined ? undefined : withModel(base.labels, model);
  return changedTask(base, { ...fields, title, ...given({ labels }) });
}

/** Unfinished tasks that would wait for a canceled one forever. */
function stranded(
  known: readonly TaskRecord[],
  tasks: readonly Task[],
  canceled: readonly CanceledTask[],
  invalid: (problem: string, remedy: string) => Failure,
): readonly Failure[] {
  const gone = new Set<TaskId>(canceled.map(({ id }) => id));
  const open = known.filter((record) => !finishedStates.has(stateOf(record)));
  const after = new Map([...open.map(({ task }) => task), ...tasks].map((task) => [task.id, task]));
  return [...after.values()].flatMap((task) => {
    const lost = task.after.filter((id) => gone.has(id));
    if (lost.length === 0 || gone.has(task.id)) return [];
    const problem = `${task.id} waits for ${lost.join(', ')}, which would be canceled`;
    return invalid(problem, `Change the "after" of ${task.id}, or cancel it too.`);
  });
}

/** The task as one that is done, so that a plan leaves it out. */
function withoutWork(record: TaskRecord): TaskRecord {
  return { ...record, status: { id: 'skipped', reason: 'canceled' } };
}
