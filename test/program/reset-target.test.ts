// A person takes back what has landed, or replaces the target, while other work is under way.
import { expect, test } from 'vitest';
import { type TestProject, testProject, until, waitFor, write } from '../rig.ts';

/** `b` starts on top of the landing of `a`, which a person drops before `b` is done. */
function projectOf(style: 'merge' | 'squash' | 'rebase'): TestProject {
  return testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    script: {
      a: [[write('a.txt', 'a\n'), write('shared.txt', 'one\nchanged by a\nthree\nfour\nfive\n')]],
      b: [
        [
          waitFor('go'),
          write('b.txt', 'b\n'),
          write('shared.txt', 'one\nchanged by a\nthree\nfour\nfive, by b\n'),
        ],
      ],
    },
    files: { 'shared.txt': 'one\ntwo\nthree\nfour\nfive\n' },
    config: { gate: { commands: ['true'] }, train: { style } },
    loses: ['a'],
  });
}

test.each(['merge', 'squash', 'rebase'] as const)(
  'a landing that a person drops stays out when work lands that began on top of it (%s)',
  async (style) => {
    const y = projectOf(style);
    const start = y.git('rev-parse', 'main').trim();
    const run = y.start('run', y.plan);
    await until(
      async () => (await y.events()).filter(({ type }) => type === 'turn-started').length === 2,
      'the agent of b',
    );
    const dropped = y.git('rev-parse', 'main').trim();
    y.git('reset', '-q', '--hard', start);
    y.signal('go');
    const end = await run.end();
    expect(end.code).toBe(3);
    // What is gone, in the order in which git shows it.
    expect(end.stdout).toContain(`git log ${start.slice(0, 7)}..${dropped.slice(0, 7)}`);
    const resumed = await y.ym('resume');
    // The dropped task has not landed any more and waits for a decision.
    expect(resumed).toMatchObject({ code: 1, stderr: '' });
    expect((await y.ym('why', 'a')).stdout).toContain('main no longer contains that commit');
    expect(y.has('a.txt')).toBe(false);
    expect(y.show('b.txt')).toBe('b\n');
    expect(y.show('shared.txt')).toBe('one\ntwo\nthree\nfour\nfive, by b\n');
    expect(y.git('rev-list', 'main').split('\n')).not.toContain(dropped);
    expect(y.git('status', '--porcelain')).toBe('');
  },
);

/** A project in which `a` has landed and `b`, which depends on it, is still to do. */
async function landedFirst(): Promise<{ readonly y: TestProject; readonly start: string }> {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] },
    config: { gate: { commands: ['true'] } },
    loses: ['a'],
  });
  const start = y.git('rev-parse', 'main').trim();
  y.git('commit', '-q', '--allow-empty', '-m', 'mine');
  expect(await y.ym('run', y.plan, '--only', 'a')).toMatchObject({ code: 0, stderr: '' });
  return { y, start };
}

test('a landing that a person drops between two runs is named, and its dependents wait for a decision', async () => {
  const { y } = await landedFirst();
  const landing = y.git('rev-parse', '--short=7', 'main').trim();
  y.git('reset', '-q', '--hard', 'main~1');
  const gone = `It landed as ${landing}, but main no longer contains that commit.`;
  expect((await y.ym('why', 'a')).stdout).toContain(gone);
  const doctor = await y.ym('doctor');
  expect(doctor.stdout).toMatch(/! landings +task a\n/);
  expect(doctor.stdout).toContain(gone);
  expect((await y.ym('tasks')).stdout).toMatch(/a +stuck .*\n.*\n.*b +waiting behind a/);
  expect((await y.ym('status')).stdout).toMatch(/In trouble\n.*a +stuck/);
  expect(await y.ym('ledger')).toMatchObject({ code: 0, stderr: '' });
  const run = await y.ym('run', '--scope', 'ready');
  expect(run).toMatchObject({ code: 1, stderr: '' });
  expect(run.stdout).toContain(gone);
  expect(run.stdout).toContain('Waits for a, which is stuck.');
  expect((await y.events()).filter(({ type }) => type === 'attempt-started')).toHaveLength(1);
  expect((await y.ym('why', 'a')).stdout).toContain(gone);
  expect(await y.ym('retry', 'a')).toMatchObject({ code: 0 });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('a.txt')).toBe('a\n');
  expect(y.show('b.txt')).toBe('b\n');
});
