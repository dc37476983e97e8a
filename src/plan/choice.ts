import type { Attempt } from '../model/attempt.ts';
import type { Choice, Variants } from '../model/best-of.ts';
import type { Call } from '../model/call.ts';
import type { Command } from '../model/command.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { inScope } from '../task/scope.ts';
import { memberOf } from './agent-pool.ts';
import { isFinished } from './fold-variants.ts';
import type { State } from './state.ts';

interface Finished extends TaskRecord {
  readonly attempt: Attempt;
}

/** A task whose variants are ready for the choice. */
interface DueChoice {
  readonly original: TaskRecord;
  readonly variants: Variants;
  /** In the order of the rule, best first. */
  readonly finished: readonly Finished[];
}

interface Choices {
  readonly due: readonly DueChoice[];
  /** Time at which a choice is due although variants are still at work. */
  readonly wakeAt?: number;
}

/**
 * Choices that are due: every variant is finished or has failed, or the first one finished so long ago that the others
 * are no longer waited for.
 */
function dueChoices(state: State, run: RunRecord, now: number): Choices {
  const due: DueChoice[] = [];
  const times: number[] = [];
  const within = inScope(run.settings.scope, (id) => state.task(id)?.task);
  for (const id of state.compared) {
    const original = state.task(id);
    const variants = original?.variants;
    if (original === undefined || variants === undefined) continue;
    if (original.coClaimedBy !== undefined || !within(original.task)) continue;
    const all = variants.ids.flatMap((one) => state.task(one) ?? []);
    const finished = all.filter((one): one is Finished => isFinished(one));
    if (finished.length === 0) continue;
    const isPending = all.some((one) => one.status.id === 'open' && !isFinished(one));
    const end = isPending ? endOfWait(variants, finished) : now;
    if (end <= now) due.push({ original, variants, finished: [...finished].sort(byRule) });
    else if (Number.isFinite(end)) times.push(end);
  }
  return times.length === 0 ? { due } : { due, wakeAt: Math.min(...times) };
}

function endOfWait({ waitMs }: Variants, finished: readonly Finished[]): number {
  if (waitMs === undefined) return Number.POSITIVE_INFINITY;
  return Math.min(...finished.map(({ attempt }) => sinceOf(attempt))) + waitMs;
}

function sinceOf({ state }: Attempt): number {
  const at = state.id === 'calling' ? state.from : state;
  return at.id === 'finished' ? at.since : 0;
}

/** The rule without a chooser: work that passed its gate first, then the smallest change, then the order of variants. */
function byRule(a: Finished, b: Finished): number {
  const passed = Number(b.attempt.captured?.judged) - Number(a.attempt.captured?.judged);
  return passed || sizeOf(a) - sizeOf(b) || (a.task.id < b.task.id ? -1 : 1);
}

function sizeOf({ attempt }: Finished): number {
  const { added = 0, removed = 0 } = attempt.captured?.changes ?? {};
  return added + removed;
}

/** Chooses where that needs no agent, and asks a person where one has to choose. */
export function makeChoices(
  state: State,
  run: RunRecord,
  /** True if the run asks no agent any more. */
  isEnding: boolean,
  now: number,
): { readonly commands: readonly Command[]; readonly wakeAt?: number } {
  const { due, wakeAt } = dueChoices(state, run, now);
  const commands = due.flatMap((one): Command[] => {
    const { original, variants, finished } = one;
    const { id } = original.task;
    const names = finished.map(({ task }) => task.id);
    if (variants.choose === 'person') {
      const isAsked = variants.asked?.finished.join(' ') === names.join(' ');
      return isAsked ? [] : [{ type: 'ask-choice', original: id, finished: names }];
    }
    const choice = choiceBetween(one, !isEnding && asksAgent(one, run));
    return choice === undefined ? [] : [{ type: 'choose', original: id, choice }];
  });
  return wakeAt === undefined ? { commands } : { commands, wakeAt };
}

/** The choice of an agent or of the rule; undefined while an agent is still to be asked, or at it. */
function choiceBetween({ variants, finished }: DueChoice, asksAgent: boolean): Choice | undefined {
  const [best] = finished;
  if (best === undefined || finished.some(({ attempt }) => attempt.state.id === 'calling')) {
    return undefined;
  }
  const variant = best.task.id;
  if (finished.length === 1) {
    return { variant, by: 'rule', reason: 'it is the only one that is finished' };
  }
  const { advice } = variants;
  const isValid = finished.some(
    ({ task, attempt }) =>
      task.id === advice?.variant && attempt.captured?.commit === advice.commit,
  );
  if (advice !== undefined && isValid) {
    const { agent, reason } = advice;
    return { variant: advice.variant, by: 'agent', agent, reason };
  }
  if (asksAgent) return undefined;
  const passed = finished.filter(({ attempt }) => attempt.captured?.judged).length;
  const size = sizeOf(best);
  const lines = `smallest change: ${size} ${size === 1 ? 'line' : 'lines'} added or removed`;
  return { variant, by: 'rule', reason: passed === 1 ? 'it alone passed its gate' : lines };
}

function asksAgent({ variants, finished }: DueChoice, { settings }: RunRecord): boolean {
  const { chooser, failed } = variants;
  if (chooser === undefined || finished.length < 2) return false;
  const isKnown = chooser === settings.agent || memberOf(settings, chooser) !== undefined;
  return isKnown && failed <= (settings.review?.retries ?? limits.verdictRetriesDefault);
}

/** Calls of choosers that are due, each with the variant in whose worktree it runs. */
export function choiceCalls(
  state: State,
  run: RunRecord,
  now: number,
): readonly { readonly record: Finished; readonly call: Call }[] {
  return dueChoices(state, run, now).due.flatMap((due) => {
    const { variants, finished } = due;
    if (variants.choose === 'person' || !asksAgent(due, run)) return [];
    if (choiceBetween(due, true) !== undefined) return [];
    const host = finished.find(({ attempt }) => attempt.run === run.id);
    const isUnderWay = finished.some(({ attempt }) => attempt.state.id === 'calling');
    if (host === undefined || isUnderWay) return [];
    const agent = variants.chooser ?? '';
    return [{ record: host, call: { kind: 'choose', round: 1, agent, again: variants.calls + 1 } }];
  });
}

/** Variants that are ready and have never started: their agent starts are reserved. */
export function reservedVariants(state: Pick<State, 'compared' | 'task'>): number {
  let count = 0;
  for (const id of state.compared) {
    for (const variant of state.task(id)?.variants?.ids ?? []) {
      const record = state.task(variant);
      if (record?.attempts === 0 && record.status.id === 'open') count += 1;
    }
  }
  return count;
}
