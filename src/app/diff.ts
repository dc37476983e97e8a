import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { rangeOf } from '../model/history.ts';
import type { TaskId } from '../model/task.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { TaskRecords } from '../port/store.ts';
import { type ChangedFile, changedFiles } from '../report/task/diff.ts';
import { taskNamed } from './lookup.ts';
import type { Opened } from './ports.ts';
import { seeVariants } from './see-variants.ts';

/** Commits that an attempt left: its work is what changed between them. */
export interface AttemptWork {
  readonly task: TaskId;
  readonly attempt: number;
  readonly from: string;
  readonly to: string;
}

export interface AttemptDiff extends AttemptWork {
  readonly patch: string;
  readonly files: readonly ChangedFile[];
}

/** Finds the work of an attempt; without `attempt`, of the newest one. `command` is the one that should name a variant. */
export async function workOf(
  { store }: { readonly store: TaskRecords },
  task: TaskId,
  attempt?: number,
  command = 'diff',
): Promise<Result<AttemptWork>> {
  const record = await taskNamed(store, task);
  if (!record.ok) return record;
  const attempts = await store.attempts({ task });
  if (!attempts.ok) return attempts;
  const number = attempt ?? record.value.attempts;
  const found = attempts.value.find((one) => one.number === number);
  const range = found && rangeOf(found);
  if (range !== undefined) return ok({ task, attempt: number, ...range });
  const { variants } = record.value;
  if (found === undefined && variants !== undefined) {
    return seeVariants(record.value, variants, 'work', (variant, isChosen) =>
      isChosen
        ? `See \`ym ${command} ${variant}\`.`
        : `Compare them with \`ym compare ${task} --diff\`.`,
    );
  }
  return usage(nothingToShow(task, number, record.value.attempts), `See \`ym why ${task}\`.`);
}

function nothingToShow(id: TaskId, number: number, attempts: number): string {
  if (attempts === 0) return `there is nothing to show: no attempt at "${id}" has started`;
  if (number > attempts) {
    const times = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
    return `there is no attempt ${number} of "${id}": it has had ${times}`;
  }
  return `attempt ${number} of "${id}" has left no commit`;
}

type CommitPorts = Pick<Opened, 'git' | 'storeSetting'> & { readonly store: TaskRecords };

/** Says where to look if the work is in another clone; undefined if it is here, or should be. */
export async function workElsewhere(
  { git, store, storeSetting }: CommitPorts,
  { task, attempt, from, to }: AttemptWork,
): Promise<Failure | undefined> {
  if (!storeSetting.ok || storeSetting.value.kind === 'sqlite') return undefined;
  for (const commit of [to, from]) {
    const found = await outcomeOf(git.resolve(commit));
    if (!found.ok || found.value !== undefined) continue;
    const attempts = await store.attempts({ task });
    if (!attempts.ok) return undefined;
    const run = attempts.value.find(({ number }) => number === attempt)?.runs.at(-1);
    return run === undefined ? run : { kind: 'commit-elsewhere', task, attempt, commit, run };
  }
  return undefined;
}

/** The change that an attempt made; without `attempt`, the newest one. */
export async function diffOf(
  ports: CommitPorts,
  task: TaskId,
  attempt?: number,
): Promise<Result<AttemptDiff>> {
  const work = await workOf(ports, task, attempt);
  if (!work.ok) return work;
  const { from, to } = work.value;
  const patch = await outcomeOf(ports.git.diff(from, to));
  if (!patch.ok) return fail((await workElsewhere(ports, work.value)) ?? patch.failure);
  const changes = await ports.git.changes(from, to);
  const files = changedFiles(changes, patch.value);
  return ok({ ...work.value, patch: patch.value, files });
}
