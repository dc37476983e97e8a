import { expect, it } from 'vitest';
import { callLine, usageLine } from './transcript.ts';

it.each([
  [{ ok: false, exit: 1, ms: 4_000 }, '▸ Bash npm test  exit 1  4 s'],
  [{ ok: false }, '▸ Bash npm test  failed'],
  [{ ok: true }, '▸ Bash npm test'],
  [undefined, '▸ Bash npm test  running'],
])('a tool call is one line: %j', (outcome, line) => {
  const call = { name: 'Bash', subject: 'npm test' };
  expect(callLine(outcome === undefined ? call : { ...call, outcome })).toBe(line);
});

it('usage is one line, with the cost where it is known', () => {
  const usage = { input: 2400, cacheRead: 16_000, cacheWrite: 600, output: 90 };
  expect(usageLine(usage)).toBe('usage: 2400 input, 16600 cached, 90 output');
  expect(usageLine({ ...usage, cacheRead: 0, cacheWrite: 0, costUsd: 0.0176 })).toBe(
    'usage: 2400 input, 90 output, $0.0176',
  );
});
