import { type Chooser, type choiceTerms, variantId } from '../model/best-of.ts';
import { defined } from '../model/defined.ts';
import type { RunSettings } from '../model/run.ts';
import type { ObjectOf } from '../model/shape.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { conflictOf } from '../task/conflict.ts';
import { planType } from './agent-pool.ts';

/** Variants of a task, before they are created. */
interface BestOf {
  readonly count: number;
  readonly agents: readonly string[];
  readonly choose: Chooser;
}

/**
 * Attempts side by side that a run makes at a task; undefined for an ordinary attempt. The task itself says how many,
 * else the config for its type, else the config of the run. Tasks that change no files, that resolve a conflict or that
 * a person has handed in have one attempt.
 */
export function bestOfFor(
  { task, handedIn }: Pick<TaskRecord, 'task' | 'handedIn'>,
  { attempts: run, review }: RunSettings,
): BestOf | undefined {
  const own = task.attempts ?? run?.byType[task.type] ?? run;
  if (own === undefined || own.best_of < 2 || handedIn !== undefined) return undefined;
  if (task.type === epicType || task.type === planType || task.variantOf !== undefined) {
    return undefined;
  }
  if (conflictOf(task) !== undefined) return undefined;
  // The choice of a person is also the approval that the config asks for.
  const choose = review?.person === true ? 'person' : (own.choose ?? run?.choose ?? 'auto');
  return { count: own.best_of, agents: own.agents ?? run?.agents ?? [], choose };
}

/** The variants of a task: the same text, an agent for each in turn, and ids that are free. */
export function variantTasks(
  task: Task,
  { count, agents }: BestOf,
  isTaken: (id: TaskId) => boolean,
): readonly Task[] {
  const { attempts: _attempts, wait: _wait, parent: _parent, source: _source, ...text } = task;
  const { applied: _applied, rejected: _rejected, ...same } = text;
  const taken = new Set<TaskId>();
  return Array.from({ length: count }, (_, at) => {
    const wanted = variantId(task.id, at + 1);
    let id = wanted;
    for (let n = 2; isTaken(id) || taken.has(id); n += 1) id = `${wanted}-${n}`;
    taken.add(id);
    const agent = agents[at % agents.length];
    return { ...same, id, variantOf: task.id, ...defined({ agent: agent ?? task.agent }) };
  });
}

/** Terms of the choice between variants that a run creates. */
export function termsOf(
  { choose }: BestOf,
  { attempts, review }: RunSettings,
): ObjectOf<typeof choiceTerms> {
  const chooser = choose === 'auto' ? (attempts?.chooser ?? review?.reviewers[0]) : undefined;
  return { choose, chooser, waitMs: attempts?.waitMs };
}

/** The tasks that agents work on: variants in place of tasks that get them. */
export function tasksAtWork(tasks: readonly Task[], settings: RunSettings): readonly Task[] {
  return tasks.flatMap((task) => {
    const bestOf = bestOfFor({ task }, settings);
    return bestOf === undefined ? [task] : variantTasks(task, bestOf, () => false);
  });
}
