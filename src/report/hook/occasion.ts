import type { Event } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { HookPoint, Occasion } from '../../model/hook.ts';
import { limits } from '../../model/limits.ts';
import type { Records } from '../../model/records.ts';
import type { Stop } from '../../model/run.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { tokensOf, type Usage } from '../../model/turn.ts';
import { exhaustedBudget, spentSinceResume } from '../../plan/spend.ts';
import { choiceAskedText } from '../event/choice.ts';
import { isRed, verifyText } from '../event/verify.ts';
import { explain } from '../explain/explain.ts';
import { counted } from '../format/amount.ts';
import { cut } from '../format/layout.ts';
import { shortCommit, span } from '../format/time.ts';
import { stopText } from '../view/stop-text.ts';

/** An event with the records of its tasks and its run, right after it or as they are now. */
export interface Happened {
  readonly event: Event;
  readonly records: Pick<Records, 'task' | 'run'>;
  /** True for a landing that still waits for the same reason as before. */
  readonly isRepeated: boolean;
}

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;
type More = Pick<Occasion, 'do' | 'attempt' | 'commit' | 'url' | 'failure'> & {
  readonly task?: string;
};

/** What hooks report of an event. Most events have nothing to report. */
export function occasionsOf(happened: Happened): readonly Occasion[] {
  const { event, records } = happened;
  if (!('run' in event)) return [];
  const { run, seq, at } = event;
  const make: Make = (point, text, { task, ...more } = {}) => {
    const about = task === undefined ? undefined : aboutTask(records, task);
    const short = cut(text.replaceAll(/\s+/g, ' ').trim(), limits.hookTextChars);
    return [{ point, run, seq, at, text: short, ...more, task: about }];
  };
  switch (event.type) {
    case 'run-started':
      return make('run-started', `Run ${run} started on ${event.settings.target}.`);
    case 'run-resumed':
      return make('run-started', `Run ${run} was resumed.`);
    case 'run-ended':
      return ended(event, records.run(run), make);
    case 'call-ended': {
      const used = spending(records.run(run), event.result.usage, at, make);
      return [...stalled(event, make), ...used];
    }
    case 'batch-planned':
    case 'plan-proposed': {
      const used = spending(records.run(run), event.usage, at, make);
      return [...used, ...(event.type === 'plan-proposed' ? proposed(event, records, make) : [])];
    }
    case 'turn-started':
      return starting(records.run(run), make);
    case 'target-judged': {
      if (event.verdict.id !== 'failed') return [];
      const target = records.run(run)?.settings.target ?? 'the target';
      const more = { commit: event.commit };
      return troubled('target-red', `${target} is red`, event.verdict.failure, make, more);
    }
    case 'run-verified':
      if (!isRed(event.outcome)) return [];
      return make('target-red', `The verification of the target ${verifyText(event.outcome)}.`);
    case 'landing-waits':
      if (happened.isRepeated) return [];
      return troubled('landing-blocked', 'A landing waits', event.failure, make);
    default:
      return ofTask(event, records, make);
  }
}

function ofTask(event: Event, records: Happened['records'], make: Make): readonly Occasion[] {
  switch (event.type) {
    case 'attempt-started': {
      const { id: task, attempt, agent } = event;
      const text = `${task} started: attempt ${attempt} by ${agent}.`;
      return make('task-started', text, { task, attempt });
    }
    case 'landed':
    case 'delivered':
      return arrived(event, make);
    case 'attempt-failed':
      return failed(event, records, make);
    case 'approval-asked': {
      const text = `${event.id} waits for your approval`;
      return troubled('approval-wanted', text, event.failure, make, { task: event.id });
    }
    case 'choice-asked': {
      const { id: task } = event;
      const remedy = `See \`ym compare ${task}\`, then type \`ym choose ${task} N\`.`;
      const text = `${task} ${choiceAskedText(event.finished)}.`;
      return make('choice-wanted', text, { task, do: remedy });
    }
    case 'turn-ended': {
      const { id: task, run, result } = event;
      const spent = spending(records.run(run), result.usage, event.at, make);
      const used = [...stalled(event, make), ...spent];
      const state = records.task(task)?.attempt?.state;
      if (state?.id !== 'asking') return used;
      const { question } = state;
      const { do: remedy, kind } = explain({ kind: 'question-open', question }, task);
      const more = { task, do: remedy, failure: kind };
      return [...make('question-asked', `${task} has a question: ${question}`, more), ...used];
    }
    default:
      return [];
  }
}

type Make = (point: HookPoint, text: string, more?: More) => readonly Occasion[];

/** An occasion with the cause of a failure and what to do about it. */
function troubled(
  point: HookPoint,
  text: string,
  failure: Failure,
  make: Make,
  more: More = {},
): readonly Occasion[] {
  const { what, do: remedy, kind } = explain(failure, more.task);
  return make(point, `${text}: ${what}`, { ...more, do: remedy, failure: kind });
}

/** An agent that was stopped because it printed nothing. */
function stalled(
  { id: task, attempt, result }: Of<'turn-ended' | 'call-ended'>,
  make: Make,
): readonly Occasion[] {
  if (result.ok || result.failure.kind !== 'limit-crossed') return [];
  const { failure } = result;
  if (failure.limit !== 'idle' && failure.limit !== 'start') return [];
  return troubled('task-stalled', `${task} stalled`, failure, make, { task, attempt });
}

function proposed(
  { id: task }: Of<'plan-proposed'>,
  records: Happened['records'],
  make: Make,
): readonly Occasion[] {
  const status = records.task(task)?.status;
  if (status?.id !== 'blocked' || status.failure.kind !== 'revision-proposed') return [];
  const text = `${task} waits for your approval`;
  return troubled('approval-wanted', text, status.failure, make, { task });
}

function aboutTask(records: Happened['records'], id: string): NonNullable<Occasion['task']> {
  const task = records.task(id)?.task;
  return {
    id,
    title: task?.title ?? '',
    type: task?.type ?? '',
    priority: task?.priority ?? 2,
    labels: task?.labels ?? [],
  };
}

function arrived(event: Of<'landed' | 'delivered'>, make: Make): readonly Occasion[] {
  return event.entries.flatMap((entry, place) => {
    const { id, attempt, coClaims = [] } = entry;
    const isLanding = event.type === 'landed';
    const commit = isLanding ? (event.commits?.[place] ?? event.commit) : entry.commit;
    const how = isLanding
      ? `landed as ${shortCommit(commit)}`
      : `was delivered as ${event.url ?? event.branch}`;
    const url = isLanding ? undefined : event.url;
    return [id, ...coClaims].flatMap((task) =>
      make('task-landed', `${task} ${how}.`, { task, attempt, commit, url }),
    );
  });
}

/** Reports no attempt that is retried, and no task that a person blocked. */
function failed(
  { id: task, attempt, failure }: Of<'attempt-failed'>,
  records: Happened['records'],
  make: Make,
): readonly Occasion[] {
  const record = records.task(task);
  if (record === undefined || record.attempts !== attempt) return [];
  const { status } = record;
  const more = { task, attempt };
  switch (status.id) {
    case 'quarantined':
      return troubled('task-quarantined', `${task} is quarantined`, failure, make, more);
    case 'failed':
      return troubled('task-failed', `${task} failed`, failure, make, more);
    case 'blocked':
      if (status.failure.kind === 'blocked-by-person') return [];
      return troubled('task-failed', `${task} is blocked`, failure, make, more);
    case 'canceled':
      return troubled('task-canceled', `${task} was canceled`, status.failure, make, more);
    default:
      return [];
  }
}

function ended(
  { run: id, stop }: Of<'run-ended'>,
  run: RunRecord | undefined,
  make: Make,
): readonly Occasion[] {
  const landed = counted(run?.train.landed ?? 0, 'landing');
  return [
    ...(run === undefined || !isNewlyReached(stop, run)
      ? []
      : make('budget-reached', `Run ${id} ${stopText(stop)}.`)),
    ...make('run-ended', `Run ${id} ${stopText(stop)}. ${landed}.`),
  ];
}

/** True for a budget whose end was not reported while the run went on. */
function isNewlyReached({ reason }: Stop, run: RunRecord): boolean {
  switch (reason) {
    case 'budget-wall':
    case 'max-attempts':
      return true;
    case 'budget-tokens':
    case 'budget-cost':
      return exhaustedBudget(run) === undefined;
    default:
      return false;
  }
}

/** Budgets that this usage brought near their end or used up, and accounts that were paused with it. */
function spending(
  run: RunRecord | undefined,
  usage: Usage | undefined,
  at: number,
  make: Make,
): readonly Occasion[] {
  if (run === undefined) return [];
  const spent = spentSinceResume(run);
  const { settings } = run;
  const used = { tokens: usage === undefined ? 0 : tokensOf(usage), cost: usage?.costUsd ?? 0 };
  const shares = [
    { name: 'token', now: spent.tokens, more: used.tokens, limit: settings.tokens },
    { name: 'cost', now: spent.costUsd, more: used.cost, limit: settings.costUsd },
  ];
  const budgets = shares.flatMap(({ name, now, more, limit }) =>
    limit === undefined ? [] : crossed({ run: run.id, name, now, more, limit }, make),
  );
  const pauses = Object.entries(run.accounts.paused).flatMap(([account, pause]) => {
    if (pause.since !== at) return [];
    const when = pause.until === undefined ? '' : ` for ${span(pause.until - at)}`;
    return troubled('quota-paused', `Account ${account} is paused${when}`, pause.failure, make);
  });
  return [...budgets, ...pauses];
}

function starting(run: RunRecord | undefined, make: Make): readonly Occasion[] {
  const limit = run?.settings.maxAttempts;
  if (run === undefined || limit === undefined) return [];
  const now = spentSinceResume(run).starts;
  const near = crossed({ run: run.id, name: 'agent start', now, more: 1, limit }, make);
  return near.filter(({ point }) => point === 'budget-near');
}

interface Share {
  readonly run: string;
  readonly name: string;
  readonly now: number;
  /** The part that the event added. */
  readonly more: number;
  readonly limit: number;
}

function crossed({ run, name, now, more, limit }: Share, make: Make): readonly Occasion[] {
  const before = now - more;
  if (now >= limit) {
    return before >= limit
      ? []
      : make('budget-reached', `The ${name} budget of run ${run} is used up.`);
  }
  const near = limits.budgetNear * limit;
  if (before >= near || now < near) return [];
  const percent = Math.floor((100 * now) / limit);
  return make('budget-near', `${percent} % of the ${name} budget of run ${run} are used.`);
}
