import { defined } from '../model/defined.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { LearnedTimes } from '../model/forecast.ts';
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

interface ProposalContext {
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
  const problems = read.value.flatMap(({ id, kind }) => {
    if (revise) return unfit(id, kind, byId.get(id)) ?? [];
    const problem = `there is already a task "${id}"`;
    return byId.has(id) ? invalid(name, problem, 'Choose another id, or leave the task out.') : [];
  });
  if (problems.length > 0) return fail(problems);
  const made = read.value.flatMap((one) =>
    one.kind === 'task' ? [taskOf(one, byId.get(one.id)?.task)] : [],
  );
  const tasks = made.flatMap((task) => (task.ok ? [task.value] : []));
  const canceled = read.value.flatMap((one) =>
    one.kind === 'cancel' ? [{ id: one.id, reason: one.reason }] : [],
  );
  const unmade = made.flatMap((task) => (task.ok ? [] : task.failure));
  const effect = checkedChanges(known, { tasks, canceled }, name);
  if (!effect.ok || unmade.length > 0)
    return fail([...unmade, ...(effect.ok ? [] : effect.failure)]);
  const gone = new Set(canceled.map(({ id }) => id));
  const left = known.map((record) => (gone.has(record.task.id) ? withoutWork(record) : record));
  const work = planTasks(left, tasks, times);
  return work.ok ? ok({ tasks, canceled, effect: effect.value, work: work.value }) : work;
}

/** Effect of the changes on the known tasks, or everything that does not fit. `name` names the proposal in failures. */
export function checkedChanges(
  known: readonly TaskRecord[],
  { tasks, canceled }: Pick<PlanProposal, 'tasks' | 'canceled'>,
  name = 'the revision',
): Result<Import, Failures> {
  const effect = importPlan(known, { tasks, sources: [], notes: [] });
  const failures = [
    ...(effect.ok ? [] : effect.failure),
    ...stranded(known, tasks, canceled, name),
  ];
  return failures.length > 0 ? fail(failures) : effect;
}

/** Why a revision cannot have this, given the stored task with its id. */
export function unfit(
  task: TaskId,
  kind: Proposed['kind'],
  before: TaskRecord | undefined,
): Failure | undefined {
  if (before === undefined) return kind === 'cancel' ? { kind: 'unknown-task', task } : undefined;
  const state = stateOf(before);
  const wanted = kind === 'cancel' ? 'cancel' : 'change it';
  const isFixed = finishedStates.has(state) || isBusy(before);
  return isFixed ? { kind: 'task-busy', task, state, wanted } : undefined;
}

function taskOf(
  { id, title, fields, model }: Extract<Proposed, { readonly kind: 'task' }>,
  before: Task | undefined,
): Result<Task, Failures> {
  const base = before ?? newTask({ id, title });
  const labels = model === undefined ? undefined : withModel(base.labels, model);
  return changedTask(base, { ...fields, title, ...defined({ labels }) });
}

function invalid(file: string, problem: string, remedy: string): Failure {
  return { kind: 'source-invalid', file, problem, remedy };
}

/** Unfinished tasks that would wait for a canceled one forever. */
function stranded(
  known: readonly TaskRecord[],
  tasks: readonly Task[],
  canceled: readonly CanceledTask[],
  name: string,
): readonly Failure[] {
  const gone = new Set<TaskId>(canceled.map(({ id }) => id));
  const open = known.filter((record) => !finishedStates.has(stateOf(record)));
  const after = new Map([...open.map(({ task }) => task), ...tasks].map((task) => [task.id, task]));
  return [...after.values()].flatMap((task) => {
    const lost = task.after.filter((id) => gone.has(id));
    if (lost.length === 0 || gone.has(task.id)) return [];
    const problem = `${task.id} waits for ${lost.join(', ')}, which would be canceled`;
    return invalid(name, problem, `Change the "after" of ${task.id}, or cancel it too.`);
  });
}

/** The task as one that is done, so that a plan leaves it out. */
function withoutWork(record: TaskRecord): TaskRecord {
  return { ...record, status: { id: 'skipped', reason: 'canceled' } };
}
