import type { HeldCommit } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Inventory, Mismatch } from '../model/inventory.ts';
import type { TaskId } from '../model/task.ts';
import type { Git } from '../port/git.ts';
import { RefIndex } from './ref-index.ts';

/** Commits that a record names, whose ref is gone and which no other ref contains. */
export async function missingRefs(
  { attempts, tasks, refs }: Inventory,
  git: Git,
): Promise<Result<readonly Mismatch[]>> {
  const there = new Set(refs.map(({ ref }) => ref));
  const named: readonly (HeldCommit & { readonly task: TaskId })[] = [
    ...attempts.flatMap(({ task, end }) =>
      end.id === 'failed' ? (end.strays ?? []).map((held) => ({ task, ...held })) : [],
    ),
    ...tasks.flatMap(({ task, handedIn }) =>
      handedIn === undefined ? [] : [{ task: task.id, ...handedIn }],
    ),
  ];
  const gone = named.filter(({ ref }) => !there.has(ref));
  if (gone.length === 0) return ok([]);
  const index = await RefIndex.of(git);
  if (!index.ok) return index;
  const missing: Mismatch[] = [];
  for (const { task, ref, commit } of gone) {
    const holder = await index.value.any(commit);
    if (holder === undefined) missing.push({ id: 'record-without-ref', task, ref, commit });
  }
  return ok(missing);
}
