import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CheckedLines } from './server.ts';

/** Returns the answers to a client that sends these chunks, and what is passed on. */
async function answersTo(...chunks: readonly (string | Buffer)[]) {
  const output = new PassThrough();
  const lines = new CheckedLines(output);
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  const passed = (await lines.toArray()).join('');
  const answers = String(output.read() ?? '')
    .split('\n')
    .filter(Boolean);
  return { passed, answers: answers.map((line) => JSON.parse(line)) };
}

const answer = (code: number, message: string, id: string | number | null = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

describe('a line of a client', () => {
  it.each([
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
  ])('that is a message is passed on: %j', async (message) => {
    const line = `${JSON.stringify(message)}\r\n`;
    expect(await answersTo('\n', line)).toEqual({ passed: `\n${line}`, answers: [] });
  });

  it('that is not JSON is answered with a parse error', async () => {
    const { answers } = await answersTo('hello\n{"jsonrpc": \n');
    expect(answers).toEqual(Array(2).fill(answer(-32700, 'Parse error')));
  });

  it.each(['5', '"x"', 'null', '[]', '{}', '{"jsonrpc":"2.0","id":{},"method":"x"}'])(
    'that is JSON and no message is answered as an invalid request: %s',
    async (line) => {
      const { answers } = await answersTo(`${line}\n`);
      expect(answers).toEqual([answer(-32600, 'Invalid Request')]);
    },
  );

  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":5}', 7],
    ['{"jsonrpc":"1.0","id":"one","method":"x"}', 'one'],
    ['{"jsonrpc":"2.0","id":0}', 0],
  ])('that has an id and is no message is answered with its id: %s', async (line, id) => {
    const { answers } = await answersTo(`${line}\n`);
    expect(answers).toEqual([answer(-32600, 'Invalid Request', id)]);
  });

  it('may arrive in pieces, also in the middle of a character', async () => {
    const whole = Buffer.from('{"jsonrpc":"2.0","method":"ü\u2028"}\nbad\nno');
    for (let cut = 1; cut < whole.length; cut += 1) {
      const { passed, answers } = await answersTo(whole.subarray(0, cut), whole.subarray(cut));
      expect(passed).toBe(String(whole));
      expect(answers).toEqual([answer(-32700, 'Parse error')]);
    }
  });
});
