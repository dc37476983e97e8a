import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collector } from '../../test/rig/collector.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { fileSink, httpSink } from './sink.ts';

const never = new AbortController().signal;

describe('telemetry to an endpoint', () => {
  it('is posted as JSON to the path of its signal, with the headers of the user', async () => {
    const { endpoint, received } = await collector();
    const sink = httpSink({
      endpoint: `${endpoint}/otlp/`,
      headers: 'authorization=Basic%20x, a=b',
    });
    expect(await sink.send('traces', '{"a":1}', never)).toEqual({ ok: true, value: undefined });
    expect(await sink.send('metrics', '{"b":2}', never)).toMatchObject({ ok: true });
    expect(received.map(({ path, body }) => [path, body])).toEqual([
      ['/otlp/v1/traces', '{"a":1}'],
      ['/otlp/v1/metrics', '{"b":2}'],
    ]);
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Basic x',
      a: 'b',
    });
  });

  it('is sent once more after a status that may pass, and not after another', async () => {
    const busy = await collector((response, nth) => {
      response.statusCode = nth === 1 ? 503 : 200;
      response.end();
    });
    const sink = httpSink({ endpoint: busy.endpoint, headers: '' });
    expect(await sink.send('traces', '{}', never)).toMatchObject({ ok: true });
    expect(busy.received).toHaveLength(2);
    const wrong = await collector((response) => {
      response.statusCode = 400;
      response.end();
    });
    const failed = await httpSink({ ...wrong, headers: '' }).send('traces', '{}', never);
    expect(failed).toEqual({ ok: false, failure: 'it answered with status 400' });
    expect(wrong.received).toHaveLength(1);
  });

  it.each([
    ['{}', undefined],
    ['', undefined],
    ['no JSON', undefined],
    ['{"partialSuccess":{}}', undefined],
    ['{"partialSuccess":{"rejectedSpans":"0","errorMessage":"a warning"}}', undefined],
    ['{"partialSuccess":{"rejectedSpans":"3"}}', 'it refused 3 spans'],
    [
      '{"partialSuccess":{"rejectedDataPoints":1,"errorMessage":"too\\u001b[2J old"}}',
      'it refused 1 data point: too\\x1b[2J old',
    ],
  ])('is delivered once, and the answer %j says what was refused', async (body, refused) => {
    const { endpoint, received } = await collector((response) => response.end(body));
    const sent = await httpSink({ endpoint, headers: '' }).send('traces', '{}', never);
    expect(sent).toEqual({ ok: true, value: refused });
    expect(received).toHaveLength(1);
  });

  it('is given up if there is no answer in time, after a second try', async () => {
    const { endpoint, received } = await collector(() => undefined);
    const failed = await httpSink({ endpoint, headers: '', ms: 50 }).send('traces', '{}', never);
    expect(failed).toEqual({ ok: false, failure: 'it did not answer in time' });
    expect(received).toHaveLength(2);
  });

  it('is given up at once when its time is over', async () => {
    const over = new AbortController();
    const { endpoint, received } = await collector(() => over.abort());
    const failed = await httpSink({ endpoint, headers: '' }).send('traces', '{}', over.signal);
    expect(failed).toEqual({ ok: false, failure: 'it did not answer in time' });
    expect(received).toHaveLength(1);
  });

  it('is not sent with headers that cannot be read, whose values no message shows', async () => {
    const { endpoint, received } = await collector();
    for (const headers of ['no-name', 'a b=secret', 'a=%zz', 'a=se\ncret']) {
      const failed = await httpSink({ endpoint, headers }).send('traces', '{}', never);
      expect(failed).toEqual({ ok: false, failure: expect.stringContaining('headers_env') });
    }
    expect(received).toEqual([]);
  });
});

describe('telemetry to a file', () => {
  it('is appended, one request in each line', async () => {
    const file = join(tempFolder(), 'run.jsonl');
    const sink = fileSink(file);
    await sink.send('traces', '{"a":1}', never);
    await sink.send('metrics', '{"b":2}', never);
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"b":2}\n');
  });

  it('says why the file cannot be written', async () => {
    const sink = fileSink(join(tempFolder(), 'none', 'run.jsonl'));
    const failed = await sink.send('traces', '{}', never);
    expect(failed).toEqual({ ok: false, failure: expect.stringContaining('ENOENT') });
  });
});
