import { expect, it } from 'vitest';
import type { Turn } from '../../src/port/agent.ts';
import type { HowEnded } from '../../src/port/processes.ts';
import { turn } from '../agent/turn.ts';
import { memoryAgent, telling } from './agent.ts';

const agent = memoryAgent('mine');

const played = (
  more: Partial<Turn>,
  printed: string,
  how: HowEnded = { id: 'exited', code: 0 },
) => {
  const listener = agent.listen(turn(more));
  for (const line of printed.trimEnd().split('\n')) listener.line(line);
  return listener.conclude({ how, startedAt: 0, endedAt: 1, stragglers: 0 }, 'the end');
};
const review = { purpose: 'review' } as const;

it('the made-up agent answers a review by what it prints, or by what it tells', () => {
  expect(played(review, 'Well.\nVERDICT: APPROVED\n')).toEqual({
    ok: true,
    tail: 'the end',
    answer: 'Well.\nVERDICT: APPROVED',
  });
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 2 };
  const told = telling({ ok: true, tail: '', answer: 'Told.', signal: { id: 'complete' }, usage });
  expect(played(review, told)).toEqual({ ok: true, tail: 'the end', answer: 'Told.', usage });
});

it('the made-up agent fails a review as it tells, or as its process ends', () => {
  const failure = { kind: 'provider-server', agent: 'mine', message: 'x' } as const;
  expect(played(review, telling({ ok: false, failure }))).toEqual({ ok: false, failure });
  expect(played(review, 'VERDICT: APPROVED', { id: 'exited', code: 1 })).toEqual({
    ok: false,
    failure: { kind: 'agent-exited', exit: 1, tail: 'the end' },
  });
});

it('the made-up agent has a conversation only where it works', () => {
  expect(agent.launch(turn({ ...review, session: 's' })).argv).toEqual(['mine', 'review']);
  expect(played({ session: 's' }, 'x')).toEqual({ ok: true, tail: 'the end', session: 's' });
});
