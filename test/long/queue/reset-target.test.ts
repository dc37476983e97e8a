// A person takes back what has landed, or replaces the target, while other work is under way.
import { expect, test } from 'vitest';
import { type TestProject, testProject, until, waitFor, write } from '../../rig.ts';

test('a target with another history ends the run with a true sentence', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[waitFor('go'), write('a.txt', 'a\n')]] },
    config: { gate: { commands: ['true'] } },
  });
  const before = y.git('rev-parse', 'main').trim();
  const run = y.start('run', y.plan);
  await until(
    async () => (await y.events()).some(({ type }) => type === 'turn-started'),
    'the agent of a',
  );
  const tree = y.git('rev-parse', 'main^{tree}').trim();
  const other = y.git('commit-tree', tree, '-m', 'another beginning').trim();
  y.git('update-ref', 'refs/heads/main', other);
  y.signal('go');
  const end = await run.end();
  expect(end.code).toBe(3);
  expect(end.stdout).toContain('no history in common');
  expect(end.stdout).not.toContain('unrelated history instead of');
  // Resumed without a change, the same is true.
  const again = await y.ym('resume');
  expect(again.code).toBe(3);
  expect(again.stdout).toContain('no history in common');
  y.git('update-ref', 'refs/heads/main', before);
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toEqual(['a']);
});

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

test('a dropped landing can be skipped before any run has noticed it, and stays out', async () => {
  const { y } = await landedFirst();
  y.git('reset', '-q', '--hard', 'main~1');
  expect(await y.ym('skip', 'a', '--reason', 'no longer wanted')).toMatchObject({ code: 0 });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0, stderr: '' });
  expect(y.has('a.txt')).toBe(false);
  expect(y.show('b.txt')).toBe('b\n');
});

test('a landing that comes back counts again', async () => {
  const { y } = await landedFirst();
  const landing = y.git('rev-parse', 'main').trim();
  y.git('reset', '-q', '--hard', 'main~1');
  expect((await y.ym('run', '--scope', 'ready')).code).toBe(1);
  y.git('reset', '-q', '--hard', landing);
  const run = await y.ym('run', '--scope', 'ready');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain(`restored  a  main contains ${landing.slice(0, 7)} again`);
  expect(y.landed()).toEqual(['a', 'b']);
});

test('a landing whose commit a person rewrote is not taken for dropped', async () => {
  const { y, start } = await landedFirst();
  // The empty commit below the landing is left out.
  y.git('rebase', '-q', '--rebase-merges', '--onto', start, 'main~1');
  expect((await y.ym('why', 'a')).stdout).toContain('It has landed as');
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('a.txt')).toBe('a\n');
  expect(y.show('b.txt')).toBe('b\n');
});
