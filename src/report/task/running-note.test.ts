import { expect, it } from 'vitest';
import type { AttemptRecord } from '../../model/history.ts';
import { isRunning } from './running-note.ts';

type Turns = AttemptRecord['turns'];

const begun: Turns[number] = {
  turn: 2,
  run: 'r1',
  slot: 1,
  startedAt: 3,
  agent: 'actor',
  reported: false,
  outcome: 'incomplete',
};
const ended: Turns[number] = { ...begun, turn: 1, end: { at: 2 } };

it('a turn is running until it has ended, also if a later step of its attempt goes on', () => {
  expect(isRunning({ turns: [ended, begun] })).toBe(true);
  expect(isRunning({ turns: [ended, begun] }, 2)).toBe(true);
  expect(isRunning({ turns: [ended, begun] }, 1)).toBe(false);
  expect(isRunning({ turns: [ended] })).toBe(false);
});

it('nothing is running before the first turn', () => {
  expect(isRunning({ turns: [] })).toBe(false);
  expect(isRunning(undefined)).toBe(false);
});
