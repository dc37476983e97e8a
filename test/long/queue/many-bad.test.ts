// The same where many branches are bad: judging several together must not cost more than judging them one at a time.
import { expect, test } from 'vitest';
import { sideBySide } from '../../rig/seed.ts';
import { corpusOf } from './branches.ts';
import { play, type Settings, tell } from './measure.ts';

const corpus = corpusOf({ pairs: 2, hopelessPairs: 1, broken: 7, hopelessBroken: 3, branches: 40 });

const serial: Settings = {
  gate: { branch: 'never' },
  train: { batch: 1 },
  rejudge: false,
};
const ours: Settings = { gate: { branch: 'never' }, gateMs: 300 };
const filtered: Settings = { gateMs: 300 };

/**
 * That many are bad has to be found out first, and who is ready when differs from one play to the next: a gate or two
 * more or less is chance. Over many corpora `test/train` holds the same to a narrower bound.
 */
const learning = 0.95;

test('no more gates of candidates are run for each landing than where branches are judged one at a time', async () => {
  const [slow, quick, auto] = await sideBySide(3, (lane) =>
    play(corpus, [serial, ours, filtered][lane] ?? serial),
  );
  if (slow === undefined || quick === undefined || auto === undefined)
    throw new Error('All were played');
  tell('many bad, one at a time', slow);
  tell('many bad, our train', quick);
  tell('many bad, our train with branches judged where it pays', auto);
  expect(quick.yield).toBeGreaterThanOrEqual(slow.yield * learning);
  expect(auto.yield).toBeGreaterThanOrEqual(slow.yield * learning);
  for (const { ran, gateRuns } of [slow, quick, auto]) expect(ran).toBe(gateRuns.total);
}, 300_000);
