import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fail, ok } from '../model/failure.ts';
import { serveMcp } from './server.ts';

const options = {
  open: async () => fail({ kind: 'usage', what: 'It is locked.', why: '', do: 'Unlock it.' }),
  start: async () => ok({ output: '', ended: Promise.resolve(0) }),
  mayApprove: false,
  version: '1.2.3',
};

/** A server whose client is this test. */
function served() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const ended = serveMcp(options, { input, output }, stop.signal);
  const lines: string[] = [];
  let rest = '';
  const waiting: (() => void)[] = [];
  output.on('data', (chunk) => {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const wake of waiting.splice(0)) wake();
  });
  return {
    ended,
    stop,
    end: () => input.end(),
    /** Sends a request, and returns the answer to it. */
    async ask(id: number, method: string, params: object) {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      for (;;) {
        const found = lines
          .map((line) => JSON.parse(line) as { id?: number; result?: object; error?: object })
          .find((one) => one.id === id);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'by-hand', version: '1' },
};

describe('the server of one connection', () => {
  it('introduces itself with its version and instructions', async () => {
    const server = served();
    expect(await server.ask(1, 'initialize', hello)).toMatchObject({
      result: {
        serverInfo: { name: 'yardmaster', version: '1.2.3' },
        instructions: expect.stringContaining('status'),
        capabilities: { tools: {}, resources: {} },
      },
    });
    server.end();
    await server.ended;
  });

  it('answers a call with the reason if the project cannot be opened', async () => {
    const server = served();
    await server.ask(1, 'initialize', hello);
    const call = await server.ask(2, 'tools/call', { name: 'graph', arguments: {} });
    expect(call.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'It is locked.\nUnlock it.' }],
    });
    server.end();
    await server.ended;
  });

  it('refuses a tool that does not exist', async () => {
    const server = served();
    await server.ask(1, 'initialize', hello);
    const call = await server.ask(2, 'tools/call', { name: 'destroy', arguments: {} });
    expect(JSON.stringify(call)).toContain('destroy');
    server.end();
    await server.ended;
  });

  it('ends when it is asked to, also before a client came', async () => {
    const server = served();
    server.stop.abort();
    await server.ended;
    const late = served();
    await late.ask(1, 'initialize', hello);
    late.stop.abort();
    await late.ended;
  });
});
