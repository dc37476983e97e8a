// What gates cost: how often the suite runs for each landing, and that no tree is judged twice.
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../../rig.ts';
import { gatesOf, notingGate, staged } from './barrier.ts';
import { corpusOf } from './branches.ts';
import { expectNoHalfDoneMerge } from './half-done.ts';
import { corpusProject, mostAtOnce, noted, play, tell } from './measure.ts';

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

test('gates of branches, candidates and the target never run at once beyond gate.slots', async () => {
  const corpus = corpusOf({ ...none, broken: 2, branches: 6 });
  const gate = { branch: 'always', slots: 2 };
  const y = corpusProject(corpus, { gate, config: { jobs: 6 } });
  const run = await y.ymWith({ env: noted(y, 300) }, 'run', y.plan);
  expect(run).toMatchObject({ code: 0 });
  expect(mostAtOnce(y)).toBe(2);
}, 120_000);

const noting = {
  files: { 'gate.sh': notingGate },
  config: {
    gate: { commands: ['sh gate.sh'], branch: 'never' },
    train: { batch: 1 },
  },
} as const;

test('a tree that the target has already is not judged again', async () => {
  const same = (mine: string, other: string) => [[touch(mine), waitFor(other), write('x', 'x\n')]];
  const y = testProject({
    ...noting,
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: same('a', 'b'), b: same('b', 'a') },
  });
  expect(await y.ymWith(staged(y), 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(gatesOf(y)).toHaveLength(1);
  expectNoHalfDoneMerge(y);
});

test('a run that is resumed lands what was judged before it was killed, without a gate', async () => {
  const y = testProject({
    ...noting,
    files: { ...noting.files, 'shared.txt': 'old\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[write('shared.txt', 'new\n')]] },
  });
  y.write('shared.txt', 'my edit\n');
  const run = y.startWith(staged(y), 'run', y.plan);
  await y.untilStatus(
    ({ train }) => train.some((entry) => entry.failure?.kind === 'checkout-in-the-way'),
    'a landing that waits',
  );
  run.signal('SIGKILL');
  await run.end();
  y.git('checkout', '--', 'shared.txt');
  expect(await y.ymWith(staged(y), 'resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(gatesOf(y)).toEqual(['a']);
  expectNoHalfDoneMerge(y);
});

test('another run takes over what an earlier one found of the very same tree', async () => {
  const y = testProject({
    ...noting,
    tasks: [{ id: 'a' }],
    script: { default: [[write('x', 'x\n')]] },
    loses: ['a'],
  });
  const before = y.tip();
  expect(await y.ymWith(staged(y), 'run', y.plan)).toMatchObject({ code: 0 });
  y.git('reset', '-q', '--hard', before);
  y.writeTasks([{ id: 'b' }]);
  expect(await y.ymWith(staged(y), 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ b: 1 });
  expect(gatesOf(y)).toEqual(['a']);
  const { gateRuns } = JSON.parse((await y.ym('summary', '--json')).stdout);
  expect(gateRuns).toMatchObject({ total: 0 });
});
