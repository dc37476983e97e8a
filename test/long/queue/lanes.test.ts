// Who goes first, and what is judged at the same time. Gates are let go by the test, never by a clock.
import { expect, test } from 'vitest';
import { remove, testProject, touch, waitFor, write } from '../../rig.ts';
import {
  afterWarmUp,
  barrierGate,
  gatesOf,
  letWarmUpGo,
  queued,
  staged,
  warmUp,
  warmUpScript,
  warmUpTasks,
} from './barrier.ts';
import { expectNoHalfDoneMerge } from './half-done.ts';

const oneFile = (id: string, after?: string) =>
  [[...(after === undefined ? [] : [waitFor(after)]), write(`${id}.txt`, `${id}\n`)]] as const;

test('what is most important goes past the queue, while a batch is judged', async () => {
  const held = `judging-${afterWarmUp}`;
  const batched = `judging-${afterWarmUp + 1}`;
  const y = testProject({
    files: { 'gate.sh': barrierGate },
    tasks: [
      ...warmUpTasks,
      { id: 'first', after: ['w3'] },
      { id: 'b1', after: ['w3'] },
      { id: 'b2', after: ['w3'] },
      { id: 'rest1', after: ['w3'] },
      { id: 'rest2', after: ['w3'] },
      { id: 'urgent', priority: 0, after: ['w3'] },
    ],
    script: {
      ...warmUpScript,
      first: oneFile('first'),
      b1: oneFile('b1', held),
      b2: oneFile('b2', held),
      rest1: oneFile('rest1', batched),
      rest2: oneFile('rest2', batched),
      urgent: oneFile('urgent', 'rest-waits'),
    },
    config: {
      gate: { commands: ['sh gate.sh'], branch: 'never' },
      train: { batch: 4 },
      jobs: 6,
    },
  });
  const run = y.startWith(staged(y), 'run', y.plan);
  letWarmUpGo(y);
  await y.seen(held);
  await queued(y, 'b1', 'b2');
  y.signal(`go-${afterWarmUp}`);
  await y.seen(batched);
  await queued(y, 'rest1', 'rest2');
  y.signal('rest-waits');
  await queued(y, 'urgent');
  y.signal('go-all');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  const sorted = (words: string): string => words.split(' ').sort().join(' ');
  const order = [...warmUp, 'first', 'b1 b2', 'urgent', 'rest1 rest2'];
  expect(gatesOf(y).map(sorted)).toEqual(order);
  const [first, ...landed] = y.landed().slice(warmUp.length);
  expect(first).toBe('first');
  expect(landed.indexOf('urgent')).toBe(2);
  expect([...landed].sort()).toEqual(['b1', 'b2', 'rest1', 'rest2', 'urgent']);
  expect(y.reflogGreen()).toMatchObject({ red: [], values: { length: warmUp.length + 5 } });
  expectNoHalfDoneMerge(y);
});

const twoSlots = {
  gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0, slots: 2 },
  train: { batch: 1 },
} as const;

test('with two slots the second gate runs while the first does, on top of what that judges', async () => {
  const y = testProject({
    files: { 'gate.sh': barrierGate },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: oneFile('a'), b: oneFile('b', 'judging-1') },
    config: twoSlots,
  });
  const run = y.startWith(staged(y), 'run', y.plan);
  // Neither has been let go: both are at work.
  await y.seen('judging-2');
  y.signal('go-2');
  y.signal('go-1');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(gatesOf(y)).toEqual(['a', 'b']);
  expect(y.landed()).toEqual(['a', 'b']);
  const built = (await y.events()).filter((event) => event.type === 'candidate-built');
  expect(built.map(({ candidate, on }) => ({ candidate, on }))).toEqual([
    { candidate: 'c1', on: undefined },
    { candidate: 'c2', on: 'c1' },
  ]);
  expect(built[1]?.parent).toBe(built[0]?.commit);
  expectNoHalfDoneMerge(y);
});

test('when the first turns out red, the second is dropped, judged without it, and nothing is lost', async () => {
  const y = testProject({
    files: { 'gate.sh': barrierGate },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [
        [write('red', ''), write('a.txt', 'a\n')],
        [touch('fixing'), remove('red')],
      ],
      b: oneFile('b', 'judging-1'),
    },
    config: twoSlots,
  });
  const run = y.startWith(staged(y), 'run', y.plan);
  await y.seen('judging-2');
  y.signal('go-1');
  // The second one's gate is never let go; whoever waited for it would wait for ever.
  await y.seen('judging-3');
  for (const n of [3, 4, 5]) y.signal(`go-${n}`);
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(y.isSeen('fixing')).toBe(true);
  expect([...y.landed()].sort()).toEqual(['a', 'b']);
  const events = await y.events();
  expect(events.filter(({ type }) => type === 'gate-abandoned')).toMatchObject([
    { candidate: 'c2' },
  ]);
  expect(y.reflogGreen().red).toEqual([]);
  expectNoHalfDoneMerge(y);
});
