import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import type { Store, TaskRecords } from '../port/store.ts';
import { type ComparedRecord, type CompareView, compareView } from '../report/task/compare.ts';
import { groupOf } from './choose.ts';
import { diffOf } from './diff.ts';
import { runsUnderWay } from './liveness.ts';
import type { Liveness, Opened } from './ports.ts';

type RecordsWithRuns = TaskRecords & Pick<Store, 'runs'>;

export async function compareVariants(
  ports: Liveness & { readonly store: RecordsWithRuns },
  id: TaskId,
): Promise<Result<CompareView>> {
  const group = await groupOf(ports, id);
  if (!group.ok) return group;
  const variants: ComparedRecord[] = [];
  for (const record of group.value.variants) {
    const attempts = await ports.store.attempts({ task: record.task.id });
    if (!attempts.ok) return attempts;
    variants.push({ record, attempts: attempts.value });
  }
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  return ok(compareView(group.value.original, variants, runsUnderWay(ports, runs.value)));
}

interface VariantPatch {
  readonly id: TaskId;
  readonly patch: string;
}

/** Changes of all variants that have left a commit. */
export async function variantPatches(
  ports: Pick<Opened, 'git' | 'storeSetting'> & { readonly store: TaskRecords },
  { variants }: CompareView,
): Promise<Result<readonly VariantPatch[]>> {
  const patches: VariantPatch[] = [];
  for (const { id, commit } of variants) {
    if (commit === undefined) continue;
    const diff = await diffOf(ports, id);
    if (!diff.ok) return diff;
    patches.push({ id, patch: diff.value.patch });
  }
  return ok(patches);
}
