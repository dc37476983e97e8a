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
import {
  afterWarmUp,
  barrierGate,
  gatesOf,
  letWarmUpGo,
  notingGate,
  queued,
  staged,
  warmUpScript,
  warmUpTasks,
} from './barrier.ts';
import { expectNoHalfDoneMerge } from './half-done.ts';

const never = { gate: { commands: ['sh gate.sh'], branch: 'never' } } as const;
const union = [{ mergeTarget: { branch: 'main', resolve: 'union' } }];

async function whyOf(y: TestProject, id: string): Promise<string> {
  return (await y.ym('why', id)).stdout;
}

test('two waiting branches that do not merge never share a candidate, and both say so', async () => {
  const held = `judging-${afterWarmUp}`;
  const y = testProject({
    files: { 'gate.sh': barrierGate, 'list.txt': 'start\n' },
    tasks: [...warmUpTasks, ...['first', 'a', 'b', 'c'].map((id) => ({ id, after: ['w3'] }))],
    script: {
      ...warmUpScript,
      first: [[write('first.txt', '1\n')]],
      a: [[waitFor(held), append('list.txt', 'a\n')], union],
      b: [[waitFor('a-waits'), append('list.txt', 'b\n')], union],
      c: [[waitFor('a-waits'), write('c.txt', 'c\n')]],
    },
    config: { ...never, train: { batch: 8 }, jobs: 4 },
  });
  const run = y.startWith(staged(y), 'run', y.plan);
  letWarmUpGo(y);
  await y.seen(held);
  await queued(y, 'a');
  y.signal('a-waits');
  await queued(y, 'b', 'c');
  expect(await whyOf(y, 'b')).toMatch(/does not merge with a in list\.txt/);
  y.signal(`go-${afterWarmUp}`);
  await y.seen(`judging-${afterWarmUp + 1}`);
  // What is judged together is the one that came first and the one that is in nobody's way.
  expect(gatesOf(y)[afterWarmUp]?.split(' ').sort()).toEqual(['a', 'c']);
  y.signal('go-all');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  const built = (await y.events()).filter((event) => event.type === 'candidate-built');
  for (const { entries } of built) {
    const together = entries.map(({ id }) => id);
    expect(together.includes('a') && together.includes('b')).toBe(false);
  }
  expect(y.show('list.txt').split('\n').sort()).toEqual(['', 'a', 'b', 'start']);
  expectNoHalfDoneMerge(y);
});

test('a branch that conflicts with the moved target comes back before any gate judges it', async () => {
  const y = testProject({
    files: { 'gate.sh': notingGate, 'list.txt': 'start\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('go'), append('list.txt', 'a\n')], union] },
    config: { gate: { commands: ['sh gate.sh'], branch: 'always' } },
  });
  const run = y.startWith(staged(y), 'run', y.plan);
  await y.seen('working');
  y.write('list.txt', 'start\nmine\n');
  y.commit('By hand');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  const order = (await y.events()).map(({ type }) => type);
  expect(order.indexOf('merge-refused')).toBeGreaterThan(0);
  expect(order.indexOf('merge-refused')).toBeLessThan(order.indexOf('branch-judged'));
  // The branch once and what lands once, both after the conflict was resolved; the target because somebody moved it.
  expect(order.filter((type) => type === 'branch-judged')).toHaveLength(1);
  expect(y.show('list.txt').split('\n').sort()).toEqual(['', 'a', 'mine', 'start']);
  expectNoHalfDoneMerge(y);
});

/** `a` waits while a person commits to the same line, and resolves the conflict as it is told. */
function droppingProject(turns: TestProjectOptions['script']): TestProject {
  return testProject({
    files: { 'gate.sh': notingGate, 'list.txt': 'one\ntwo\nthree\n' },
    tasks: [{ id: 'a' }],
    script: turns ?? {},
    leaves: ['branches', 'kept'],
    config: never,
  });
}

const works = [touch('working'), waitFor('go'), write('list.txt', 'one\nmine\nthree\n')];
const ours = { mergeTarget: { branch: 'main', resolve: 'ours' } };

async function playDropping(y: TestProject): Promise<number | null> {
  const run = y.startWith(staged(y), 'run', y.plan);
  await y.seen('working');
  y.write('list.txt', 'one\ntheir important line\nthree\n');
  y.commit('By hand');
  y.signal('go');
  return (await run.end()).code;
}

const brokenRules = async (y: TestProject) =>
  (await y.events()).flatMap((event) =>
    event.type === 'work-captured' && event.violations !== undefined ? event.violations : [],
  );

test('a resolution that drops lines of the other side does not land, and the next attempt starts over', async () => {
  const adds = 'printf "one\\ntheir important line\\nmine\\nthree\\n" > list.txt';
  const later = { run: { shell: `[ "$YARD_ATTEMPT" = 1 ] || ${adds}` } };
  const y = droppingProject({ a: [[...works, later], [ours]] });
  expect(await playDropping(y)).toBe(0);
  expect(await whyOf(y, 'a')).toContain('lost lines that were added on the target');
  expect(y.show('list.txt')).toBe('one\ntheir important line\nmine\nthree\n');
  expectNoHalfDoneMerge(y);
});

test('a resolution that names what it drops lands', async () => {
  const names = { run: { shell: 'git commit -q --amend -m "Merge\n\nYard-Dropped: list.txt"' } };
  const y = droppingProject({ a: [works, [ours, names]] });
  expect(await playDropping(y)).toBe(0);
  expect(await brokenRules(y)).toEqual([]);
  expect(y.show('list.txt')).toBe('one\nmine\nthree\n');
  expectNoHalfDoneMerge(y);
});

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
