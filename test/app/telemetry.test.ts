import { expect, test } from 'vitest';
import { openTelemetry } from '../../src/app/telemetry.ts';
import { loadConfig } from '../../src/config/config.ts';
import { limits } from '../../src/model/limits.ts';
import type { TelemetrySink } from '../../src/port/telemetry.ts';
import { recordsOf, sourceOf } from '../report/records-of.ts';
import { trainStory } from '../report/train-story.ts';

test('an endpoint that hangs gets no second request during the run, and its end waits for a bounded time', async () => {
  const config = loadConfig({ root: '/repo', env: {}, flags: {}, readFile: () => undefined });
  if (!config.ok) throw new Error('the defaults are no config');
  let requests = 0;
  const hanging: TelemetrySink = {
    name: 'hanging',
    async send(_signal, _json, until) {
      requests += 1;
      await new Promise((resolve) => {
        if (until.aborted) resolve(undefined);
        until.addEventListener('abort', resolve);
      });
      return { ok: false, failure: 'it did not answer in time' };
    },
  };
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    async sleep(ms: number) {
      waits.push(ms);
    },
  };
  const project = { id: 'p', clock, telemetrySinks: async () => [hanging] };
  const telemetry = await openTelemetry(project, config.value, 'r1');
  const records = recordsOf(trainStory);
  for (const event of trainStory) telemetry.on(event, records);
  await Promise.resolve();
  expect(requests).toBe(1);
  const { run, attempts, history } = sourceOf(trainStory);
  const messages = await telemetry.end({ run, attempts, history, queue: [] });
  expect(waits).toEqual([limits.telemetryEndMs]);
  expect(requests).toBe(2);
  expect(messages).toEqual([
    expect.stringContaining('not delivered to hanging: it did not answer'),
  ]);
});

test('a part that a collector refuses for good is reported at the end, and not sent again', async () => {
  const config = loadConfig({ root: '/repo', env: {}, flags: {}, readFile: () => undefined });
  if (!config.ok) throw new Error('the defaults are no config');
  const spans: string[] = [];
  const picky: TelemetrySink = {
    name: 'picky',
    async send(signal, json) {
      if (signal === 'traces') spans.push(...(json.match(/"spanId":"\w+"/g) ?? []));
      return { ok: true, value: signal === 'traces' ? 'it refused 1 span: too old' : undefined };
    },
  };
  const clock = { now: () => 0, sleep: async () => undefined };
  const project = { id: 'p', clock, telemetrySinks: async () => [picky] };
  const telemetry = await openTelemetry(project, config.value, 'r1');
  const { run, attempts, history } = sourceOf(trainStory);
  const messages = await telemetry.end({ run, attempts, history, queue: [] });
  expect(messages).toEqual([
    expect.stringContaining('not delivered to picky: it refused 1 span: too old.'),
  ]);
  const count = spans.length;
  await telemetry.end({ run, attempts, history, queue: [] });
  expect(spans).toHaveLength(count);
});
