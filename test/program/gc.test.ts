// A person who lets git throw away whatever no ref holds, at any moment of a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject, until, waitFor, write } from '../rig.ts';

/** Everything that no ref holds is gone afterwards; nothing is protected by its age or by a reflog. */
function collect(y: TestProject): void {
  y.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
  y.git('gc', '-q', '--prune=now');
  y.git('repack', '-adq');
  y.git('prune', '--expire=now');
}

/** Bases of attempts and commits of candidates that the run has noted. */
async function neededCommits(y: TestProject): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) => {
    if (event.type === 'worktree-ready') return [event.base];
    if (event.type === 'work-captured') return [event.commit];
    if (event.type === 'candidate-built') {
      return [event.commit, ...(event.prefixes ?? []).map(({ commit }) => commit)];
    }
    return [];
  });
}

function expectPresent(y: TestProject, commits: readonly string[]): void {
  for (const commit of commits) expect(y.git('cat-file', '-t', commit)).toBe('commit\n');
}

const heldRefs = (y: TestProject): string => y.git('for-each-ref', 'refs/yard/held');

test('loses nothing that a run needs: not while agents work, not while candidates are judged or wait', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c', after: ['a'] }],
    script: {
      a: [[write('a.txt', 'a\n')]],
      b: [[waitFor('b-go'), write('b.txt', 'b\n')]],
      c: [[waitFor('c-go'), write('c.txt', 'c\n')]],
    },
    files: { 'a.txt': 'old\n' },
    config: { jobs: 2, gate: { commands: ['test ! -e red'], branch: 'never' } },
  });
  writeFileSync(join(y.root, 'a.txt'), 'edited by a person\n');
  const run = y.start('run', y.plan);
  const has =
    (type: string, count = 1) =>
    async () =>
      (await y.events()).filter((event) => event.type === type).length >= count;
  await until(has('landing-waits'), 'a green candidate that waits');
  collect(y);
  expectPresent(y, await neededCommits(y));
  writeFileSync(join(y.root, 'a.txt'), 'old\n');
  await until(() => y.landed().length === 1, 'the landing of a');
  y.signal('c-go');
  await until(has('work-captured', 2), 'the work of c');
  collect(y);
  y.signal('b-go');
  expect(await run.end()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^ym: main has uncommitted changes in your checkout: .*\n$/),
  });
  expect([...y.landed()].sort()).toEqual(['a', 'b', 'c']);
  expect(heldRefs(y)).toBe('');
});
