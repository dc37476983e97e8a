import type { Event } from '../../model/event.ts';
import { type Failure, unreachable } from '../../model/failure.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { RunId } from '../../model/run.ts';
import type { TaskId } from '../../model/task.ts';
import { troubleOf } from '../../model/trouble.ts';
import type { EndSignal } from '../../model/turn.ts';
import { isForPerson } from '../../model/violation.ts';
import { Blame } from './blame.ts';

/** Outcome of a turn or attempt. */
export type Outcome =
  | 'landed'
  /** Finished and delivered as a branch or a pull request. */
  | 'delivered'
  /** It filed tasks; there was nothing else to do. */
  | 'planned'
  /** The agent ended well and left no change. */
  | 'no-changes'
  | 'error'
  /** Red, or in conflict; its own agent gets it back. */
  | 'returned'
  /** Cut short by a person, the end of the run, or an account that may not be used. */
  | 'interrupted'
  /** Under way, or cut off without a trace. */
  | 'incomplete';

export const outcomes: readonly Outcome[] = [
  'landed',
  'delivered',
  'planned',
  'returned',
  'no-changes',
  'error',
  'interrupted',
  'incomplete',
];

export interface TurnStory {
  readonly turn: number;
  readonly slot?: number;
  readonly startedAt?: number;
  endedAt?: number;
  /** End signal of its agent. */
  signal?: EndSignal['id'];
  outcome: Outcome;
  failure?: Failure;
}

export interface AttemptStory {
  readonly task: TaskId;
  readonly attempt: number;
  slot?: number;
  agent?: string;
  readonly startedAt: number;
  endedAt?: number;
  commit?: string;
  /** Branch or pull request it was delivered as. */
  delivery?: string;
  readonly turns: TurnStory[];
  outcome: Outcome;
  failure?: Failure;
}

/**
 * The attempts of a run out of its events, in the order they began. Total on partial logs: an event of an attempt whose
 * beginning is missing begins it.
 */
export function attemptsOf(events: readonly Event[], run?: RunId): AttemptStory[] {
  const stories = new Map<string, AttemptStory>();
  const blame = new Blame();
  const story = (task: TaskId, attempt: number, at: number): AttemptStory => {
    const key = `${attempt} ${task}`;
    const known = stories.get(key);
    if (known !== undefined) return known;
    const fresh: AttemptStory = { task, attempt, startedAt: at, turns: [], outcome: 'incomplete' };
    stories.set(key, fresh);
    return fresh;
  };
  for (const event of events) {
    if (!('run' in event) || (run !== undefined && event.run !== run)) continue;
    if ('attempt' in event) tell(story(event.id, event.attempt, event.at), event);
    if (event.type === 'candidate-judged' && event.verdict.id === 'not-run') {
      const { failure } = event.verdict;
      for (const { id, attempt } of blame.judged(event)) {
        sendBack(story(id, attempt, event.at), failure);
      }
    }
    for (const { entry, failure } of blame.on(event)) {
      sendBack(story(entry.id, entry.attempt, event.at), failure);
    }
    if (event.type === 'landed') {
      for (const entry of event.entries) land(story(entry.id, entry.attempt, event.at), event);
    }
    if (event.type === 'delivered') {
      for (const entry of event.entries)
        deliver(story(entry.id, entry.attempt, event.at), entry, event);
    }
  }
  return [...stories.values()];
}

type AttemptEvent = Extract<Event, { readonly attempt: number }>;

function tell(story: AttemptStory, event: AttemptEvent): void {
  switch (event.type) {
    case 'attempt-started':
      story.slot = event.slot;
      story.agent = event.agent;
      return;
    case 'turn-started':
      story.slot ??= event.slot;
      story.turns.push({
        turn: event.turn,
        slot: event.slot,
        startedAt: event.at,
        outcome: 'incomplete',
      });
      return;
    case 'turn-ended': {
      const turn = turnOf(story, event.turn);
      turn.endedAt = event.at;
      if (!event.result.ok) settle(turn, event.result.failure);
      else if (event.result.signal !== undefined) turn.signal = event.result.signal.id;
      return;
    }
    case 'branch-judged':
      if (event.verdict.id !== 'passed') sendBack(story, event.verdict.failure);
      return;
    case 'merge-refused':
      return sendBack(story, event.failure);
    case 'attempt-given-up':
    case 'attempt-failed': {
      const turn = story.turns.at(-1);
      if (turn?.outcome === 'incomplete') settle(turn, event.failure);
      settle(story, event.failure);
      if (event.type === 'attempt-failed') story.endedAt = event.at;
      return;
    }
    case 'work-planned': {
      const turn = story.turns.at(-1);
      if (turn !== undefined) turn.outcome = 'planned';
      story.outcome = 'planned';
      story.endedAt = event.at;
      return;
    }
    case 'work-captured':
    case 'call-ended':
    case 'approval-asked':
      return weigh(story, event);
    case 'attempt-adopted':
      if (event.slot !== undefined) story.slot = event.slot;
      return;
    case 'worktree-ready':
    case 'agent-reported':
    case 'tampering-seen':
    case 'target-merged':
    case 'branch-gate-started':
    case 'gate-skipped':
    case 'call-started':
    case 'conflict-predicted':
    case 'merge-deferred':
      return;
    default:
      unreachable(event);
  }
}

/** Applies violations, reviews and approval requests to the last turn. */
function weigh(
  story: AttemptStory,
  event: Extract<AttemptEvent, { type: 'work-captured' | 'call-ended' | 'approval-asked' }>,
): void {
  const turn = story.turns.at(-1);
  if (turn === undefined) return;
  if (event.type === 'work-captured') {
    const violations = (event.violations ?? []).filter((violation) => !isForPerson(violation));
    if (violations.length > 0) settle(turn, { kind: 'rules-broken', violations });
  } else if (event.type === 'call-ended') {
    const { call, result } = event;
    const wanting = result.ok && 'verdict' in result && result.verdict === 'needs-changes';
    if (wanting && call.kind === 'review') turn.outcome = 'returned';
  } else {
    turn.failure = event.failure;
  }
}

function turnOf(story: AttemptStory, number: number): TurnStory {
  const known = story.turns.findLast(({ turn }) => turn === number);
  if (known !== undefined) return known;
  const fresh: TurnStory = { turn: number, outcome: 'incomplete' };
  story.turns.push(fresh);
  return fresh;
}

function sendBack(story: AttemptStory, failure: Failure): void {
  const turn = story.turns.at(-1);
  if (turn !== undefined) settle(turn, failure);
}

function land(
  story: AttemptStory,
  { commit, at }: Extract<Event, { readonly type: 'landed' }>,
): void {
  story.outcome = 'landed';
  story.commit = commit;
  story.endedAt = at;
  arrive(story, 'landed');
}

function deliver(
  story: AttemptStory,
  entry: QueueEntry,
  { at, branch, url }: Extract<Event, { readonly type: 'delivered' }>,
): void {
  story.outcome = 'delivered';
  story.commit = entry.commit;
  story.delivery = url ?? branch;
  story.endedAt = at;
  arrive(story, 'delivered');
}

/** Clears the failure of its last turn. */
function arrive(story: AttemptStory, outcome: Outcome): void {
  const turn = story.turns.at(-1);
  if (turn === undefined) return;
  turn.outcome = outcome;
  delete turn.failure;
}

function settle(what: { outcome: Outcome; failure?: Failure }, failure: Failure): void {
  what.outcome = outcomeOf(failure);
  what.failure = failure;
}

export function outcomeOf(failure: Failure): Outcome {
  if (failure.kind === 'no-changes') return 'no-changes';
  switch (troubleOf(failure)) {
    case 'evidence':
      return 'returned';
    case 'interruption':
    case 'pause':
    case 'hold':
    case 'killed':
      return 'interrupted';
    case 'error':
    case 'hiccup':
    case 'renew':
    case 'final':
      return 'error';
  }
}
