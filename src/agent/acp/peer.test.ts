import { beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../harness.ts';
import { Peer, type Reply } from './peer.ts';

let sent: Json[];
let told: [string, Json][];
let noises: number;
let peer: Peer;
beforeEach(() => {
  sent = [];
  told = [];
  noises = 0;
  peer = new Peer((line) => sent.push(JSON.parse(line) as Json), {
    request: (method, params): Reply =>
      method === 'sum'
        ? { result: { sum: params } }
        : { error: { code: -32601, message: `no ${method}` } },
    notification: (method, params) => told.push([method, params]),
    unreadableLine: () => {
      noises += 1;
    },
  });
});

const hear = (message: object): void =>
  peer.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));

describe('one side of a dialogue', () => {
  it('asks with an id and gets the answer with that id, in any order', async () => {
    const first = peer.request('a', { x: 1 });
    const second = peer.request('b', {});
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: {} },
    ]);
    hear({ id: 2, result: { two: true } });
    hear({ id: 1, error: { code: 429, message: 'slow down', data: { in: 5 } } });
    expect(await second).toEqual({ id: 'result', result: { two: true } });
    expect(await first).toEqual({
      id: 'error',
      error: { code: 429, message: 'slow down', data: { in: 5 } },
    });
  });

  it('accepts a null result, and completes an error without code or message', async () => {
    const first = peer.request('a', {});
    const second = peer.request('b', {});
    hear({ id: 1, result: null });
    hear({ id: 2, error: {} });
    expect(await first).toEqual({ id: 'result', result: {} });
    expect(await second).toMatchObject({ id: 'error', error: { code: -32603 } });
  });

  it('answers requests with any id, including 0', () => {
    hear({ id: 0, method: 'sum', params: { a: 1 } });
    hear({ id: 'x', method: 'other' });
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 0, result: { sum: { a: 1 } } },
      { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'no other' } },
    ]);
  });

  it('hears news, and answers none', () => {
    hear({ method: 'news', params: { a: 1 } });
    hear({ method: 'more', id: null });
    expect(told).toEqual([
      ['news', { a: 1 }],
      ['more', {}],
    ]);
    expect(sent).toEqual([]);
  });

  it('reports lines that are no message, and unexpected answers', async () => {
    const asked = peer.request('a', {});
    for (const line of ['hello', '[1]', '{"id":1', 'null', '{"id":7,"result":{}}', '{}']) {
      peer.receive(line);
    }
    hear({ id: 1, result: {} });
    hear({ id: 1, result: {} });
    expect(noises).toBe(7);
    expect(await asked).toEqual({ id: 'result', result: {} });
  });

  it('answers nothing after the other side is gone', async () => {
    const before = peer.request('a', {});
    peer.close();
    expect(await before).toEqual({ id: 'none' });
    expect(await peer.request('b', {})).toEqual({ id: 'none' });
    peer.notify('c', {});
    expect(sent).toHaveLength(1);
  });
});
