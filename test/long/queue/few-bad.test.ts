// Sixty-four branches, few of them bad, with conflicts that no merge sees: what the train makes of them, against one
// that judges each branch on top of all before it.
import { expect, test } from 'vitest';
import { sideBySide } from '../../rig/seed.ts';
import { corpusOf } from './branches.ts';
import { play, type Settings, tell } from './measure.ts';

const corpus = corpusOf({ pairs: 1, hopelessPairs: 0, broken: 1, hopelessBroken: 1, branches: 64 });

const serial: Settings = {
  gate: { branch: 'never' },
  train: { batch: 1 },
  rejudge: false,
};
/** A suite that is slow beside agents that need milliseconds, so that a queue comes to be. */
const ours: Settings = { gate: { branch: 'never' }, gateMs: 300 };

test('each gate lands at least 1.6 times as many branches as where they are judged one at a time', async () => {
  const [slow, quick] = await sideBySide(2, (lane) => play(corpus, lane === 0 ? serial : ours));
  if (slow === undefined || quick === undefined) throw new Error('Both were played');
  tell('few bad, one at a time', slow);
  tell('few bad, our train', quick);
  expect(slow.gateRuns.candidate).toBeGreaterThanOrEqual(corpus.tasks.length);
  expect(quick.yield / slow.yield).toBeGreaterThanOrEqual(1.6);
  for (const { ran, gateRuns } of [slow, quick]) expect(ran).toBe(gateRuns.total);
}, 300_000);
