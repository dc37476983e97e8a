// What gates cost: how often the suite runs for each landing, and that no tree is judged twice.
import { expect, test } from 'vitest';
import { append, touch, until, waitFor, write, yard } from '../rig.ts';
import { corpusOf } from './branches.ts';
import { expectNoHalfDoneMerge } from './halfdone.ts';
import { play, tell } from './measure.ts';

/** Some seconds, or as many as `TEST_GATE_MS` says. */
const gateMs = Number(process.env.TEST_GATE_MS ?? 2_000);

test('twenty good branches need at most 1.2 gates for each landing, those of branches included', async () => {
  const corpus = corpusOf({ pairs: 0, hopelessPairs: 0, broken: 0, hopelessBroken: 0, branches: 20 });
  const measured = await play(corpus, { gateMs, gate: { reruns: 1 }, config: { jobs: 4 } });
  tell(`twenty good ones, ${gateMs} ms`, measured);
  const { gateRuns, landed, ran } = measured;
  expect(landed).toHaveLength(20);
  expect(ran).toBe(gateRuns.total);
  expect(gateRuns.perLanded).toBe(gateRuns.total / 20);
  expect(gateRuns.perLanded).toBeLessThanOrEqual(1.2);
}, 300_000);

/** Notes each of its runs outside of the repository. */
const counted = 'echo run >> "$STAGE/gates"\n';
const gate = { commands: ['sh gate.sh'], branch: 'never' } as const;
const runs = (y: ReturnType<typeof yard>): number => y.linesOf('gates').length;

test('a tree that the target has already is not judged again', async () => {
  const same = (mine: string, other: string) => [[touch(mine), waitFor(other), write('x', 'x\n')]];
  const y = yard({
    files: { 'gate.sh': counted },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: same('a', 'b'), b: same('b', 'a') },
    config: { gate, train: { batch: 1, slots: 1 } },
  });
  expect(await y.ymWith({ env: { STAGE: y.stage } }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(runs(y)).toBe(1);
  expectNoHalfDoneMerge(y);
});
