import { isLive, withoutCall } from '../model/attempt-state.ts';
import type { Choice } from '../model/best-of.ts';
import type { Event } from '../model/event.ts';
import type { Records } from '../model/records.ts';
import type { Decision, Task, TaskId } from '../model/task.ts';
import { newTaskRecord, stateOf, type TaskRecord } from '../model/task-record.ts';
import { supersede } from '../task/status.ts';
import { type EndedCall, isExcused, type LiveAttempt, putState } from './live-attempt.ts';

/** Folds the events of variants: tasks that agents work on side by side in place of one task. */

/** The order of the log decides: a task that an attempt works on by now keeps that attempt and gets no variants. */
export function addVariants(records: Records, event: Extract<Event, { type: 'variants-added' }>) {
  const { id, base, variants, choose, chooser, waitMs, at } = event;
  const original = records.task(id);
  if (original === undefined || stateOf(original) !== 'ready') return;
  if (original.attempt !== undefined && isLive(original.attempt.state)) return;
  if (variants.length === 0 || variants.some((task) => records.task(task.id) !== undefined)) return;
  const { order } = original;
  for (const task of variants) {
    records.putTask({ ...newTaskRecord({ task, order, blockers: 0 }), readySince: at });
  }
  const ids = variants.map((task) => task.id);
  const terms = { choose, chooser, waitMs };
  records.putTask({ ...original, variants: { ids, base, ...terms, calls: 0, failed: 0 } });
}

/**
 * The chosen variant joins the merge queue and the task lands with it, like a co-claimed one. Variants that are still
 * at work are superseded; finished ones wait until the chosen one has landed, because it may still fail.
 */
export function chooseVariant(
  records: Records,
  original: TaskRecord,
  choice: Choice,
  at: number,
): void {
  const { variants, status, coClaimedBy, task } = original;
  if (variants === undefined || status.id !== 'open' || coClaimedBy !== undefined) return;
  const winner = variants.ids.includes(choice.variant) ? records.task(choice.variant) : undefined;
  const attempt = winner?.attempt;
  if (winner?.status.id !== 'open' || attempt?.state.id !== 'finished') return;
  const { commit, tree } = attempt.state;
  const { variant, by, agent, reason, actor } = choice;
  const { asked: _asked, ...terms } = variants;
  const chosen = { variant, by, at, agent, reason, actor };
  records.putTask({
    ...original,
    coClaimedBy: { run: attempt.run, id: winner.task.id, attempt: attempt.number },
    variants: { ...terms, choice: chosen },
  });
  const coClaims = [...attempt.coClaims, task.id];
  const live = { records, record: winner, attempt };
  putState(live, { id: 'queued', commit, tree, since: at }, { coClaims });
  for (const id of variants.ids) {
    const other = records.task(id);
    if (id === variant || other?.status.id !== 'open') continue;
    if (!isFinished(other)) supersede(records, id, variant, at);
  }
}

export function askChoice(
  records: Records,
  { id, run, finished, at }: Extract<Event, { type: 'choice-asked' }>,
): void {
  const original = records.task(id);
  if (original?.variants === undefined || original.status.id !== 'open') return;
  if (original.coClaimedBy !== undefined) return;
  records.putTask({
    ...original,
    variants: { ...original.variants, asked: { run, at, finished } },
  });
}

/** True if the variant waits for the choice, or an agent compares it with others at the moment. */
export function isFinished({ attempt, status }: TaskRecord): boolean {
  return (
    status.id === 'open' && attempt !== undefined && withoutCall(attempt.state).id === 'finished'
  );
}

/** True if work that could join the merge queue must wait for the choice first. */
export function restsForChoice({ records, record, attempt }: LiveAttempt): boolean {
  const { id, variantOf } = record.task;
  if (variantOf === undefined || attempt.coClaims.includes(variantOf)) return false;
  return records.task(variantOf)?.variants?.ids.includes(id) === true;
}

/** The chooser gave its answer, or none. Either way its host is finished work again. */
export function endChoice(ended: EndedCall): void {
  const { records, record, state, call, result } = ended;
  putState(ended, state.from);
  const { variantOf = '' } = record.task;
  const original = records.task(variantOf);
  if (original?.variants === undefined) return;
  const counted = { ...original.variants, calls: original.variants.calls + 1 };
  const put = (variants: typeof counted): void => records.putTask({ ...original, variants });
  if (!result.ok)
    return put({ ...counted, failed: counted.failed + (isExcused(result.failure) ? 0 : 1) });
  if (!('variant' in result)) return;
  const { variant, reason } = result;
  const chosen = counted.ids.includes(variant) ? records.task(variant) : undefined;
  const at = chosen?.attempt === undefined ? undefined : withoutCall(chosen.attempt.state);
  if (at?.id !== 'finished') return put({ ...counted, failed: counted.failed + 1 });
  const advice = { variant, commit: at.commit, agent: call.agent, reason };
  put({ ...counted, failed: 0, advice });
}

/**
 * The text of a task changed while no variant was at work: they get it too. With other attempts than before the variants
 * are over, and the task gets new ones.
 */
export function changeVariants(
  records: Records,
  before: Task,
  record: TaskRecord,
  at: number,
): void {
  const { variants, ...alone } = record;
  if (variants === undefined) return;
  const { title, body, after, priority, type, labels, paths, scope, checks, acceptance } =
    record.task;
  const text = { title, body, after, priority, type, labels, paths, scope, checks, acceptance };
  const isSame = JSON.stringify(before.attempts) === JSON.stringify(record.task.attempts);
  if (!isSame) records.putTask(alone);
  for (const id of variants.ids) {
    const variant = records.task(id);
    if (variant === undefined) continue;
    if (!isSame) supersede(records, id, record.task.id, at);
    else records.putTask({ ...variant, task: { ...variant.task, ...text } });
  }
}

/** A person's decision about a task holds for its variants; `decide` applies it to one. */
export function decideVariants(
  records: Records,
  { variants }: TaskRecord,
  decide: (variant: TaskRecord) => void,
): void {
  for (const id of variants?.ids ?? []) {
    const variant = records.task(id);
    if (variant !== undefined && variant.status.id !== 'landed') decide(variant);
  }
}

/** Only a whole task can count as done: a variant that is skipped, or whose task is, is canceled. */
export function decisionForVariant<D extends Decision>(
  decision: D,
  id: TaskId,
): D | Extract<Decision, { kind: 'cancel' }> {
  if (decision.kind !== 'skip') return decision;
  return { kind: 'cancel', reason: `skipped, as a part of ${id}: ${decision.reason}` };
}
