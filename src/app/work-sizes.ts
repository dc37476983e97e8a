import { outcomeOf } from '../model/trouble.ts';
import { type WorkSize, workSizeLimits } from '../model/work-size.ts';
import type { Git } from '../port/git.ts';
import type { BusyWorktree, WorkSizes } from '../report/view/slot.ts';
import type { Project } from './ports.ts';

/** Newest count of one worktree. `size` is absent after a failure. */
interface Counted {
  readonly size?: WorkSize;
  /** Time before which it is not counted again. */
  readonly until: number;
}

type CountedWorktrees = ReadonlyMap<string, Counted>;

/** The worktree to count now: the one that has been due for longest. */
function nextToCount(
  worktrees: readonly BusyWorktree[],
  counted: CountedWorktrees,
  now: number,
): BusyWorktree | undefined {
  const dueAt = ({ branch }: BusyWorktree): number => counted.get(branch)?.until ?? 0;
  const [first] = worktrees.filter((one) => dueAt(one) <= now).sort((a, b) => dueAt(a) - dueAt(b));
  return first;
}

/**
 * Returns a function that tells the size of the work in worktrees, by branch, as it was counted last. Each call starts
 * at most one count, which runs meanwhile; only one runs at a time, with a pause after it.
 */
export function countedSizes({
  git,
  clock,
}: Pick<Project, 'clock'> & { readonly git: Pick<Git, 'workSize'> }): (
  worktrees: readonly BusyWorktree[],
) => WorkSizes {
  let counted = new Map<string, Counted>();
  let pausedUntil = 0;
  const count = async ({ branch, dir, base }: BusyWorktree): Promise<void> => {
    pausedUntil = Number.POSITIVE_INFINITY;
    const begin = clock.now();
    const found = await outcomeOf(git.workSize(dir, base));
    const now = clock.now();
    pausedUntil = now + workSizeLimits.pauseMs;
    const isSlow = now - begin > workSizeLimits.wallMs;
    counted.set(
      branch,
      found.ok && !isSlow
        ? { size: found.value, until: now + workSizeLimits.againMs }
        : { until: now + workSizeLimits.retryMs },
    );
  };
  return (worktrees) => {
    const now = clock.now();
    const next = now < pausedUntil ? undefined : nextToCount(worktrees, counted, now);
    if (next !== undefined) void count(next);
    const branches = new Set(worktrees.map(({ branch }) => branch));
    counted = new Map([...counted].filter(([branch]) => branches.has(branch)));
    return new Map(
      [...counted].flatMap(([branch, { size }]) => (size === undefined ? [] : [[branch, size]])),
    );
  };
}
