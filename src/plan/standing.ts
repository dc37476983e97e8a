import { type Records, type Standing, satisfies, type TaskRecord } from './record.ts';

/** The one place where a standing changes, because the children's counters must change with it. */
export function setStanding(
  records: Records,
  record: TaskRecord,
  standing: Standing,
  at: number,
): void {
  const before = satisfies(record);
  const next = { ...record, standing };
  records.putTask(next);
  const after = satisfies(next);
  if (before === after) return;
  for (const id of records.children(record.task.id)) {
    const child = records.task(id);
    if (child === undefined) continue;
    const blockers = Math.max(0, child.blockers + (after ? -1 : 1));
    records.putTask(
      blockers === 0 && child.blockers > 0
        ? { ...child, blockers, readySince: at }
        : { ...child, blockers },
    );
  }
}
