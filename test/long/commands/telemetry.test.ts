// Traces and metrics of a run, at a server that records them and in a file.
import { expect, test } from 'vitest';
import { collector, type Received } from '../../rig/collector.ts';
import { testProject, touch, waitFor, write } from '../../rig.ts';

interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        name: string;
        spanId: string;
        traceId: string;
        parentSpanId?: string;
      }[];
    }[];
  }[];
}

const spansIn = (bodies: readonly string[]) =>
  bodies.flatMap(
    (body) =>
      (JSON.parse(body) as Partial<Traces>).resourceSpans?.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans),
      ) ?? [],
  );
const namesIn = (bodies: readonly string[]) =>
  spansIn(bodies)
    .map(({ name }) => name)
    .sort();
const whole = ['attempt', 'attempt', 'gate', 'invoke_agent actor', 'invoke_agent actor'];

const turn = (file: string) => [
  [{ usage: { input: 30, output: 3, costUsd: 0.25 } }, write(file, 'done\n')],
];
const script = { a: turn('a.txt'), b: turn('b.txt') };
const tasks = [
  { id: 'a', title: 'Title of a' },
  { id: 'b', after: ['a'], title: 'Title of b' },
];
const of = (received: readonly Received[], path: string) =>
  received.filter((one) => one.path === path).map(({ body }) => body);

test('a run sends its spans and metrics while it goes on and at its end, each span once', async () => {
  const { endpoint, received } = await collector();
  const telemetry = { endpoint, headers_env: 'OTLP_HEADERS' };
  const env = { OTLP_HEADERS: 'authorization=Bearer%20abc-def-ghi' };
  const y = testProject({ config: { telemetry }, env, tasks, script });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const traces = of(received, '/v1/traces');
  expect(traces.length).toBeGreaterThanOrEqual(2);
  expect(of(received, '/v1/metrics')).toHaveLength(traces.length);
  expect(received).toHaveLength(2 * traces.length);
  for (const { headers } of received) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer abc-def-ghi',
    });
  }
  expect(namesIn(traces)).toEqual(expect.arrayContaining([...whole, 'landing', 'run']));
  const ids = spansIn(traces).map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  // What ended first did not wait for the end of the run.
  expect(namesIn(traces.slice(0, -1))).toEqual(expect.arrayContaining(['attempt', 'gate']));
  expect(namesIn(traces.slice(0, -1))).not.toContain('run');
  const last = of(received, '/v1/metrics').at(-1) ?? '';
  expect(last).toMatch(/"name":"yardmaster.tokens".*?"asInt":"66"/);
  expect(last).toMatch(/"name":"yardmaster.cost".*?"asDouble":0.5\b/);
  expect(last).toMatch(/"name":"yardmaster.landings".*?"asInt":"2"/);
  expect(last).toContain('gen_ai.client.token.usage');
  expect(received.map(({ body }) => body).join('')).not.toMatch(/Title of|abc-def/);
});

test('a run that was stopped and resumed sends every span once, with a span for each stretch', async () => {
  const { endpoint, received } = await collector();
  const y = testProject({
    config: { telemetry: { endpoint }, jobs: 1 },
    tasks,
    script: {
      a: turn('a.txt'),
      b: [[touch('begun'), waitFor('go'), write('b.txt', 'b\n')], [write('b.txt', 'b\n')]],
    },
  });
  const first = y.start('run', y.plan);
  await y.seen('begun');
  expect((await y.ym('stop', '--now')).code).toBe(0);
  await first.end();
  y.signal('go');
  const before = of(received, '/v1/traces').length;
  expect(namesIn(of(received, '/v1/traces'))).toEqual(expect.arrayContaining(['attempt', 'run']));
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  const spans = spansIn(of(received, '/v1/traces'));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const runs = spans.filter(({ name }) => name === 'run');
  expect(runs).toHaveLength(2);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const later = spansIn(of(received, '/v1/traces').slice(before));
  expect(later.filter(({ name }) => name === 'landing')).toHaveLength(1);
  const roots = new Set(runs.map(({ spanId }) => spanId));
  for (const { parentSpanId } of spans.filter(({ name }) => name === 'attempt')) {
    expect(roots).toContain(parentSpanId);
  }
});
