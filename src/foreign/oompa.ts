import { z } from 'zod';
import type { ForeignOutcome, ForeignRun, ForeignTurn } from '../model/foreign-run.ts';
import {
  count,
  type ForeignFile,
  firstLine,
  optional,
  outcomeOf,
  readRecords,
  text,
  texts,
  time,
} from './record.ts';

/*
 * Runs of oompa: `runs/<swarm>/`. Since 0.7.1: `started.json`, `stopped.json`, `cycles/<worker>-c<N>.json` and
 * `reviews/<worker>-c<N>-r<round>.json`. Before: `run.json`, `summary.json`, `iterations/<worker>-i<N>.json` and
 * `reviews/<worker>-i<N>-r<round>.json`.
 */

const worker = z.object({ id: text, harness: optional(text), model: optional(text) });

const startedFile = z.object({
  'swarm-id': text,
  'started-at': time,
  workers: optional(z.array(worker, { error: 'a list of workers' })),
});

const stoppedFile = z.object({ 'stopped-at': time, reason: text, error: optional(text) });

const summaryFile = z.object({
  'finished-at': time,
  workers: optional(
    z.array(z.object({ id: text, status: optional(text) }), { error: 'a list of workers' }),
  ),
});

const cycleFile = z.object({
  'worker-id': text,
  cycle: optional(count),
  iteration: optional(count),
  outcome: text,
  timestamp: time,
  'duration-ms': optional(count),
  'claimed-task-ids': optional(texts),
  'task-id': optional(text),
  'error-snippet': optional(text),
  'review-rounds': optional(count),
});
type Cycle = z.output<typeof cycleFile>;

const reviewFile = z.object({
  'worker-id': text,
  cycle: optional(count),
  iteration: optional(count),
  round: count,
  verdict: text,
  timestamp: time,
});
type Review = z.output<typeof reviewFile>;

const outcomes: Readonly<Record<string, ForeignOutcome>> = {
  merged: 'done',
  rejected: 'rejected',
  error: 'error',
  stuck: 'error',
  done: 'no-result',
  'executor-done': 'no-result',
  'no-changes': 'no-result',
  working: 'continued',
  claimed: 'continued',
  'needs-followup': 'continued',
  'sync-failed': 'not-merged',
  'merge-failed': 'not-merged',
  interrupted: 'canceled',
};

/** Reads the files of one run folder. */
export function oompaRun(name: string, files: readonly ForeignFile[]): ForeignRun {
  const starts = readRecords(files, /^(?:started|run)\.json$/, startedFile);
  const stops = readRecords(files, /^stopped\.json$/, stoppedFile);
  const summaries = readRecords(files, /^summary\.json$/, summaryFile);
  const cycles = readRecords(files, /^(?:cycles|iterations)\/[^/]+\.json$/, cycleFile);
  const reviews = readRecords(files, /^reviews\/[^/]+\.json$/, reviewFile);
  const start = starts.records[0]?.value;
  const stopped = stops.records[0]?.value;
  const summary = summaries.records[0]?.value;
  const workers = start?.workers ?? [];
  const ended = cycles.records.map(({ value }) => turnOf(value, workers));
  const turns = [
    ...ended,
    ...openTurns(
      ended,
      reviews.records.map(({ value }) => value),
    ),
  ].sort((a, b) => (a.startedAt ?? a.endedAt ?? 0) - (b.startedAt ?? b.endedAt ?? 0));
  const ids = new Set([...workers.map(({ id }) => id), ...turns.map(({ lane }) => lane)]);
  return {
    tool: 'oompa',
    id: start?.['swarm-id'] ?? name,
    startedAt: start?.['started-at'] ?? turns[0]?.startedAt,
    endedAt: stopped?.['stopped-at'] ?? summary?.['finished-at'],
    stop: stopped?.reason ?? (summary === undefined ? undefined : 'completed'),
    stopNote: firstLine(stopped?.error),
    lanes: [...ids].map((id) => {
      const stop = summary?.workers?.find((one) => one.id === id)?.status;
      return { id, stop };
    }),
    turns,
    tasks: [],
    notes: [],
    problems: [starts, stops, summaries, cycles, reviews].flatMap(({ problems }) => problems),
  };
}

function turnOf(cycle: Cycle, workers: readonly z.output<typeof worker>[]): ForeignTurn {
  const { 'worker-id': lane, outcome: word, timestamp, 'duration-ms': ms } = cycle;
  const claimed = cycle['claimed-task-ids'] ?? [];
  const [task = cycle['task-id'], ...coClaims] = claimed;
  const own = workers.find(({ id }) => id === lane);
  return {
    lane,
    number: numberOf(cycle),
    coClaims,
    endedAt: timestamp,
    outcome: outcomeOf(outcomes, word),
    word,
    task,
    startedAt: ms === undefined ? undefined : timestamp - ms,
    ms,
    note: firstLine(cycle['error-snippet']),
    agent: own?.harness,
    model: own?.model,
    reviewRounds: cycle['review-rounds'],
  };
}

function numberOf({ cycle, iteration }: Pick<Cycle, 'cycle' | 'iteration'>): number {
  return cycle ?? iteration ?? 0;
}

/** Cycles that only their reviews tell of: the worker has not ended them, or never did. */
function openTurns(ended: readonly ForeignTurn[], reviews: readonly Review[]): ForeignTurn[] {
  const open = new Map<string, ForeignTurn>();
  for (const review of reviews) {
    const [lane, number] = [review['worker-id'], numberOf(review)];
    if (ended.some((turn) => turn.lane === lane && turn.number === number)) continue;
    const key = JSON.stringify([lane, number]);
    const rounds = Math.max(review.round, open.get(key)?.reviewRounds ?? 0);
    const note = 'reviewed, but no end recorded';
    const startedAt = Math.min(review.timestamp, open.get(key)?.startedAt ?? review.timestamp);
    const known = { lane, number, coClaims: [], outcome: 'incomplete', note } as const;
    open.set(key, { ...known, startedAt, reviewRounds: rounds });
  }
  return [...open.values()];
}
