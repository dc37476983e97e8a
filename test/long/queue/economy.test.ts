// What gates cost: how often the suite runs for each landing, and that no tree is judged twice.
import { expect, test } from 'vitest';
import { corpusOf } from './branches.ts';
import { play, tell } from './measure.ts';

/** Some seconds, or as many as `TEST_GATE_MS` says. */
const gateMs = Number(process.env.TEST_GATE_MS ?? 2_000);

const none = { pairs: 0, hopelessPairs: 0, broken: 0, hopelessBroken: 0 };

test('twenty good branches need at most five gate runs in the first run of a project', async () => {
  const corpus = corpusOf({ ...none, branches: 20 });
  const measured = await play(corpus, { gateMs, gate: { reruns: 1 }, config: { jobs: 8 } });
  tell(`twenty good ones, a suite of ${gateMs} ms`, measured);
  const { gateRuns, landed, ran } = measured;
  expect(landed).toHaveLength(20);
  expect(ran).toBe(gateRuns.total);
  expect(gateRuns.total).toBeLessThanOrEqual(5);
}, 300_000);

/**
 * Judged one at a time, the same branches take 24 gate runs: the target, each branch, and the second attempt of the three
 * that nobody fixes. The suite runs 27 times, because each of those three is confirmed once. `TEST_SERIAL=1` measures it.
 */
test('two bad ones and a pair that nobody fixes take at most 18 gate runs', async () => {
  const bad = { pairs: 1, pairKinds: 1, hopelessPairs: 1, broken: 2, hopelessBroken: 2 };
  const corpus = corpusOf({ ...bad, branches: 20 });
  const settings = { gateMs, gate: { reruns: 1 }, config: { jobs: 8, preflight: true } };
  const ours = await play(corpus, settings);
  tell('two bad ones and a pair', ours);
  expect(ours.gateRuns.total).toBeLessThanOrEqual(18);
  expect(ours.ran).toBeLessThanOrEqual(0.8 * 27);
  if (process.env.TEST_SERIAL !== '1') return;
  const oneAtATime = { train: { batch: 1 }, gate: { reruns: 1, branch: 'never' }, rejudge: false };
  const serial = await play(corpus, { ...settings, ...oneAtATime });
  tell('two bad ones and a pair, one at a time', serial);
  expect(serial).toMatchObject({ ran: 27, gateRuns: { total: 24 } });
  expect(ours.seconds / serial.seconds).toBeLessThanOrEqual(0.8);
}, 600_000);
