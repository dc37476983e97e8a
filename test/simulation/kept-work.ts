import { outcomeOf } from '../../src/model/trouble.ts';
import { differences } from '../memory/git-trees.ts';
import { leftovers } from './gate.ts';
import type { Say } from './invariants.ts';
import { attemptKey, turnKey } from './notes.ts';
import type { World } from './world.ts';

/** Invariants about work outside of the captured commits, and about files that nobody wrote as work. */
export async function keptWork(world: World, say: Say): Promise<void> {
  for (const line of world.notes.stale) say(line);
  await straysKept(world, say);
  buriedTold(world, say);
  capturedExactly(world, say);
}

/** Every commit in a stash or on another branch of an agent is on a ref, unless the agent popped it. */
async function straysKept({ git, notes }: World, say: Say): Promise<void> {
  if (notes.strays.size === 0) return;
  const refs = await outcomeOf(git.refs('refs/'));
  const holders = (refs.ok ? refs.value : []).map(({ commit }) => commit);
  for (const [commit, by] of notes.strays) {
    let held = holders.includes(commit);
    for (const holder of held ? [] : holders) {
      const inside = await outcomeOf(git.isAncestor(commit, holder));
      held ||= inside.ok && inside.value;
    }
    if (!held) say(`the stray work of ${by} (${commit}) is on no ref`);
  }
}

/** An attempt that ends with its work in ignored files only was told once, and its failure names an archive of them. */
function buriedTold({ events, notes }: World, say: Say): void {
  const told = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'work-left-out') {
      const by = attemptKey(event.id, event.attempt);
      told.set(by, (told.get(by) ?? 0) + 1);
    }
    if (event.type !== 'attempt-failed' || event.failure.kind !== 'no-changes') continue;
    const by = attemptKey(event.id, event.attempt);
    if (!notes.buried.has(by)) continue;
    if (told.get(by) !== 1) say(`${by} was told ${told.get(by) ?? 0} times of ignored work`);
    const { archive = '', leftOut = [] } = event.failure;
    const kept = notes.archives.get(archive) ?? [];
    if (!leftOut.includes('out') || !kept.includes('out')) say(`ignored work of ${by} is lost`);
  }
}

/** The captured commit has the files that the agent of the turn left, and nothing that a gate left. */
function capturedExactly({ events, git, notes }: World, say: Say): void {
  const turns = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'turn-started') turns.set(attemptKey(event.id, event.attempt), event.turn);
    if (event.type !== 'work-captured') continue;
    const tree = git.tree(event.commit);
    const by = attemptKey(event.id, event.attempt);
    const taken = leftovers.filter((path) => tree.get(path)?.endsWith(`/attempts/${by}`));
    if (taken.length > 0) say(`${by} took ${taken} of a gate`);
    const left = notes.ends.get(turnKey(event.id, event.attempt, turns.get(by) ?? 0));
    if (left === undefined) continue;
    const other = differences(left, tree);
    if (other.length > 0) say(`${event.id} was captured with other files: ${other.join(', ')}`);
  }
}
