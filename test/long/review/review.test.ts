// Reviews: who looks at work before it queues, and what they and the agent are told.
import { expect, test } from 'vitest';
import {
  approveAll,
  approves,
  eventsOf,
  noThree,
  noTwo,
  noted,
  oneShotProject,
  partOf,
  promptOf,
  reviewed,
  startsOf,
  wants,
} from '../../rig/one-shots.ts';
import { type Action, print, remove, write } from '../../rig.ts';

test('all of several reviewers must approve, and what all of them found is fixed at once', async () => {
  const y = reviewed([], {
    oneShotAgents: {
      kind: [[approves]],
      strict: [wants(noTwo), [approves]],
      stern: [wants('no-name minor - It greets nobody.', noThree), wants(noThree), [approves]],
    },
    config: { review: { agent: ['kind', 'strict', 'stern'] } },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const round = (number: number): readonly string[] =>
    ['kind', 'strict', 'stern'].map((name) => `a review ${number} ${name}`);
  expect(await startsOf(y)).toEqual([
    'a turn 1',
    ...round(1),
    'a turn 2',
    ...round(2),
    'a turn 3',
    ...round(3),
  ]);
  const first = promptOf(y, 'a', 'turn-2');
  for (const id of ['no-two', 'no-three', 'no-name']) expect(first).toContain(`- ${id} (`);
  // What another reviewer found is part of the round; each sees whether it was fixed.
  const told = partOf(promptOf(y, 'a', 'review-2-kind'), 'Findings of the last review');
  expect(told).toMatch(/- no-three[\s\S]*- no-two|- no-two[\s\S]*- no-three/);
  expect(promptOf(y, 'a', 'review-3-kind')).not.toContain('no-two');
  expect(y.landings()).toEqual({ a: 1 });
});

test('a reviewer that goes back and forth is stopped before the rounds are used up', async () => {
  const y = reviewed(
    [wants(noTwo), wants('too-long major a.txt The second line is too much.'), wants(noTwo)],
    {},
    { rounds: 9 },
  );
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(await startsOf(y)).toHaveLength(6);
  const { failure } = await y.task('a');
  expect(failure).toMatchObject({ kind: 'approval-needed', because: 'review-oscillates' });
  expect((await y.ym('why', 'a')).stdout).toContain('no-two major a.txt:1');
  await approveAll(y, 'a');
});

test('fixing what reviewers want is no start after a failure, so that only the rounds bound it', async () => {
  const round = (number: number): readonly Action[] =>
    wants(`matter-${number} major a.txt Round ${number} wants more.`);
  const y = reviewed([round(1), round(2), round(3), round(4), [approves]], {
    config: { review: { agent: 'reader', rounds: 5 }, retries: 0 },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(await startsOf(y)).toHaveLength(10);
  const last = promptOf(y, 'a', 'turn-5');
  for (const number of [1, 2, 3, 4]) expect(last).toContain(`- matter-${number} (major)`);
  expect(promptOf(y, 'a', 'review-5-reader')).not.toContain('matter-3');
});

test('a rejection and an approval with something grave in it both ask for changes', async () => {
  const y = reviewed([
    [print(`FINDING ${noTwo}`), print('VERDICT: REJECTED')],
    [print(`FINDING ${noThree}`), approves],
    [approves],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('one\ntwo\nthree\n');
  const verdicts = (await eventsOf(y, 'call-ended')).map(({ result }) => result);
  expect(verdicts).toMatchObject([
    { verdict: 'needs-changes' },
    { verdict: 'needs-changes' },
    { verdict: 'approved' },
  ]);
});

test('work that changes tasks alone is not reviewed, but judged before it lands', async () => {
  const y = oneShotProject({
    tasks: [{ id: 'plans' }, { id: 'mixed' }],
    files: { 'gate.sh': 'test ! -e tasks/bad.md' },
    script: {
      plans: [
        [write('tasks/bad.md', '- [ ] x\n')],
        [remove('tasks/bad.md'), write('tasks/b.md', '- [ ] x\n')],
      ],
      mixed: [[write('tasks/c.md', '- [ ] x\n'), write('c.txt', 'c\n')]],
    },
    oneShotAgents: { reader: [[approves]] },
    config: { review: { agent: 'reader' } },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect([...(await startsOf(y))].sort()).toEqual([
    'mixed review 1 reader',
    'mixed turn 1',
    'plans turn 1',
    'plans turn 2',
  ]);
  expect(y.landings()).toEqual({ plans: 1, mixed: 1 });
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('what reviewers use counts as spent', async () => {
  const y = reviewed([
    [{ usage: { input: 500, cacheRead: 40, output: 20, costUsd: 0.25 } }, ...wants(noTwo)],
    { tries: [[{ usage: { input: 100, costUsd: 0.05 } }], [{ usage: { input: 10 } }, approves]] },
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
  expect(spend.totals).toMatchObject({ input: 610, cacheRead: 40, output: 20, total: 670 });
  expect(spend.totals.costUsd).toBeCloseTo(0.3);
  expect(spend.byAgent).toContainEqual(
    expect.objectContaining({ agent: 'reader', turns: 3, input: 610, total: 670 }),
  );
  expect((await y.ym('status')).stdout).toContain('$0.30');
});

test('an approval is for the work that was looked at: what came back is looked at again', async () => {
  const y = reviewed([[noted, approves]], {
    script: { a: [[write('red', ''), write('a.txt', 'one\n')], [remove('red')]] },
    config: { review: { agent: 'reader' }, gate: { commands: ['sh gate.sh'], branch: 'never' } },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(await startsOf(y)).toEqual([
    'a turn 1',
    'a review 1 reader',
    'a turn 2',
    'a review 2 reader',
  ]);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});
