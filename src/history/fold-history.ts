import type { AttemptState } from '../model/attempt.ts';
import { parseName } from '../model/branch.ts';
import { defined } from '../model/defined.ts';
import { type Event, isAttemptEvent, isRunEvent, isTrainEvent } from '../model/event.ts';
import type { AttemptRecord, History, StepBody } from '../model/history.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import { changeNames } from '../model/revision.ts';
import type { RunId } from '../model/run.ts';
import type { Pull } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { Candidate } from '../model/train-record.ts';
import {
  arrive,
  awaitApproval,
  type EventOfAttempt,
  endApproval,
  newAttempt,
  sendBack,
  withEvent,
} from './attempt-history.ts';
import { foldQueueHistory } from './queue-history.ts';
import { foldRunHistory } from './run-history.ts';

/**
 * Writes what an event adds to the history of tasks, attempts and runs. Runs before the event changes the state: the
 * branches of a candidate are known by the run's record as it was.
 */
export function foldHistory(records: Records, event: Event): void {
  const { at } = event;
  const by = { at, actor: event.actor };
  switch (event.type) {
    case 'task-added':
      return records.addStep(event.task.id, { ...by, what: { type: 'added' } });
    case 'task-changed':
      return records.addStep(event.task.id, { ...by, what: { type: 'changed' } });
    case 'variants-added': {
      const { type, id, base } = event;
      const variants = event.variants.map((task) => task.id);
      for (const one of variants) records.addStep(one, { at, what: { type: 'added' } });
      return records.addStep(id, { at, what: { type, variants, base } });
    }
    case 'choice-asked': {
      const { type, id, finished } = event;
      return records.addStep(id, { at, what: { type, finished } });
    }
    case 'message-sent':
      return records.addStep(event.id, { ...by, what: { type: 'message', text: event.text } });
    case 'task-decided': {
      const { id, decision } = event;
      const attempt = records.task(id)?.attempt;
      if (attempt?.state.id === 'awaiting') {
        const named = { id, attempt: attempt.number };
        change(records, named, at, (record) => endApproval(record, decision));
      }
      return records.addStep(id, { ...by, what: { type: 'decided', decision } });
    }
    case 'landing-dropped': {
      const { type, id, commit, target, behind } = event;
      return records.addStep(id, { at, what: { type, commit, target, behind } });
    }
    case 'landing-restored': {
      const { type, id, commit, target } = event;
      return records.addStep(id, { at, what: { type, commit, target } });
    }
    case 'wait-over':
      return records.addStep(event.id, { at, what: { type: 'wait-over', wait: event.wait } });
    case 'plan-proposed': {
      const { type, id, agent, outcome } = event;
      const changes = outcome.id === 'proposed' ? changeNames(outcome) : [];
      const failure = outcome.id === 'failed' ? outcome.failure : undefined;
      return records.addStep(id, { at, what: { type, agent, changes, failure } });
    }
    case 'revision-started':
      return records.addStep(event.id, { at, what: { type: event.type, agent: event.agent } });
    case 'pulls-seen':
      for (const pull of event.states ?? []) seePull(records, pull, at);
      break;
    default:
  }
  const isOfTrain = isTrainEvent(event);
  // An event of none of these groups was stored by a newer version.
  if (!isOfTrain && !isRunEvent(event) && !isAttemptEvent(event)) return;
  foldRunHistory(records, event);
  foldQueueHistory(records, event);
  if ('attempt' in event) foldAttempt(records, event);
  else if (isOfTrain && 'candidate' in event) foldCandidate(records, event);
}

/** A person is asked to approve the work of an attempt. */
export function noteApprovalAsked(
  records: History,
  named: Pick<QueueEntry, 'id' | 'attempt'>,
  { failure, since }: Extract<AttemptState, { id: 'awaiting' }>,
): void {
  change(records, named, since, (record) => awaitApproval(record, failure));
}

/** A branch makes its candidate red: `candidate` is as it was judged. */
export function noteBlame(
  records: History,
  run: RunId,
  { id: candidate, entries }: Pick<Candidate, 'id' | 'entries'>,
  blamed: QueueEntry,
  failure: Parameters<typeof sendBack>[1],
  at: number,
): void {
  const place = entries.indexOf(blamed);
  const green = entries.slice(0, place).map(({ id }) => id);
  const behind = entries.slice(place + 1);
  change(records, blamed, at, (record) => sendBack(record, failure, at));
  const what = { type: 'blamed', failure, green, behind: behind.length } as const;
  addSteps(records, [blamed], at, what);
  addSteps(records, behind, at, { type: 'requeued', by: blamed.id });
  const names = { task: blamed.id, green, behind: behind.map(({ id }) => id) };
  records.addQueueStep(run, { at, what: { type: 'blamed', candidate, ...names } });
}

/** A red candidate was taken apart, because its failures point to `suspects`. */
export function noteTakenApart(
  records: History,
  run: RunId,
  { id: candidate, entries }: Pick<Candidate, 'id' | 'entries'>,
  suspects: readonly TaskId[],
  at: number,
): void {
  addSteps(records, entries, at, { type: 'taken-apart', suspects });
  records.addQueueStep(run, { at, what: { type: 'taken-apart', candidate, suspects } });
}

type CandidateEvent = Extract<Event, { readonly candidate: string }>;

function addSteps(
  records: History,
  entries: readonly QueueEntry[],
  at: number,
  what: StepBody,
): void {
  for (const { id, attempt, coClaims = [] } of entries) {
    for (const task of [id, ...coClaims]) records.addStep(task, { at, attempt, what });
  }
}

function foldAttempt(records: Records, event: EventOfAttempt & { readonly at: number }): void {
  const { id, attempt, at } = event;
  const known = records.attempt(id, attempt);
  if (known === undefined && event.type !== 'attempt-started') return;
  const record = known ?? {
    ...newAttempt(event, at),
    ...defined({ batch: batchOf(records, event), variantOf: records.task(id)?.task.variantOf }),
  };
  records.putAttempt({ ...withEvent(record, event, at), changedAt: at });
  records.addStep(id, { at, attempt, what: bodyOf(event) });
}

/** The batch that the task of a new attempt is part of. Without a planner, or with one task after the other, there is none. */
function batchOf(records: Records, { run, id }: EventOfAttempt): AttemptRecord['batch'] {
  const current = records.run(run)?.batches?.current;
  if (current === undefined) return undefined;
  const { source, after } = current;
  const isChosen =
    current.source === 'skipped' ? current.reason !== 'planner_disabled' : current.ids.includes(id);
  return isChosen ? { source, after } : undefined;
}

function bodyOf(event: EventOfAttempt & { readonly at: number }): StepBody {
  if (event.type === 'turn-ended') {
    const {
      tail: _tail,
      answer: _answer,
      session: _session,
      ...result
    } = {
      tail: '',
      ...event.result,
    };
    return { type: 'turn-ended', turn: event.turn, result };
  }
  const { run: _run, id: _id, attempt: _attempt, ...rest } = event;
  const { seq: _seq, at: _at, version: _version, ...body } = { seq: 0, version: 1, ...rest };
  return body as StepBody;
}

function foldCandidate(records: Records, event: CandidateEvent & { readonly at: number }): void {
  const { at } = event;
  switch (event.type) {
    case 'candidate-built':
      for (const [place, entry] of event.entries.entries()) {
        const commit = event.prefixes?.[place]?.commit ?? event.commit;
        const prefix = { run: event.run, candidate: event.candidate, commit, gates: [] };
        change(records, entry, at, (record) => ({
          ...record,
          prefixes: [...record.prefixes, prefix],
        }));
        addEntrySteps(records, event.entries, entry, at, {
          type: 'candidate-built',
          on: event.on,
        });
      }
      return;
    case 'gate-started':
      for (const entry of entriesOf(records, event, event.count)) {
        change(records, entry, at, (record) => withGate(record, event));
      }
      return;
    case 'candidate-judged':
      return judge(records, event, at);
    case 'candidate-dropped': {
      const what = { type: event.type, reason: event.reason };
      return addSteps(records, entriesOf(records, event), at, what);
    }
    case 'landing-waits': {
      const what = { type: event.type, failure: event.failure };
      return addSteps(records, entriesOf(records, event), at, what);
    }
    case 'landed':
      return land(records, event, at);
    case 'delivered': {
      const { run, how, branch, url } = event;
      for (const entry of event.entries) {
        const { commit: work, coClaims = [] } = entry;
        const end = { id: 'delivered', at, run, how, work, branch, coClaims } as const;
        change(records, entry, at, (record) => arrive(record, { ...end, url }));
        addEntrySteps(records, event.entries, entry, at, {
          type: 'delivered',
          as: url ?? branch,
        });
      }
      return;
    }
    case 'gate-abandoned':
      return;
    default:
      event satisfies never;
  }
}

function land(
  records: Records,
  event: Extract<CandidateEvent, { type: 'landed' }>,
  at: number,
): void {
  const { run, entries } = event;
  const landed = records.run(run)?.train.landed ?? 0;
  let { from } = event;
  for (const [place, entry] of entries.entries()) {
    const { commit: work, copy, coClaims = [] } = entry;
    const commit = event.commits?.[place] ?? event.commit;
    const order = landed + place;
    const of = { at, run, work, commit, from, order, coClaims };
    const end = { id: 'landed', ...of, copy } as const;
    change(records, entry, at, (record) => arrive(record, end));
    addEntrySteps(records, entries, entry, at, { type: 'landed', commit });
    from = commit;
  }
}

function judge(
  records: Records,
  event: Extract<CandidateEvent, { type: 'candidate-judged' }>,
  at: number,
): void {
  const { type, gate, verdict, cached, worker } = event;
  const entries = entriesOf(records, event, event.count);
  const of = { gate, verdict, cached, worker };
  const what = { type, others: entries.length - 1, ...of } as const;
  for (const entry of entries) {
    if (verdict.id === 'not-run') {
      change(records, entry, at, (record) => sendBack(record, verdict.failure, at));
    }
  }
  addSteps(records, entries, at, what);
}

/** Branches of a candidate in the merge queue: all, or the first `count`. */
function entriesOf(
  records: Records,
  { run, candidate }: CandidateEvent,
  count?: number,
): readonly QueueEntry[] {
  const known = records.run(run)?.train.candidates.find(({ id }) => id === candidate);
  return known?.entries.slice(0, count) ?? [];
}

type Arrival =
  | { readonly type: 'candidate-built'; readonly on?: string }
  | { readonly type: 'landed'; readonly commit: string }
  | { readonly type: 'delivered'; readonly as: string };

/** Steps for the task of an entry and for the tasks that its attempt claimed. */
function addEntrySteps(
  records: History,
  entries: readonly QueueEntry[],
  entry: QueueEntry,
  at: number,
  what: Arrival,
): void {
  const others = entries.filter((one) => one !== entry).map(({ id }) => id);
  const { id, attempt, coClaims = [] } = entry;
  records.addStep(id, { at, attempt, what: { ...what, with: others, coClaims } });
  for (const claimed of coClaims) {
    records.addStep(claimed, { at, what: { ...what, with: [], coClaims: [], by: id } });
  }
}

function change(
  records: History,
  { id, attempt }: Pick<QueueEntry, 'id' | 'attempt'>,
  at: number,
  next: (record: AttemptRecord) => AttemptRecord,
): void {
  const record = records.attempt(id, attempt);
  if (record !== undefined) records.putAttempt({ ...next(record), changedAt: at });
}

function withGate(
  record: AttemptRecord,
  { run, candidate, count }: Extract<CandidateEvent, { type: 'gate-started' }>,
): AttemptRecord {
  const turn = record.turns.at(-1)?.turn ?? 0;
  const prefixes = record.prefixes.map((prefix) =>
    prefix.run === run && prefix.candidate === candidate
      ? { ...prefix, gates: [...prefix.gates, { count, turn }] }
      : prefix,
  );
  return { ...record, prefixes };
}

/** A change of a delivered pull request; the same state again adds nothing. */
function seePull(records: Records, pull: Pull, at: number): void {
  const named = parseName(pull.branch);
  const record = named && records.attempt(named.task, named.attempt);
  if (record?.end.id !== 'delivered') return;
  const { state, checks, url, mergeCommit } = pull;
  const seen = `${state} ${checks}`;
  if (record.pull === seen) return;
  records.putAttempt({ ...record, pull: seen, changedAt: at });
  const what = { type: 'pull-seen', state, checks, url, mergeCommit } as const;
  for (const id of [record.task, ...record.end.coClaims]) records.addStep(id, { at, what });
}
