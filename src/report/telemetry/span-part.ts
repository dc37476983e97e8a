import type { AttemptRecord } from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { ProviderOf } from './agent-process.ts';
import { attributesOf, internalSpan, nanos, type Plain, type Span } from './otlp.ts';

export interface SpanOptions {
  /** Hash of a text, in hexadecimal, with this many bytes. */
  readonly hash: (text: string, bytes: number) => string;
  readonly providerOf: ProviderOf;
}

/** Parts of a span that differ between its kinds. `key` is its identity within the run. */
export interface SpanPart {
  readonly key: string;
  readonly parent?: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Kind of the failure that ended it. */
  readonly error: string | undefined;
  readonly attributes: Readonly<Record<string, Plain>>;
  /** Keys of spans that it belongs to as well. */
  readonly links?: readonly string[];
}

/** Each stretch of a run, from its start or a resume to its end, has a span of its own. */
export const runKey = ({ resumedAt }: Pick<RunRecord, 'resumedAt'>): string =>
  resumedAt === undefined ? 'run' : `run ${resumedAt}`;
export const attemptKey = ({ task, number }: Pick<AttemptRecord, 'task' | 'number'>): string =>
  `attempt ${task} ${number}`;

/** A span of the trace of `run`. */
export function spanOf(run: string, part: SpanPart, { hash }: SpanOptions): Span {
  const { key, parent, name, from, to, error, attributes, links } = part;
  const traceId = hash(run, 16);
  const spanId = (of: string): string => hash(`${run} ${of}`, 8);
  return {
    traceId,
    spanId: spanId(key),
    ...(parent === undefined ? {} : { parentSpanId: spanId(parent) }),
    name,
    kind: internalSpan,
    startTimeUnixNano: nanos(from),
    // A clock that was set back must not make a span end before it starts.
    endTimeUnixNano: nanos(Math.max(from, to)),
    attributes: attributesOf({ 'yardmaster.run.id': run, ...attributes, 'error.type': error }),
    ...(links === undefined ? {} : { links: links.map((of) => ({ traceId, spanId: spanId(of) })) }),
    status: error === undefined ? { code: 0 } : { code: 2, message: error },
  };
}
