// Resolutions of conflicts that leave out the work of one side: nothing is lost by them in silence.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenUp } from '../../rig/past.ts';
import { shell, waiting } from '../../rig/project.ts';
import { commit, type TestProject, testProject, touch, until, waitFor, write } from '../../rig.ts';

/** Runs the plan; `b` goes on when `a` has landed. */
async function oneAfterTheOther(y: TestProject, ...flags: readonly string[]) {
  const run = y.start('run', y.plan, ...flags);
  await until(() => y.landed().includes('a'), 'a to land');
  y.signal('b-go');
  return run.end();
}

/** Who made what was captured of a task, one after the other. */
async function madeBy(y: TestProject, id: string): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) =>
    event.type === 'work-captured' && event.id === id ? [event.by] : [],
  );
}

const onMain = (y: TestProject): readonly string[] =>
  y.git('ls-tree', '--name-only', 'main').trim().split('\n');

test('a merge that takes its own side of every file does not drop what others have landed', async () => {
  const ours = 'git merge --abort; git merge -q -s ours main -m Merged';
  const both = 'printf "one\\nfrom a\\nfrom b\\nthree\\n" > x.txt';
  const y = testProject({
    files: { 'x.txt': 'one\ntwo\nthree\n', 'y.txt': 'one\n' },
    config: { retries: 3 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [
        [
          write('x.txt', 'one\nfrom a\nthree\n'),
          write('y.txt', 'one\nfinished work of a\n'),
          waitFor('go'),
        ],
      ],
      b: [
        [write('x.txt', 'one\nfrom b\nthree\n'), touch('go'), waitFor('b-go')],
        [shell(`${ours}; ${both}`), commit('Resolved')],
      ],
    },
    leaves: waiting,
  });
  await oneAfterTheOther(y);
  expect(y.show('y.txt')).toBe('one\nfinished work of a\n');
  const violations = (await y.events()).flatMap((event) =>
    event.type === 'attempt-given-up' && event.failure.kind === 'rules-broken'
      ? event.failure.violations
      : [],
  );
  expect(violations).toContainEqual(
    expect.objectContaining({ kind: 'lines-dropped', file: 'y.txt' }),
  );
});

test('a conflict that is resolved by leaving the work out does not land the task that it was about', async () => {
  const branch = '$(git for-each-ref --format="%(refname:short)" "refs/heads/yard/*/b-1")';
  const y = testProject({
    files: { 'x.txt': 'one\ntwo\nthree\n' },
    config: { retries: 0 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[write('x.txt', 'one\nfrom a\nthree\n'), waitFor('go')]],
      b: [
        [
          write('x.txt', 'one\nfrom b\nthree\n'),
          write('b.txt', 'all the work of b\n'),
          touch('go'),
          waitFor('b-go'),
        ],
      ],
      'b-conflict': [
        [shell(`git merge -q -s ours -m Merged ${branch}; echo done > note.txt`), commit('Done')],
      ],
    },
    leaves: waiting,
  });
  await oneAfterTheOther(y);
  await y.ym('run', '--only', 'b-conflict');
  expect(await madeBy(y, 'b-conflict')).toEqual(['agent']);
  expect(onMain(y)).not.toContain('b.txt');
  expect((await y.task('b')).state).not.toBe('landed');
});

test('without retries, the run says that a conflict task is filed before its agent starts, or starts none', async () => {
  const options = {
    files: { 'x.txt': 'one\n' },
    config: { retries: 0 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[write('x.txt', 'from a\n'), waitFor('go')]],
      b: [[write('x.txt', 'from b\n'), touch('go'), waitFor('b-go')]],
      'b-conflict': [[write('note.txt', 'done\n')]],
    },
    leaves: waiting,
  } as const;
  const [told, held] = [testProject(options), testProject(options)];
  const said = (await oneAfterTheOther(told)).stdout;
  expect(said).toMatch(
    /filed +b-conflict +resolves the conflict of b; --max-new-tasks[\s\S]*started +b-conflict/,
  );
  const quiet = (await oneAfterTheOther(held, '--max-new-tasks', '0')).stdout;
  expect(quiet).toMatch(/filed +b-conflict/);
  expect(quiet).not.toMatch(/started +b-conflict/);
  expect(quiet).toContain('1 task was filed and not started: --max-new-tasks 0');
  for (const command of ['why', 'show']) {
    const page = async (y: TestProject) => (await y.ym(command, 'b')).stdout.replace(/\s+/g, ' ');
    expect(await page(told)).toContain(
      'b-conflict was filed for this conflict and is awaiting approval. `ym why b-conflict` says why.',
    );
    expect(await page(held)).toContain(
      'b-conflict was filed for this conflict and is ready. `ym why b-conflict` says when it starts.',
    );
  }
  const { conflictTask } = JSON.parse((await held.ym('why', 'b', '--json')).stdout);
  expect(conflictTask).toEqual({ id: 'b-conflict', state: 'ready' });
});

test('what an agent makes of work that a person handed in is held against the rules', async () => {
  const y = testProject({
    files: { 'x.txt': 'one\ntwo\nthree\n', '.github/workflows/ci.yml': 'on: push\n' },
    config: { retries: 3, protect: ['.github/**'] },
    script: {
      a: [[shell('rm red; echo "on: never" > .github/workflows/ci.yml'), commit('Fixed')]],
    },
    leaves: waiting,
  });
  const conflict = { kind: 'conflict', files: ['x.txt'], target: 'main', branch: 'b' } as const;
  const kept = await givenUp(y, 'a', conflict);
  y.git('checkout', '-q', '-b', kept);
  y.write('x.txt', 'one\nwork\nthree\n');
  y.commit('Work of a');
  y.git('checkout', '-q', 'main');
  y.write('x.txt', 'one\nmain\nthree\n');
  y.commit('Meanwhile');
  const person = join(y.base, 'person.sh');
  writeFileSync(person, '#!/bin/sh\nprintf "both\\n" > x.txt; touch red\n', { mode: 0o755 });
  expect(await y.ymWith({ env: { SHELL: person } }, 'resolve', 'a')).toMatchObject({ code: 0 });
  await y.ym('run', '--only', 'a');
  expect((await madeBy(y, 'a')).slice(0, 2)).toEqual(['person', 'agent']);
  expect(y.show('.github/workflows/ci.yml')).toBe('on: push\n');
  expect((await y.task('a')).state).not.toBe('landed');
});
