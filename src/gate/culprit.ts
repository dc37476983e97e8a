import type { Git } from '../git/git.ts';
import { ok, type Result } from '../model/failure.ts';

/** One landing of a run. */
export interface Landing {
  /** The target's commit that it made. */
  readonly commit: string;
  /** The target's commit before, where that is not the first parent. */
  readonly from?: string;
  readonly tasks: readonly string[];
}

/** Whether the target was fine at a commit. Undefined: there was no time left to find out. */
export type Answer = boolean | 'interrupted' | undefined;

export interface Search {
  readonly git: Git;
  /** A commit that is known not to be fine: the last landing, or something on top of it. */
  readonly tip: string;
  /** Oldest first. */
  readonly landings: readonly Landing[];
  /** Asked at most once for a commit. */
  readonly isGood: (commit: string) => Promise<Result<Answer>>;
}

/**
 * The first landing with which the target is not fine, found by halving. None where it was not before the first one
 * already, where somebody else's commit is to blame, or where the time is up before it is found.
 */
export async function findCulprit({
  git,
  tip,
  landings,
  isGood,
}: Search): Promise<Result<Landing | 'interrupted' | undefined>> {
  const [first] = landings;
  const base = first === undefined ? ok(undefined) : await before(git, first);
  if (!base.ok) return base;
  if (base.value === undefined) return ok(undefined);
  const start = await isGood(base.value);
  if (!start.ok) return start;
  if (start.value !== true) return ok(noneBut(start.value));
  // Fine at `low`, not at `high`; the tip may be further on than the last landing.
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
  if (!below.ok) return below;
  const fine = low < 0 ? base.value : landings[low]?.commit;
  if (below.value === undefined || below.value === fine) return ok(culprit);
  // Somebody committed to the target between two landings.
  const beneath = await isGood(below.value);
  if (!beneath.ok) return beneath;
  return ok(beneath.value === true ? culprit : noneBut(beneath.value));
}

const noneBut = (answer: Answer): 'interrupted' | undefined =>
  answer === 'interrupted' ? answer : undefined;

async function before(git: Git, { commit, from }: Landing): Promise<Result<string | undefined>> {
  if (from !== undefined) return ok(from);
  const info = await git.commit(commit);
  return info.ok ? ok(info.value.parents[0]) : info;
}
