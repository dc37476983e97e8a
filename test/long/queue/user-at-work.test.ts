// What a user does in their own checkout while agents work is theirs: it is told once, and holds nothing up.
import { expect, test } from 'vitest';
import { testProject, touch, until, waitFor, write } from '../../rig.ts';

test('switching, committing, tagging and editing during a run is told once, as the user’s own', async () => {
  const act = (id: string) => [touch(id), waitFor('done'), write(`${id}.txt`, `${id}\n`)];
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    config: { jobs: 3 },
    script: { a: [act('a')], b: [act('b')], c: [act('c')] },
    leaves: ['branches'],
  });
  const run = y.start('run', y.plan);
  await until(() => ['a', 'b', 'c'].every((id) => y.isSeen(id)), 'the agents');
  y.git('switch', '-q', '-c', 'mine');
  y.write('mine.txt', 'mine\n');
  y.commit('Mine');
  y.git('tag', 'v1');
  y.write('notes.txt', 'still editing\n');
  y.signal('done');
  const { code, stdout } = await run.end();
  expect(code).toBe(0);
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
  expect(stdout).not.toContain('tampering');
  const told = stdout.split('\n').filter((line) => line.includes('changed in your checkout'));
  expect(told, stdout).toHaveLength(1);
  for (const name of ['HEAD', 'notes.txt', 'refs/heads/mine', 'refs/tags/v1']) {
    expect(told[0]).toContain(name);
  }
});
