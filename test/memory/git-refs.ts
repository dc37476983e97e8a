import type { RefMove, RefResult } from '../../src/port/git.ts';
import { failed } from './git-reading.ts';
import { order } from './git-trees.ts';

/** Refs with all values that they ever had. */
export class LoggedRefs extends Map<string, string> {
  readonly past = new Map<string, Set<string>>();

  override set(ref: string, commit: string): this {
    const values = this.past?.get(ref) ?? new Set();
    this.past?.set(ref, values.add(commit));
    return super.set(ref, commit);
  }
}

/** Moves all refs or none. */
export function moveAll(
  refs: Map<string, string>,
  hasCommit: (id: string) => boolean,
  moves: readonly RefMove[],
): RefResult {
  if (moves.every(({ ref, to }) => refs.get(ref) === to)) return { id: 'moved' };
  for (const { ref, from, to } of moves) {
    const at = refs.get(ref);
    if (from !== undefined && at !== (from ?? undefined)) {
      return { id: 'stale', detail: `${ref} is at ${at ?? 'nothing'}` };
    }
    if (to !== undefined && !hasCommit(to)) throw failed('moveRefs', `no commit ${to}`);
    const clash = [...refs.keys()].find(
      (other) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`),
    );
    if (to !== undefined && clash !== undefined) throw failed('moveRefs', `${clash} exists`);
  }
  for (const { ref, to } of moves) to === undefined ? refs.delete(ref) : refs.set(ref, to);
  return { id: 'moved' };
}

export function refsBelow(
  refs: ReadonlyMap<string, string>,
  prefix: string,
): readonly { readonly ref: string; readonly commit: string }[] {
  const below = `${prefix.replace(/\/+$/, '')}/`;
  const found = [...refs].filter(([ref]) => ref.startsWith(below));
  return found.map(([ref, commit]) => ({ ref, commit })).sort((a, b) => order(a.ref, b.ref));
}
