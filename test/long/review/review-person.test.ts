// Reviews that a person has to decide, and that nobody gets around.
import { expect, test } from 'vitest';
import {
  approveAll,
  approves,
  noThree,
  noTwo,
  oneShotProject,
  play,
  promptOf,
  reviewed,
  startsOf,
  wants,
} from '../../rig/one-shots.ts';
import { until, waitFor, write } from '../../rig.ts';

test('at the limit of rounds a person is asked, and nothing but their word lets the work land', async () => {
  const y = reviewed(
    [wants(noTwo), wants(noThree, 'tone minor - Rather short.')],
    {},
    { rounds: 2 },
  );
  const before = y.tip();
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(await startsOf(y)).toEqual([
    'a turn 1',
    'a review 1 reader',
    'a turn 2',
    'a review 2 reader',
  ]);
  const task = await y.task('a');
  expect(task).toMatchObject({
    state: 'blocked',
    failure: { kind: 'approval-needed', because: 'review-limit' },
  });
  expect(task.failure?.what).toContain('reviewers still want changes after 2 rounds');
  const why = (await y.ym('why', 'a')).stdout;
  expect(why).toMatch(
    /- no-three blocker a\.txt: There is no third line\n\s+- tone minor: Rather short/,
  );
  expect(why).toContain('ym approve a');
  expect(why).toContain('ym reject a "why"');
  expect(why.split('\n').length).toBeLessThan(40);
  // Neither going on nor starting again is a word of theirs.
  expect((await y.ym('resume')).code).toBe(1);
  expect(y.tip()).toBe(before);
  expect(await startsOf(y)).toHaveLength(4);
  await approveAll(y, 'a');
  expect(y.show('a.txt')).toBe('one\ntwo\n');
  expect(await startsOf(y)).toHaveLength(4);
  expect((await y.ym('why', 'a')).stdout).toContain('approved by Test Person');
});

test('work that a person rejects goes back to its agent with their words, and is reviewed again', async () => {
  const y = reviewed([wants(noTwo), wants(noTwo), [approves]], {}, { rounds: 2 });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(await y.ym('reject', 'a', 'A third line, please.')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(promptOf(y, 'a', 'turn-3')).toContain('A third line, please.');
  expect((await startsOf(y)).slice(-2)).toEqual(['a turn 3', 'a review 3 reader']);
  expect(y.show('a.txt')).toBe('one\ntwo\nthree\n');
});

test('a reviewer that is asked again plays by its new script', async () => {
  const y = reviewed([[]], {}, { retries: 0 });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  play(y, 'reader', [[approves]]);
  expect(await y.ym('reject', 'a', 'Once more.')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(await startsOf(y)).toHaveLength(4);
  expect(y.landings()).toEqual({ a: 1 });
});

test('where a person has to approve, no reviewer does it for them', async () => {
  const y = reviewed([[approves]], {}, { person: true });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.tip()).toBe(before);
  expect((await y.task('a')).failure).toMatchObject({
    kind: 'approval-needed',
    because: 'asked-for',
  });
  await approveAll(y, 'a');
  expect(await startsOf(y)).toEqual(['a turn 1', 'a review 1 reader']);
});

test('a person alone may review, also while the run goes on', async () => {
  const y = oneShotProject({
    tasks: [{ id: 'a' }, { id: 'slow' }],
    script: {
      a: [[write('a.txt', 'a\n')], [write('a.txt', 'better\n')]],
      slow: [[waitFor('go'), write('slow.txt', 's\n')]],
    },
    oneShotAgents: {},
    config: { review: { person: true } },
  });
  const run = y.start('run', y.plan);
  const waits = (id: string): Promise<void> =>
    y.untilStatus(
      ({ tasks }) =>
        tasks.some((task) => task.id === id && task.failure?.kind === 'approval-needed'),
      `${id} to wait`,
    );
  await waits('a');
  expect(await y.ym('reject', 'a', 'Make it better.')).toMatchObject({ code: 0 });
  await until(async () => (await startsOf(y)).includes('a turn 2'), 'the second turn');
  await waits('a');
  expect(await y.ym('approve', 'a')).toMatchObject({ code: 0 });
  await until(() => y.landed().includes('a'), 'the landing of a');
  y.signal('go');
  expect((await run.end()).code).toBe(1);
  await approveAll(y, 'slow');
  expect(y.show('a.txt')).toBe('better\n');
  expect(promptOf(y, 'a', 'turn-2')).toContain('Make it better.');
});

test('more work may wait for a person than there are worktrees, and goes on with all it had', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const y = oneShotProject({
    tasks: ids.map((id) => ({ id })),
    script: {
      default: [
        [{ run: { shell: 'echo one > "$YARD_TASK.txt"' } }],
        [{ run: { shell: 'echo two >> "$YARD_TASK.txt"' } }],
      ],
    },
    oneShotAgents: {},
    config: { review: { person: true }, worktree: { pool: 2 } },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('5 tasks wait for your approval: a, b, c, d, e.');
  expect(await startsOf(y)).toHaveLength(5);
  expect(await y.ym('reject', 'e', 'A second line, please.')).toMatchObject({ code: 0 });
  expect(await y.ym('approve', 'a', 'b', 'c', 'd')).toMatchObject({ code: 0, stderr: '' });
  expect((await y.ym('resume')).code).toBe(1);
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  await approveAll(y, 'e');
  expect(y.show('e.txt')).toBe('one\ntwo\n');
});

test('where the budget leaves no room for a look, a person is asked', async () => {
  const y = reviewed([[approves]], {
    script: { a: [[write('a.txt', 'one\n'), { usage: { input: 900, output: 200 } }]] },
    config: { review: { agent: 'reader' }, budget: { tokens: 1000 } },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(4);
  expect(await startsOf(y)).toEqual(['a turn 1']);
  expect(await y.task('a')).toMatchObject({
    state: 'blocked',
    failure: { kind: 'approval-needed', because: 'review-budget' },
  });
  await approveAll(y, 'a');
});

test('neither the checkout nor a branch can leave out the review that the target asks for', async () => {
  const y = reviewed(
    {
      default: { reviews: [[approves]] },
      sly: { reviews: [wants('no-review blocker yardmaster.yaml The review is gone.')] },
    },
    {
      tasks: [
        { id: 'sly', priority: 0 },
        { id: 'honest', after: ['sly'] },
      ],
      script: {
        default: [[{ run: { shell: 'echo done > "$YARD_TASK.txt"' } }]],
        sly: [
          [
            {
              run: {
                shell: `node -e '
                  const { readFileSync, writeFileSync } = require("node:fs");
                  const { review, ...rest } = JSON.parse(readFileSync("yardmaster.yaml", "utf8"));
                  writeFileSync("yardmaster.yaml", JSON.stringify(rest));'`,
              },
            },
            write('sly.txt', 'sly\n'),
          ],
        ],
      },
    },
    { rounds: 1 },
  );
  // Nobody has committed this.
  const { review: _review, ...rest } = JSON.parse(y.read('yardmaster.yaml'));
  y.write('yardmaster.yaml', JSON.stringify(rest));
  const before = y.tip();
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/sets review\.agent to nothing, but runs use the value on main/);
  expect(y.tip()).toBe(before);
  expect((await y.task('sly')).failure).toMatchObject({
    kind: 'approval-needed',
    because: 'rules',
  });
  y.git('checkout', '--', 'yardmaster.yaml');
  // A person lets the protected file pass; that is no word about the rest of the work.
  expect(await y.ym('approve', 'sly')).toMatchObject({ code: 0 });
  expect((await y.ym('resume')).code).toBe(1);
  expect(await startsOf(y)).toEqual(['sly turn 1', 'sly review 1 reader']);
  expect(y.tip()).toBe(before);
  // Even once it has landed, the run goes by what it began with.
  expect(await y.ym('approve', 'sly')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect((await startsOf(y)).slice(2)).toEqual(['honest turn 1', 'honest review 1 reader']);
  expect(y.landings()).toEqual({ sly: 1, honest: 1 });
});
