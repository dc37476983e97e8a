// Dependencies that no task declares: tasks that name the same files.
import { expect, test } from 'vitest';
import { eventsOf } from '../rig/one-shots.ts';
import { type TestProject, testProject, write } from '../rig.ts';

/** Three tasks that hand files on to each other, without a word about the order. */
function chain(): TestProject {
  return testProject({
    tasks: [
      { id: 'a', body: 'Create src/model.ts.' },
      { id: 'b', body: 'Use src/model.ts in src/api.ts.' },
      { id: 'c', body: 'Show what src/api.ts answers.' },
    ],
    script: {
      a: [[write('a.txt', 'a\n')]],
      b: [[write('b.txt', 'b\n')]],
      c: [[write('c.txt', 'c\n')]],
      d: [[write('d.txt', 'd\n')]],
    },
    config: { jobs: 3 },
  });
}

test('a plan shows tasks that name the same files, and stores the order on request', async () => {
  const y = chain();
  const shown = await y.ym('plan', y.plan);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('1  b after a: both name src/model.ts (both in their text)');
  expect(shown.stdout).toContain('2  c after b: both name src/api.ts');
  expect(await y.ym('plan', y.plan, '--apply', 'all')).toMatchObject({ code: 2 });
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  expect((await y.ym('plan', '--apply', '3')).stderr).toContain('plan has no number 3');
  expect((await y.ym('plan', '--apply', 'both')).stderr).toContain('no number "both"');
  expect((await y.ym('plan', '--apply', '2,1')).stdout).toBe('b waits for a\nc waits for b\n');
  expect((await y.ym('plan')).stdout).not.toContain('the same files');
  // The source says nothing about the order, so it does not take it back.
  expect((await y.ym('import', y.plan)).stdout).toBe('Added 0, 3 already known\n');
  expect(await y.ym('edit', 'c', '--after', 'none')).toMatchObject({ code: 0 });
  expect((await y.ym('plan')).stdout).toContain('`ym plan --apply 1` adds this dependency');
  expect((await y.ym('plan', '--apply', '1', '--reject', '2')).stderr).toContain('no number 2');
  expect((await y.ym('plan', '--reject', 'all')).stderr).toContain('--reject has no number "all"');
  expect((await y.ym('plan', '--reject', '1')).stdout).toContain('c need not wait for b');
  expect((await y.ym('import', y.plan)).stdout).toBe('Added 0, 3 already known\n');
  expect((await y.ym('plan')).stdout).not.toContain('the same files');
  expect(await y.ym('edit', 'c', '--after', 'b')).toMatchObject({ code: 0 });
  expect((await y.ym('plan', '--apply', 'all')).stdout).toContain('Nothing to apply');
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toEqual(['a', 'b', 'c']);
  // Three landed tasks are enough to expect something of the next one.
  expect(await y.ym('add', 'One more', '--id', 'd')).toMatchObject({ code: 0 });
  expect((await y.ym('plan')).stdout).toMatch(/Expected agent time: \d+m?s with 1 slot\./);
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0, stderr: '' });
  const [, second] = await eventsOf(y, 'run-started');
  expect(second?.settings.forecast?.times?.medianMs).toBeGreaterThan(0);
});
