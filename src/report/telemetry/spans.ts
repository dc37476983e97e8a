import type { AttemptRecord } from '../../model/history.ts';
import type { QueueStep } from '../../model/queue-history.ts';
import { endOf, type RunRecord, stopOf } from '../../model/run-record.ts';
import { attemptParts } from './attempt-spans.ts';
import { gateParts } from './gate-spans.ts';
import type { Span } from './otlp.ts';
import { runKey, type SpanOptions, type SpanPart, spanOf } from './span-part.ts';

interface TraceSource {
  readonly run: RunRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly queue: readonly QueueStep[];
}

/**
 * The whole trace of a run: run, attempts, turns, calls, gates, landings. Ids depend on the records only, so a span that
 * is made twice has the same id. Only what has ended has a span, so that none is sent with two ends: the run is absent
 * while it goes on, an attempt while it waits. Spans have ids, kinds and numbers, and no text of tasks, agents or gates.
 */
export function spansOfRun({ run, attempts, queue }: TraceSource, options: SpanOptions): Span[] {
  const end = endOf(run);
  const inRun = end === undefined ? [] : [spanOf(run.id, runPart(run, end), options)];
  return [...inRun, ...spansSoFar(run, attempts, { queue, judged: attempts }, options)];
}

/** Spans of attempts that have ended, and of gates. `judged` are the attempts in the candidates of these gates. */
export function spansSoFar(
  run: RunRecord,
  ended: readonly AttemptRecord[],
  { queue, judged }: { queue: readonly QueueStep[]; judged: readonly AttemptRecord[] },
  options: SpanOptions,
): Span[] {
  const parts = [
    ...ended.flatMap((attempt) => attemptParts(run, attempt, options.providerOf)),
    ...gateParts(run, judged, queue),
  ];
  return parts.map((part) => spanOf(run.id, part, options));
}

function runPart(run: RunRecord, to: number): SpanPart {
  const stop = stopOf(run);
  return {
    key: runKey(run),
    name: 'run',
    from: run.resumedAt ?? run.startedAt,
    to,
    error: stop?.failure?.kind,
    attributes: {
      'yardmaster.run.stop': stop?.reason,
      'yardmaster.run.resumed': run.resumedAt !== undefined,
      'yardmaster.run.jobs': run.settings.jobs,
      'yardmaster.run.agent_starts': run.spent.starts,
      'yardmaster.run.landings': run.train.landed,
    },
  };
}
