// Branches that do not merge: foreseen, told before a gate is spent on them, resolved without losing a line.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  append,
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';
import { notingGate, staged } from './barrier.ts';
import { expectNoHalfDoneMerge } from './half-done.ts';

const never = { gate: { commands: ['sh gate.sh'], branch: 'never' } } as const;

async function whyOf(y: TestProject, id: string): Promise<string> {
  return (await y.ym('why', id)).stdout;
}

const helpless = { print: { text: 'I do not know how to merge this.' } };

/** `a` lands first; `b` is in conflict with it for ever; `c` has nothing to do with either. */
const unresolved = {
  files: { 'gate.sh': notingGate, 'list.txt': 'start\n' },
  tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  script: {
    a: [[touch('a'), waitFor('b'), append('list.txt', 'a\n')]],
    b: [[touch('b'), waitFor('a-landed'), write('list.txt', 'start\nb\n')], [helpless]],
    c: [[waitFor('a-landed'), write('c.txt', 'c\n')]],
    'b-conflict': [
      [
        {
          run: {
            shell:
              'git merge -q "$(git for-each-ref --format="%(refname)" "refs/heads/yard/*/b-1")" || { printf "start\\na\\nb\\n" > list.txt; git add -A; git commit -q --no-edit; }',
          },
        },
      ],
    ],
  },
  leaves: ['branches', 'kept'],
  config: { ...never, retries: 1, jobs: 3 },
} as const satisfies TestProjectOptions;

const filed = async (y: TestProject) =>
  (await y.events()).flatMap((event) =>
    event.type === 'task-added' && event.task.type === 'conflict' ? [event.task] : [],
  );

/** Lets `a` land, then the others go on. */
async function letGo(y: TestProject): Promise<void> {
  await until(() => y.landed().includes('a'), 'the landing of a');
  y.signal('a-landed');
}

test('a conflict that nobody resolves is filed once, by name, and a person resolves it', async () => {
  const script = { ...unresolved.script, 'b-conflict': [[helpless]] };
  const y = testProject({
    ...unresolved,
    script,
    leaves: [...unresolved.leaves, 'worktrees', 'state'],
  });
  const run = y.startWith(staged(y), 'run', y.plan);
  await letGo(y);
  expect((await run.end()).code).toBe(1);
  expect(y.landed()).toContain('c');
  const tasks = await filed(y);
  expect(tasks).toMatchObject([
    { id: 'b-conflict', paths: ['list.txt'], labels: ['conflict:b'], type: 'conflict' },
  ]);
  expect(tasks[0]?.body).toContain('ym resolve b');
  expect(await y.task('b')).toMatchObject({ state: 'blocked' });
  expect(await whyOf(y, 'b')).toContain('ym resolve b');
  expectNoHalfDoneMerge(y);

  const prepared = await y.ym('resolve', 'b', '--no-shell');
  expect(prepared).toMatchObject({ code: 0, stderr: '' });
  const [, dir = ''] = /merged into it, is in (\S+)/.exec(prepared.stdout) ?? [];
  expect(readFileSync(join(dir, 'list.txt'), 'utf8')).toContain('<<<<<<<');
  writeFileSync(join(dir, 'list.txt'), 'start\na\nb\n');
  expect(await y.ym('resolve', 'b', '--done')).toMatchObject({ code: 0, stderr: '' });
  expect(await y.ymWith(staged(y), 'run', '--only', 'b')).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('list.txt')).toBe('start\na\nb\n');
  expect(await y.task('b')).toMatchObject({ state: 'landed' });
  expect(await filed(y)).toHaveLength(1);
  // Nobody need do what is done.
  expect((await y.task('b-conflict')).state).not.toBe('ready');
  expectNoHalfDoneMerge(y);
  expect(y.leftovers()).toMatchObject({ worktrees: [], state: [] });
});

test('a run that is killed after the filing files nothing more, and another agent resolves it', async () => {
  const y = testProject(unresolved);
  const run = y.startWith(staged(y), 'run', y.plan);
  await letGo(y);
  await until(async () => (await filed(y)).length > 0, 'the conflict task');
  run.signal('SIGKILL');
  await run.end();
  // Another agent takes it up in the same run; with its work that of the task in conflict has landed.
  expect(await y.ymWith(staged(y), 'resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toMatchObject({ a: 1, c: 1 });
  expect(y.show('list.txt')).toBe('start\na\nb\n');
  expect(await y.task('b')).toMatchObject({ state: 'landed' });
  expect(await y.task('b-conflict')).toMatchObject({ state: 'landed' });
  expect(await filed(y)).toHaveLength(1);
  expectNoHalfDoneMerge(y);
});
