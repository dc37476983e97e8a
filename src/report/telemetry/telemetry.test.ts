import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { logOf } from '../../../test/report/fixtures.ts';
import { recordsOf, sourceOf } from '../../../test/report/records-of.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import { RunTotals } from '../../history/totals.ts';
import type { Event } from '../../model/event.ts';
import { agentMetrics, runMetrics } from './metrics.ts';
import { attributesOf, metricsRequest, nanos, type Span, tracesRequest } from './otlp.ts';
import { spansOfRun, spansSoFar } from './spans.ts';

const hash = (text: string, bytes: number): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes);
const options = { hash, providerOf: (agent: string) => `provider of ${agent}` };

/** The story, with the attempt whose branch is the first of its candidate. */
const began = { type: 'attempt-started', slot: 1, fence: 1, agent: 'mine', branch: 'b' } as const;
const [first, ...rest] = trainStory;
const story: readonly Event[] =
  first === undefined
    ? []
    : [first, { ...first, ...began, run: 'r1', id: 'ui', attempt: 1 }, ...rest];

function traced(events: readonly Event[]) {
  const { run, attempts, history } = sourceOf(events);
  const queue = recordsOf(events).queueSteps.get(run.id) ?? [];
  return { run, attempts, history, queue, now: events.at(-1)?.at ?? 0 };
}

const textOf = ({ attributes }: Pick<Span, 'attributes'>, key: string): unknown => {
  const value = attributes.find((one) => one.key === key)?.value;
  return value === undefined ? undefined : Object.values(value)[0];
};

describe('the trace of a run', () => {
  const source = traced(story);
  const spans = spansOfRun(source, options);
  const named = (name: string) => spans.filter((span) => span.name.startsWith(name));

  it('has ids and times as the protocol writes them, and one id for each span', () => {
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(span.startTimeUnixNano).toMatch(/^\d+$/);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(nanos(1_763_394_000_123)).toBe('1763394000123000000');
  });

  it('has one root, and every other span belongs to a span of the trace', () => {
    const known = new Set(spans.map(({ spanId }) => spanId));
    const [root, ...others] = [...named('run'), ...spans.filter(({ name }) => name !== 'run')];
    expect(root?.parentSpanId).toBeUndefined();
    for (const { parentSpanId } of others) expect(known).toContain(parentSpanId);
    const attempts = named('attempt').map(({ spanId }) => spanId);
    expect(named('attempt').every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true);
    for (const span of [...named('invoke_agent'), ...named('landing'), ...named('delivery')]) {
      expect(attempts).toContain(span.parentSpanId);
    }
  });

  it('has every attempt, turn, call, gate run and landing of the records', () => {
    const { attempts, queue } = source;
    expect(named('attempt')).toHaveLength(attempts.length);
    const processes = attempts.flatMap(({ turns, calls }) => [...turns, ...calls]);
    expect(named('invoke_agent')).toHaveLength(processes.length);
    expect(named('gate')).toHaveLength(queue.filter(({ what }) => what.type === 'gated').length);
    expect(named('landing')).toHaveLength(1);
    expect(named('delivery')).toHaveLength(1);
  });

  it('adds up to the tokens of the records', () => {
    const { totals } = new RunTotals(source.attempts).sums();
    const sum = (key: string) =>
      spans.reduce((all, span) => all + Number(textOf(span, key) ?? 0), 0);
    expect(totals.total).toBeGreaterThan(0);
    expect(sum('gen_ai.usage.input_tokens')).toBe(
      totals.input + totals.cacheRead + totals.cacheWrite,
    );
    expect(sum('gen_ai.usage.output_tokens')).toBe(totals.output);
  });

  it('names agent processes by the conventions for generative AI', () => {
    const review = named('invoke_agent codex').find((span) =>
      textOf(span, 'gen_ai.usage.output_tokens'),
    );
    expect(
      review && Object.fromEntries(review.attributes.map(({ key }) => [key, textOf(review, key)])),
    ).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'provider of codex',
      'gen_ai.agent.name': 'codex',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.response.model': 'gpt-5',
      'gen_ai.usage.input_tokens': '900',
      'gen_ai.usage.output_tokens': '100',
      'yardmaster.call.kind': 'review',
      'yardmaster.task.id': 'api',
    });
  });

  it('links the gate of a candidate to the attempts in it, and a red one is an error', () => {
    const [red, green] = named('gate');
    const attemptOf = (task: string) =>
      named('attempt').find((span) => textOf(span, 'yardmaster.task.id') === task)?.spanId;
    expect(red?.links?.map(({ spanId }) => spanId).sort()).toEqual(
      [attemptOf('ui'), attemptOf('api')].sort(),
    );
    expect(red?.status).toEqual({ code: 2, message: 'gate-red' });
    expect(green?.links?.map(({ spanId }) => spanId)).toEqual([attemptOf('ui')]);
    expect(green?.status).toEqual({ code: 0 });
  });

  it('has no text of tasks, agents or gates', () => {
    const text = JSON.stringify(spans);
    for (const secret of ['It drops errors.', 'too slow', 'Better.', 'npm test', 'not ok']) {
      expect(JSON.stringify(trainStory)).toContain(secret.replace('not ok', 'not ok 1'));
      expect(text).not.toContain(secret);
    }
  });

  it('gives a span the same id while the run goes on, which has no span yet', () => {
    const running = traced(story.slice(0, -1));
    const before = spansOfRun(running, options);
    expect(before.some(({ name }) => name === 'run')).toBe(false);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    for (const { spanId } of before) expect(ids).toContain(spanId);
    const { run, attempts, queue } = source;
    const gates = { queue: queue.slice(0, -1), judged: attempts };
    for (const span of spansSoFar(run, attempts.slice(0, 1), gates, options)) {
      expect(spans).toContainEqual(span);
    }
  });

  it('has no span of an attempt that has not ended, only of its turns that have', () => {
    const of = { run: 'r1', id: 'a', attempt: 1 };
    const turn = { ...of, turn: 1, slot: 1, agent: 'mine' } as const;
    const waiting = logOf(
      { ...of, ...began },
      { ...turn, type: 'turn-started', reason: { id: 'first' } } as never,
      { ...turn, type: 'turn-ended', result: { ok: true, tail: '' } } as never,
      { type: 'run-ended', run: 'r1', stop: { reason: 'stop-asked' } },
    );
    const names = spansOfRun(traced(waiting), options).map(({ name }) => name);
    expect(names).toEqual(['run', 'invoke_agent mine']);
  });

  it('has a span of its own for each stretch of a run, from its resume to its end', () => {
    const resumedAt = source.run.startedAt + 1;
    const again = spansOfRun({ ...source, run: { ...source.run, resumedAt } }, options);
    const rootOf = (all: readonly Span[]) => all.find(({ name }) => name === 'run');
    expect(rootOf(again)?.spanId).not.toBe(rootOf(spans)?.spanId);
    expect(rootOf(again)?.traceId).toBe(rootOf(spans)?.traceId);
    expect(rootOf(again)?.startTimeUnixNano).toBe(nanos(resumedAt));
    const idsOf = (all: readonly Span[]) =>
      all.filter(({ name }) => name !== 'run').map(({ spanId }) => spanId);
    expect(idsOf(again)).toEqual(idsOf(spans));
  });

  it('tells the kind of the failure that ended an attempt', () => {
    const of = { run: 'r1', id: 'a', attempt: 1 };
    const failure = { kind: 'no-changes', tail: 'Secret words.' } as const;
    const events = logOf({ ...of, ...began }, { ...of, type: 'attempt-failed', failure });
    const [attempt] = spansOfRun(traced(events), options);
    expect(attempt?.status).toEqual({ code: 2, message: 'no-changes' });
    expect(attempt && textOf(attempt, 'error.type')).toBe('no-changes');
  });
});

describe('the metrics of a run', () => {
  const source = traced(story);

  it('are the counters of its records', () => {
    const { run, history } = source;
    const points = Object.fromEntries(
      runMetrics(source).map((metric) => [metric.name, 'sum' in metric ? metric.sum : undefined]),
    );
    expect(points['yardmaster.tokens']?.dataPoints).toMatchObject([
      { asInt: String(run.spent.tokens), startTimeUnixNano: nanos(run.startedAt) },
    ]);
    expect(points['yardmaster.landings']?.dataPoints).toMatchObject([
      { asInt: String(run.train.landed) },
    ]);
    expect(points['yardmaster.gate.runs']).toMatchObject({
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ asInt: '0' }, { asInt: '2' }, { asInt: '0' }],
    });
    expect(points['yardmaster.gate.duration']?.dataPoints[1]).toMatchObject({
      asDouble: (history?.gates.candidate.ms ?? 0) / 1000,
    });
  });

  it('have tokens and times of agent processes by agent and model, whose buckets add up', () => {
    const [tokens, durations] = agentMetrics(source, options.providerOf).map((metric) =>
      'histogram' in metric ? metric.histogram.dataPoints : [],
    );
    const { totals } = new RunTotals(source.attempts).sums();
    expect(tokens?.reduce((all, { sum }) => all + sum, 0)).toBe(totals.total);
    const ended = source.attempts.flatMap(({ turns, calls }) =>
      [...turns, ...calls].filter(({ end }) => end !== undefined),
    );
    expect(durations?.reduce((all, { count }) => all + Number(count), 0)).toBe(ended.length);
    for (const { bucketCounts, explicitBounds, count } of [
      ...(tokens ?? []),
      ...(durations ?? []),
    ]) {
      expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
      expect(bucketCounts.reduce((all, one) => all + Number(one), 0)).toBe(Number(count));
    }
  });
});

describe('requests of the protocol', () => {
  it('name the service, the run and the project', () => {
    const sender = { run: 'r1', project: 'p1' };
    const attributes = attributesOf({
      'service.name': 'yardmaster',
      'service.instance.id': 'r1',
      'yardmaster.project.id': 'p1',
    });
    expect(tracesRequest(sender, []).resourceSpans[0]?.resource).toEqual({ attributes });
    expect(metricsRequest(sender, []).resourceMetrics[0]?.resource).toEqual({ attributes });
  });

  it('write counts as text and amounts as numbers', () => {
    expect(attributesOf({ a: 1, b: { doubleValue: 2 }, c: true, d: 'x', e: undefined })).toEqual([
      { key: 'a', value: { intValue: '1' } },
      { key: 'b', value: { doubleValue: 2 } },
      { key: 'c', value: { boolValue: true } },
      { key: 'd', value: { stringValue: 'x' } },
    ]);
  });
});
