import type { ProcessSpec } from '../../src/port/processes.ts';
import type { MemoryGit } from '../memory/git.ts';
import type { Behavior } from '../memory/processes.ts';
import type { Chance } from './chance.ts';
import type { Notes } from './notes.ts';
import { failingTests, outputOf } from './tests-first.ts';

/** Files that gates leave in their worktree: one that git ignores and one that it does not. */
export const leftovers = ['out/cache', 'report'] as const;

/**
 * The gate of this world: a tree fails if it contains anything broken, a test of work that is missing, or two partners
 * whose conflict nobody has fixed.
 */
export function isGreen(files: ReadonlyMap<string, string>): boolean {
  let partners = 0;
  for (const [path, content] of files) {
    if (path.startsWith('broken/') && content === 'yes') return false;
    if (path.startsWith('needs/')) partners += 1;
  }
  if (failingTests(files).length > 0) return false;
  return partners < 2 || files.get('fixed') === 'yes';
}

interface GateWorld {
  readonly git: MemoryGit;
  readonly chance: Chance;
  readonly notes: Notes;
}

/** A gate leaves files behind. One that finds such files in a gate worktree comes to the opposite verdict. */
export function gateBehavior(
  { git, chance, notes }: GateWorld,
  slowest: number,
  { cwd, dir }: ProcessSpec,
): Behavior {
  const files = git.files(cwd);
  const commit = git.headFiles(cwd);
  const others = leftovers.filter((path) => files.get(path) !== commit.get(path));
  // A branch is judged where its agent works, with ignored files of earlier gates and turns.
  const stale = dir.includes('/attempts/') ? [] : others;
  if (stale.length > 0) notes.stale.push(`the gate in ${dir} found ${stale.join(', ')}`);
  const green = isGreen(files) !== stale.length > 0;
  const left = leftovers.filter(() => chance.happens(0.3));
  return {
    ms: chance.between(10, slowest),
    end: { id: 'exited', code: green ? 0 : 1 },
    output: green ? '' : `red\n${outputOf(failingTests(files))}`,
    effect: () => {
      if (git.has(cwd)) for (const path of left) git.write(cwd, path, dir);
    },
  };
}
