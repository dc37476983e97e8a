import { expect, test } from 'vitest';
import { openTelemetry } from '../../src/app/telemetry.ts';
import { loadConfig } from '../../src/config/config.ts';
import { limits } from '../../src/model/limits.ts';
import type { TelemetrySink } from '../../src/port/telemetry.ts';
import { MemoryRecords } from '../../src/record/memory-records.ts';
import { landedStory } from '../report/landed-story.ts';
import { recordsOf, sourceOf } from '../report/records-of.ts';
import { trainStory } from '../report/train-story.ts';
import { need } from '../rig/need.ts';

test('an endpoint that hangs gets no second request during the run, and its end waits for a bounded time', async () => {
  const config = need(loadConfig({ root: '/repo', env: {}, flags: {}, readFile: () => undefined }));
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
  const project = { id: 'p', dir: '/nowhere', clock, telemetrySinks: async () => [hanging] };
  const telemetry = await openTelemetry(project, config, 'r1');
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
  const config = need(loadConfig({ root: '/repo', env: {}, flags: {}, readFile: () => undefined }));
  const spans: string[] = [];
  const picky: TelemetrySink = {
    name: 'picky',
    async send(signal, json) {
      if (signal === 'traces') spans.push(...(json.match(/"spanId":"\w+"/g) ?? []));
      return { ok: true, value: signal === 'traces' ? 'it refused 1 span: too old' : undefined };
    },
  };
  const clock = { now: () => 0, sleep: async () => undefined };
  const project = { id: 'p', dir: '/nowhere', clock, telemetrySinks: async () => [picky] };
  const telemetry = await openTelemetry(project, config, 'r1');
  const { run, attempts, history } = sourceOf(trainStory);
  const messages = await telemetry.end({ run, attempts, history, queue: [] });
  expect(messages).toEqual([
    expect.stringContaining('not delivered to picky: it refused 1 span: too old.'),
  ]);
  const count = spans.length;
  await telemetry.end({ run, attempts, history, queue: [] });
  expect(spans).toHaveLength(count);
});

test('a gate is sent when it ends, with links to the attempts in its candidate, and not again', async () => {
  const config = need(loadConfig({ root: '/repo', env: {}, flags: {}, readFile: () => undefined }));
  const requests: string[] = [];
  const sink: TelemetrySink = {
    name: 'all',
    async send(signal, json) {
      if (signal === 'traces') requests.push(json);
      return { ok: true, value: undefined };
    },
  };
  const clock = { now: () => 0, sleep: async () => undefined };
  const project = { id: 'p', dir: '/nowhere', clock, telemetrySinks: async () => [sink] };
  const telemetry = await openTelemetry(project, config, 'r1');
  const records = new MemoryRecords();
  for (const event of landedStory) {
    const known = records.queueSteps.get('r1')?.length ?? 0;
    recordsOf([event], records);
    const news = records.queueSteps.get('r1')?.slice(known) ?? [];
    for (const step of news) telemetry.onQueueStep('r1', step);
    telemetry.on(event, records);
    await new Promise(setImmediate);
    if (event.type === 'candidate-judged') break;
  }
  const spans = /"name":"(\w+)"/g;
  const names = (text: string) => [...text.matchAll(spans)].map(([, name]) => name);
  expect(requests.map(names)).toEqual([['yardmaster', 'gate']]);
  expect(requests[0]).toMatch(/"links":\[\{[^}]+\}\]/);
  const { run, attempts, history } = sourceOf(landedStory);
  const queue = recordsOf(landedStory).queueSteps.get(run.id) ?? [];
  await telemetry.end({ run, attempts, history, queue });
  expect(names(requests.slice(1).join('')).sort()).toEqual([
    'attempt',
    'landing',
    'run',
    'yardmaster',
  ]);
});
