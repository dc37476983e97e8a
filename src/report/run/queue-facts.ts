import type { QueueStep } from '../../model/queue-history.ts';

/** Numbers about the landings of a run. */
export interface QueueFacts {
  /** How often a landing moved the target, and how often the gate had passed on exactly these branches before. */
  readonly values: number;
  readonly green: number;
  /** Tasks that landed, and gate runs on candidates that ended with a verdict. */
  readonly landed: number;
  readonly gates: number;
}

export const noQueueFacts: QueueFacts = { values: 0, green: 0, landed: 0, gates: 0 };

/** Counts them from the history of the merge queue. */
export function queueFacts(steps: readonly QueueStep[]): QueueFacts {
  const passed = new Set<string>();
  let { values, green, landed, gates } = noQueueFacts;
  for (const { what } of steps) {
    if (what.type === 'gated' && what.run.work.id === 'candidate') {
      const { work, verdict, cached } = what.run;
      if (verdict === 'passed') passed.add(nameOf(work.candidate, work.tasks));
      if ((verdict === 'passed' || verdict === 'failed') && !cached) gates += 1;
    }
    if (what.type === 'landed') {
      values += 1;
      if (passed.has(nameOf(what.candidate, what.tasks))) green += 1;
      landed += what.tasks.length;
    }
  }
  return { values, green, landed, gates };
}

/** A prefix of a candidate ends with its last branch; those before may have landed earlier. */
function nameOf(candidate: string, tasks: readonly string[]): string {
  return `${candidate} ${tasks.at(-1)}`;
}

/** `main green 23/23`; nothing before the first landing. */
export function greenText({ values, green }: QueueFacts, branch: string): string {
  return values === 0 ? '' : `${branch} green ${green}/${values}`;
}

/** `0.41 gates per landing`; nothing before the first landing. */
export function gatesText({ landed, gates }: QueueFacts): string {
  return landed === 0 ? '' : `${(gates / landed).toFixed(2)} gates per landing`;
}
