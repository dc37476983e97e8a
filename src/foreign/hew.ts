import { z } from 'zod';
import type { ForeignLane, ForeignOutcome, ForeignRun, ForeignTurn } from '../model/foreign-run.ts';
import type { Usage } from '../model/turn.ts';
import type { VerifyOutcome } from '../model/verdict.ts';
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
 * Runs of hew: `.hew/loop/<run>/`. A run with one worker has `run.json` and `iter-NNN.json`; one with several has
 * `worker-<n>/` folders with the same files, and a `manifest.json` that is written at its end. Old files lack fields
 * that came later.
 */

const tokens = z
  .object({
    input: optional(count),
    output: optional(count),
    cache_read: optional(count),
    cache_create: optional(count),
  })
  .transform(
    ({ input = 0, output = 0, cache_read = 0, cache_create = 0 }): Usage => ({
      input,
      output,
      cacheRead: cache_read,
      cacheWrite: cache_create,
    }),
  );

const iteration = z.object({
  number: count,
  task_id: optional(text),
  started_at: time,
  ended_at: optional(time),
  outcome: optional(text),
  cost: optional(tokens),
  stderr_tail: optional(text),
  runtime_used: optional(text),
  model: optional(text),
});

const verify = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('passed'), command: text, duration_secs: count }),
    z.object({
      kind: z.literal('failed'),
      command: text,
      exit_code: z.int({ error: 'a whole number' }),
      duration_secs: count,
      stderr_tail: optional(text),
    }),
    z.object({ kind: z.literal('skipped'), reason: text }),
    z.object({ kind: z.literal('timed_out'), command: text, budget_secs: count }),
  ],
  { error: 'a kind of passed, failed, skipped or timed_out' },
);

const runFile = z.object({
  id: text,
  started_at: time,
  last_updated_at: optional(time),
  iter_count: optional(count),
  stop_reason: optional(text),
  verify_outcome: optional(verify),
});

const manifestFile = z.object({
  run_id: text,
  started_at: time,
  completed_at: optional(time),
  workers: z.array(
    z.object({
      id: count,
      log_subdir: optional(text),
      iter_count: optional(count),
      stop_reason: optional(text),
    }),
    { error: 'a list of workers' },
  ),
});

const batchFile = z.object({
  schema_version: z.literal(1, { error: '1, the only version that is known here' }),
  iter_number: count,
  task_ids: texts,
  source: z.enum(['agent', 'planner', 'skipped'], { error: 'agent, planner or skipped' }),
  planner_tokens: optional(tokens),
});
type Batch = z.output<typeof batchFile>;
type Iteration = z.output<typeof iteration>;
type RunFile = z.output<typeof runFile>;

const outcomes: Readonly<Record<string, ForeignOutcome>> = {
  closed: 'done',
  'no-close': 'no-result',
  'backpressure-fail': 'rolled-back',
  'runtime-error': 'error',
};

const canceledStops = ['cancelled', 'stop_file'];

/** Name of the lane of a run with one worker. */
const onlyLane = 'worker';

/** Reads the files of one run folder. */
export function hewRun(name: string, files: readonly ForeignFile[]): ForeignRun {
  const runs = readRecords(files, /^(?:worker-(\d+)\/)?run\.json$/, runFile);
  const manifests = readRecords(files, /^manifest\.json$/, manifestFile);
  const batches = readRecords(files, /^batch-\d+\.json$/, batchFile);
  const iterations = readRecords(files, /^(?:worker-(\d+)\/)?iter-\d+\.json$/, iteration);
  const manifest = manifests.records[0]?.value;
  const top = runs.records.find(({ parts }) => parts[0] === undefined)?.value;
  const lanes = lanesOf(files, runs.records, manifest?.workers ?? []);
  const plans = new Map(batches.records.map(({ value }) => [value.iter_number, value]));
  const turns = iterations.records
    .map(({ parts, value }) => {
      const lane = laneName(parts[0]);
      return turnOf(lane, value, lanes.find(({ id }) => id === lane)?.run ?? top, plans);
    })
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.number - b.number);
  const stop = top?.stop_reason ?? stopOfAll(lanes, manifest !== undefined);
  const ended = manifest?.completed_at ?? top?.last_updated_at;
  const verified =
    top?.verify_outcome ??
    runs.records.find(({ value }) => value.verify_outcome)?.value.verify_outcome;
  const plannerUsage = sumOf(batches.records.flatMap(({ value }) => value.planner_tokens ?? []));
  return {
    tool: 'hew',
    id: manifest?.run_id ?? top?.id ?? name,
    startedAt: manifest?.started_at ?? top?.started_at ?? turns[0]?.startedAt,
    endedAt: stop === undefined ? undefined : ended,
    stop,
    verified: verified && verifiedOf(verified),
    plannerUsage,
    lanes: lanes.map(({ id, stop: own }) => ({ id, stop: own })),
    turns,
    tasks: [],
    ...(batches.records.length === 0
      ? {}
      : { batches: batchCounts(batches.records.map(({ value }) => value)) }),
    notes: [
      ...lanes.flatMap((lane) => missingNote(lane, turns, lanes.length > 1)),
      ...(manifest === undefined && lanes.some(({ id }) => id !== onlyLane)
        ? ['There is no manifest.json: the run goes on, or it was killed before its end.']
        : []),
    ],
    problems: [manifests, runs, iterations, batches].flatMap(({ problems }) => problems),
  };
}

function laneName(worker: string | undefined): string {
  return worker === undefined ? onlyLane : `worker-${Number(worker)}`;
}

interface Lane extends ForeignLane {
  readonly run?: RunFile;
  /** Iterations that its own files count. */
  readonly counted?: number;
}

function lanesOf(
  files: readonly ForeignFile[],
  runs: readonly { readonly parts: readonly string[]; readonly value: RunFile }[],
  workers: z.output<typeof manifestFile>['workers'],
): readonly Lane[] {
  const folders = files.flatMap(({ name }) => /^worker-(\d+)\//.exec(name)?.[1] ?? []);
  const listed = workers.flatMap(({ id, log_subdir }) =>
    log_subdir === undefined ? [] : String(id),
  );
  const numbers = [...new Set([...folders, ...listed].map(Number))].sort((a, b) => a - b);
  const lane = (worker: number | undefined): Lane => {
    const id = laneName(worker?.toString());
    const run = runs.find(({ parts }) => laneName(parts[0]) === id)?.value;
    const row = workers.find((one) => one.id === (worker ?? one.id));
    return {
      id,
      run,
      stop: row?.stop_reason ?? run?.stop_reason,
      counted: row?.iter_count ?? run?.iter_count,
    };
  };
  return numbers.length === 0 ? [lane(undefined)] : numbers.map(lane);
}

/** The one reason of all workers, or each of them; undefined while one of them has none. */
function stopOfAll(lanes: readonly Lane[], hasEnded: boolean): string | undefined {
  const stops = [...new Set(lanes.map(({ stop }) => stop))];
  if (!hasEnded && stops.includes(undefined)) return undefined;
  const known = stops.filter((stop) => stop !== undefined);
  return known.length === 0 ? (hasEnded ? 'ended' : undefined) : known.join(', ');
}

function turnOf(
  lane: string,
  one: Iteration,
  run: RunFile | undefined,
  plans: ReadonlyMap<number, Batch>,
): ForeignTurn {
  const { number, task_id, started_at, ended_at, cost, runtime_used, model } = one;
  const batch = plans.get(number);
  const isChosen = batch?.source === 'skipped' || batch?.task_ids.includes(task_id ?? '');
  return {
    lane,
    number,
    coClaims: [],
    startedAt: started_at,
    ...outcomeAndNote(one, run),
    task: task_id,
    endedAt: ended_at,
    ms: ended_at === undefined ? undefined : Math.max(0, ended_at - started_at),
    word: one.outcome,
    agent: runtime_used,
    model,
    usage: usageIn(cost),
    batch: isChosen ? batch?.source : undefined,
  };
}

/** hew writes zeros where no agent reported its tokens. */
function usageIn(cost: Usage | undefined): Usage | undefined {
  if (cost === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite } = cost;
  return input + output + cacheRead + cacheWrite === 0 ? undefined : cost;
}

function outcomeAndNote(
  { outcome: word, ended_at, stderr_tail }: Iteration,
  run: RunFile | undefined,
): Pick<ForeignTurn, 'outcome' | 'note'> {
  if (word === undefined || ended_at === undefined) {
    const isCanceled = canceledStops.includes(run?.stop_reason ?? '');
    return isCanceled
      ? { outcome: 'canceled' }
      : { outcome: 'incomplete', note: 'no end recorded' };
  }
  const outcome = outcomeOf(outcomes, word);
  const note = firstLine(stderr_tail);
  if (outcome !== 'error') return { outcome, note };
  return note === undefined
    ? { outcome: 'hung', note: 'no stderr, possibly hung' }
    : { outcome, note };
}

function verifiedOf(found: z.output<typeof verify>): VerifyOutcome {
  switch (found.kind) {
    case 'passed':
      return { kind: 'passed', command: found.command, ms: found.duration_secs * 1000 };
    case 'failed': {
      const { command, exit_code: exit, duration_secs, stderr_tail: tail = '' } = found;
      return { kind: 'failed', command, exit, ms: duration_secs * 1000, tail };
    }
    case 'skipped':
      return found;
    case 'timed_out':
      return { kind: 'timed-out', command: found.command, budgetMs: found.budget_secs * 1000 };
  }
}

function batchCounts(batches: readonly Batch[]): NonNullable<ForeignRun['batches']> {
  const of = (source: Batch['source']) => batches.filter((one) => one.source === source).length;
  return { agent: of('agent'), planner: of('planner'), skipped: of('skipped') };
}

function sumOf(usages: readonly Usage[]): Usage | undefined {
  const add = (a: Usage, b: Usage): Usage => ({
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  });
  return usages.length === 0 ? undefined : usages.reduce(add);
}

function missingNote(
  { id, counted = 0 }: Lane,
  turns: readonly ForeignTurn[],
  isNamed: boolean,
): readonly string[] {
  const there = turns.filter(({ lane }) => lane === id).length;
  if (there >= counted) return [];
  const whose = isNamed ? ` of ${id}` : '';
  return [`The run counts ${counted} iterations${whose}, but ${there} could be read.`];
}
