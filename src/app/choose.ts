import { ok, type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { choiceOf, type TaskRecord } from '../model/task-record.ts';
import { isFinished } from '../plan/fold-variants.ts';
import type { TaskRecords } from '../port/store.ts';
import { recordStateText } from '../report/view/state.ts';
import { taskNamed, willContinue } from './lookup.ts';
import type { Liveness, Opened } from './ports.ts';

type Choosing = Liveness & Pick<Opened, 'store' | 'clock'>;

/** A task with its variants, in order. */
export interface Group {
  readonly original: TaskRecord;
  readonly variants: readonly TaskRecord[];
}

/** The variants of a task, which may be named by one of them. */
export async function groupOf(
  { store }: { readonly store: TaskRecords },
  id: TaskId,
): Promise<Result<Group>> {
  const named = await taskNamed(store, id);
  if (!named.ok) return named;
  const { variantOf } = named.value.task;
  const original = variantOf === undefined ? named : await taskNamed(store, variantOf);
  if (!original.ok) return original;
  const variants: TaskRecord[] = [];
  for (const one of original.value.variants?.ids ?? []) {
    const variant = await store.task(one);
    if (!variant.ok) return variant;
    if (variant.value !== undefined) variants.push(variant.value);
  }
  if (variants.length > 0) return ok({ original: original.value, variants });
  const { id: name, attempts } = original.value.task;
  if (attempts !== undefined && attempts.best_of > 1 && original.value.status.id === 'open') {
    const problem = `task ${name} has no variants yet: ${attempts.best_of} of them start with the next run`;
    return usage(problem, `Type \`ym run --only ${name}\`.`);
  }
  return usage(
    `task ${name} has no variants`,
    'Add a task with `ym add --best-of 3`, or start a run with `ym run --best-of 3`.',
  );
}

/** Result of a person's choice. */
export interface Chosen {
  readonly variant: TaskId;
  readonly willContinue: boolean;
}

/** Stores a person's choice between finished variants. `which` is the number of a variant or its id. */
export async function chooseVariant(
  ports: Choosing,
  id: TaskId,
  which: string,
  reason?: string,
): Promise<Result<Chosen>> {
  const group = await groupOf(ports, id);
  if (!group.ok) return group;
  const variant = variantNamed(group.value, which);
  if (!variant.ok) return variant;
  const { id: chosen } = variant.value.task;
  const decision = { kind: 'choose', variant: chosen, by: 'person', reason } as const;
  const event = { type: 'task-decided', id: group.value.original.task.id, decision } as const;
  const stored = await ports.store.append(ports.clock.now(), [event]);
  if (!stored.ok) return stored;
  return ok({ variant: chosen, willContinue: await willContinue(ports, [chosen]) });
}

/** The variant, if it can be chosen now. */
function variantNamed({ original, variants }: Group, which: string): Result<TaskRecord> {
  const { id } = original.task;
  const see = `See \`ym compare ${id}\`.`;
  const variant = variants.find(({ task }, at) => task.id === which || String(at + 1) === which);
  if (variant === undefined) {
    return usage(`${id} has no variant "${which}"; it has 1 to ${variants.length}`, see);
  }
  const choice = choiceOf(original);
  if (choice !== undefined) {
    const again = `\`ym cancel ${choice.variant}\` withdraws that choice while it has not landed.`;
    return usage(`${choice.variant} was chosen for ${id} already`, again);
  }
  if (original.status.id !== 'open') {
    return usage(`task ${id} is ${recordStateText(original)}`, `See \`ym why ${id}\`.`);
  }
  const { state } = variant.attempt ?? {};
  if (isFinished(variant) && state?.id === 'calling') {
    return usage(
      `an agent compares the variants of ${id} at this moment`,
      'Try again when it is done.',
    );
  }
  if (isFinished(variant)) return ok(variant);
  return usage(
    `variant ${variant.task.id} is ${recordStateText(variant)}, and only a finished one can be chosen`,
    see,
  );
}
