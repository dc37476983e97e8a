import type { AttemptRecord } from '../../model/history.ts';
import type { GateRun, QueueStep } from '../../model/queue-history.ts';
import type { TaskId } from '../../model/task.ts';
import { type FailureView, failureView } from '../view/failure.ts';

type StepBody = QueueStep['what'];
type Of<Type extends StepBody['type']> = Extract<StepBody, { type: Type }>;

/** History of a candidate: gates on it and on its prefixes, and the bisection that found the culprit. */
export interface CandidateStory {
  readonly id: string;
  readonly builtAt: number;
  readonly tasks: readonly TaskId[];
  /** The candidate it was built on; absent if built on the target. */
  readonly on?: string;
  /** Gates that ended, in order. Each judged the first branches of the candidate. */
  readonly gates: readonly (Omit<GateRun, 'work'> & {
    readonly tasks: readonly TaskId[];
    readonly endedAt: number;
  })[];
  /** The branch that makes it red: `green` pass without it, `behind` queue again because of it. */
  readonly blamed?: Omit<Of<'blamed'>, 'type' | 'candidate'>;
  /** Branches that the failures point to, if the candidate was split. */
  readonly suspects?: readonly TaskId[];
  /** Branches that landed or were delivered, and when. */
  readonly landed?: { readonly at: number; readonly tasks: readonly TaskId[] };
  /** Time at which it was dropped because the target moved. */
  readonly droppedAt?: number;
}

/** A turn whose work came back to its agent. */
export interface ReturnedRow {
  readonly task: TaskId;
  readonly attempt: number;
  readonly turn: number;
  /** Time at which it came back. */
  readonly at: number;
  readonly why: FailureView;
}

/** The candidates of a run, newest first. */
export function candidateStories(steps: readonly QueueStep[]): readonly CandidateStory[] {
  const stories = new Map<string, CandidateStory>();
  for (const { at, what } of steps) {
    if (what.type === 'built') {
      const { candidate: id, tasks, on } = what;
      stories.set(id, { id, builtAt: at, tasks, on, gates: [] });
    }
    const story = stories.get(candidateOf(what) ?? '');
    if (story !== undefined) stories.set(story.id, continued(story, at, what));
  }
  return [...stories.values()].reverse();
}

function candidateOf(what: StepBody): string | undefined {
  if (what.type !== 'gated') return 'candidate' in what ? what.candidate : undefined;
  return what.run.work.id === 'candidate' ? what.run.work.candidate : undefined;
}

function continued(story: CandidateStory, at: number, what: StepBody): CandidateStory {
  switch (what.type) {
    case 'gated': {
      const { work, ...run } = what.run;
      const tasks = work.id === 'candidate' ? work.tasks : [];
      return { ...story, gates: [...story.gates, { ...run, tasks, endedAt: at }] };
    }
    case 'blamed': {
      const { task, green, behind } = what;
      return { ...story, blamed: { task, green, behind } };
    }
    case 'taken-apart':
      return { ...story, suspects: what.suspects };
    case 'landed':
    case 'delivered': {
      const tasks = [...(story.landed?.tasks ?? []), ...what.tasks];
      return { ...story, landed: { at, tasks } };
    }
    case 'dropped':
      return { ...story, droppedAt: at };
    case 'built':
    case 'conflicted':
      return story;
  }
}

/** Work that came back, newest first. */
export function returnedWork(attempts: readonly AttemptRecord[]): readonly ReturnedRow[] {
  const rows = attempts.flatMap(({ task, number: attempt, turns }) =>
    turns.flatMap(({ outcome, failure, turn, startedAt, end, returnedAt }): ReturnedRow[] => {
      if (outcome !== 'returned' || failure === undefined) return [];
      const at = returnedAt ?? end?.at ?? startedAt;
      return [{ task, attempt, turn, at, why: failureView(failure, task) }];
    }),
  );
  return rows.sort((a, b) => b.at - a.at);
}
