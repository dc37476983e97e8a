// The folder of the records is deleted while a run is at work, as `git clean -fdx` does.
import { expect, test } from 'vitest';
import { commit, testProject, touch, waitFor, write } from '../rig.ts';

test('a run whose records are deleted ends with a sentence, and its work is on branches', async () => {
  const act = (id: string) => [write(`${id}.txt`, `${id}\n`), touch(id), waitFor('never')];
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [act('a')], b: [[write('b.txt', 'b\n'), commit('Half'), ...act('b')]] },
    leaves: ['branches'],
    loses: 'ledger',
  });
  const run = y.start('run', y.plan);
  await y.seen('a');
  await y.seen('b');
  y.git('clean', '-fdxq');
  const { code, stderr } = await run.end();
  expect(code).toBe(3);
  expect(stderr).toContain('were deleted during the run');
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
  const branches = y.git('branch', '--list', 'yard/*', '--format=%(refname:short)').trim();
  expect(branches.split('\n')).toHaveLength(2);
  for (const branch of branches.split('\n')) {
    expect(stderr).toContain(branch);
    const [, id = ''] = /\/(\w)-1$/.exec(branch) ?? [];
    expect(y.show(`${id}.txt`, branch)).toBe(`${id}\n`);
  }
});
