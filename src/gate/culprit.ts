import { ok, type Result } from '../model/failure.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';

export interface Landing {
  /** Target commit it created. */
  readonly commit: string;
  /** Target commit before it, if that is not the first parent. */
  readonly from?: string;
  readonly tasks: readonly string[];
}

/** True if the target passes at a commit. Undefined: out of time. */
export type Answer = boolean | 'interrupted' | undefined;

export interface Search {
  readonly git: Git;
  /** Commit known to fail: the last landing, or a later commit. */
  readonly tip: string;
  /** Oldest first. */
  readonly landings: readonly Landing[];
  /** Called at most once per commit. */
  readonly isGood: (commit: string) => Promise<Result<Answer>>;
}

/**
 * Bisects for the first landing with which the target fails. Undefined if it failed before the first landing, if a
 * foreign commit is to blame, or if time runs out.
 */
export async function findCulprit({
  git,
  tip,
  landings,
  isGood,
}: Search): Promise<Result<Landing | 'interrupted' | undefined>> {
  const [first] = landings;
  const base = first === undefined ? ok(undefined) : await outcomeOf(before(git, first));
  if (!base.ok) return base;
  if (base.value === undefined) return ok(undefined);
  const start = await isGood(base.value);
  if (!start.ok) return start;
  if (start.value !== true) return ok(noneBut(start.value));
  // Passes at `low`, fails at `high`; the tip may be later than the last landing.
  let low = -1;
  let high = landings.at(-1)?.commit === tip ? landings.length - 1 : landings.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const there = await isGood(landings[middle]?.commit ?? tip);
    if (!there.ok) return there;
    if (typeof there.value !== 'boolean') return ok(noneBut(there.value));
    if (there.value) low = middle;
    else high = middle;
  }
  const culprit = landings[high];
  if (culprit === undefined) return ok(undefined);
  const below = await before(git, culprit);
  const fine = low < 0 ? base.value : landings[low]?.commit;
  if (below === undefined || below === fine) return ok(culprit);
  // Someone else committed to the target between two landings.
  const beneath = await isGood(below);
  if (!beneath.ok) return beneath;
  return ok(beneath.value === true ? culprit : noneBut(beneath.value));
}

const noneBut = (answer: Answer): 'interrupted' | undefined =>
  answer === 'interrupted' ? answer : undefined;

async function before(git: Git, { commit, from }: Landing): Promise<string | undefined> {
  if (from !== undefined) return from;
  const info = await git.commit(commit);
  return info.parents[0];
}
