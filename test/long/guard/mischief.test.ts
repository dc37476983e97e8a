// Agents that do to their worktree what nobody asked for: the work still counts, or the failure is said.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../../rig/screen.ts';
import {
  type Action,
  commit,
  type TestProject,
  type Turns,
  testProject,
  write,
} from '../../rig.ts';

const shell = (line: string): Action => ({ run: { shell: line } });

function projectWith(turns: Turns, more: Readonly<Record<string, unknown>> = {}): TestProject {
  return testProject({
    files: { 'list.txt': 'start\n' },
    config: { retries: 0, ...more },
    tasks: [{ id: 'a' }, { id: 'after-it', after: ['a'] }],
    script: { a: turns, 'after-it': [[write('after.txt', 'after\n')]] },
  });
}

test('work on a branch of the agent’s own choice lands', async () => {
  const y = projectWith([
    [shell('git checkout -q -b my-own'), write('a.txt', 'a\n'), commit('On my own branch')],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('a\n');
  expect(y.landings()).toEqual({ a: 1, 'after-it': 1 });
});

test('work on a detached HEAD lands', async () => {
  const y = projectWith([
    [shell('git checkout -q --detach'), write('a.txt', 'a\n'), commit('Nowhere')],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('a\n');
});

test('a commit with the rest left uncommitted lands whole', async () => {
  const y = projectWith([
    [
      write('a.txt', 'a\n'),
      commit('Half of it'),
      write('b.txt', 'b\n'),
      shell('echo c > c.txt; git add c.txt; echo d >> c.txt; git rm -q list.txt'),
    ],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt') + y.show('b.txt') + y.show('c.txt')).toBe('a\nb\nc\nd\n');
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('list.txt');
});

test('a merge that the agent leaves in the middle lands no conflict marks', async () => {
  const y = testProject({
    files: { 'list.txt': 'start\n', 'gate.sh': "! grep -q '<<<<<<<' list.txt\n" },
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [
          write('list.txt', 'mine\n'),
          commit('Mine'),
          shell('git checkout -q -b side HEAD~1; echo side > list.txt; git commit -qam Side'),
          shell('git checkout -q -; git merge side || true'),
        ],
      ],
    },
    leaves: ['branches'],
  });
  await y.ym('run', y.plan);
  expect(y.show('list.txt')).not.toContain('<<<<<<<');
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('an agent that removes its own worktree fails alone, and prune takes the rest away', async () => {
  const y = projectWith([[shell('rm -rf -- "$PWD"')]]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const { state, failure } = await y.task('a');
  expect(state).toBe('failed');
  expect(failure?.what.length).toBeGreaterThan(10);
  expect(await y.ym('prune', '--apply')).toMatchObject({ code: 0, stderr: '' });
});

test('work in a worktree that its agent cut off from git is saved before anything is removed', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'precious\n'), shell('rm .git')]] },
    leaves: ['branches', 'kept'],
  });
  await y.ym('run', y.plan);
  expect(await y.ym('prune', '--apply')).toMatchObject({ code: 0, stderr: '' });
  const { branches, kept } = y.leftovers();
  const texts = [...branches, ...kept, 'main'].map((ref) =>
    y.git('ls-tree', '--name-only', ref).includes('a.txt') ? y.show('a.txt', ref) : '',
  );
  expect(texts).toContain('precious\n');
});

test('after an agent that cut its worktree off, the next attempt gets a whole one', async () => {
  const y = testProject({
    config: { retries: 1 },
    tasks: [{ id: 'a' }],
    script: {
      a: {
        attempts: [[[write('a.txt', '1\n'), shell('rm .git; exit 1')]], [[write('a.txt', '2\n')]]],
      },
    },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('2\n');
});

const inside = 'cd inner && git add x && git -c user.name=a -c user.email=a@b commit -qm Inside';

test('a repository inside of the worktree costs its task alone, and nothing is removed', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[write('a.txt', 'a\n'), shell(`git init -q inner; echo 1 > inner/x; ${inside}`)]],
      b: [[write('b.txt', 'b\n')]],
    },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  await y.ym('run', y.plan);
  await y.ym('prune', '--apply');
  expect(y.landings()).toMatchObject({ b: 1 });
  const { branches, kept, state } = y.leftovers();
  const refs = [...branches, ...kept, 'main'];
  for (const file of ['a.txt', 'inner/x']) {
    const saved = refs.some((ref) => y.git('ls-tree', '-r', '--name-only', ref).includes(file));
    expect.soft({ file, there: saved || state.some((path) => path.endsWith(`/${file}`)) }).toEqual({
      file,
      there: true,
    });
  }
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('an agent that throws its history away lands its files on top of the real one', async () => {
  const orphan = 'git checkout -q --orphan fresh; git add -A; git commit -qm Fresh';
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [[write('a.txt', 'a\n'), shell(orphan)]], b: [[write('b.txt', 'b\n')]] },
    leaves: ['kept'],
  });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(0);
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(y.git('merge-base', '--is-ancestor', before, 'main')).toBe('');
  expect(y.git('log', '--format=%s', 'main')).not.toContain('Fresh');
});

test('a lock that a killed git left in the worktree is no trouble', async () => {
  const y = projectWith([
    [
      write('a.txt', 'a\n'),
      shell('touch -d "2 minutes ago" "$(git rev-parse --git-dir)/index.lock"'),
    ],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('a\n');
});

test('an agent cannot weaken the gate it is judged by', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[write('red', ''), write('yardmaster.yaml', 'gate: none\n')]] },
    leaves: ['branches', 'worktrees', 'kept', 'state'],
  });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).not.toBe(0);
  expect(y.tip()).toBe(before);
  expect((await y.ym('why', 'a')).stdout).toContain('yardmaster.yaml');
});

test('titles and files of any shape come through whole', async () => {
  const title = 'Say “grüße” — 100 % $HOME `id` "quoted" \'single\' \\ back';
  const y = testProject({
    tasks: [{ id: 'A.b_c-1', title }],
    script: {
      default: [[shell('printf "\\0\\377" > bin; ln -s gate.sh link; chmod +x names/total')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.git('log', '-1', '--format=%B', 'main^2')).toContain(title);
  expect(y.landings()).toEqual({ 'A.b_c-1': 1 });
  expect(y.git('ls-tree', 'main', 'link', 'names/total')).toMatch(/^120000.*\n100755/);
});

/** All that is written about a run: the store with its log, and the pages beside it, but not what children wrote. */
function records(y: TestProject): string {
  const folder = join(y.root, '.git', 'yardmaster');
  const files = filesBelow(folder).filter((file) => !/\.(?:out|err)$/.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'latin1')).join('\n');
}

test('a token that an agent or a gate prints is in no record and in nothing that is said', async () => {
  const token = (letter: string): string => `ghp_${letter.repeat(36)}`;
  const y = testProject({
    config: { retries: 0 },
    files: { 'gate.sh': `test ! -e red || { echo gate says ${token('g')}; exit 1; }\n` },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[shell(`echo agent says ${token('a')}; exit 3`)]],
      b: [[write('red', '')]],
    },
    leaves: ['branches'],
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  const said = [
    run,
    await y.ym('why', 'a'),
    await y.ym('why', 'b'),
    await y.ym('status', '--json'),
  ];
  const text = said.map(({ stdout, stderr }) => stdout + stderr).join('\n') + records(y);
  expect(text).toContain('agent says [redacted]');
  expect(text).toContain('gate says [redacted]');
  expect(text).not.toMatch(/ghp_[ag]/);
});

test('values that are configured for an agent, or that the environment calls secret, are in no record', async () => {
  const y = testProject({
    config: {
      retries: 0,
      agents: {
        actor: {
          use: 'command',
          command: ['sh', '-c', 'echo "says $MY_LOGIN and $SOME_API_KEY"; exit 3'],
          env: { MY_LOGIN: 'configured-value' },
        },
      },
    },
    env: { SOME_API_KEY: 'exported-value' },
    tasks: [{ id: 'a' }],
  });
  const run = await y.ym('run', y.plan);
  const why = await y.ym('why', 'a');
  const text = run.stdout + run.stderr + why.stdout + records(y);
  expect(text).toContain('says [redacted] and [redacted]');
  expect(text).not.toMatch(/configured-value|exported-value/);
});

test('a worktree that its agent replaced by a link is not used again, and what the link leads to is left alone', async () => {
  const y = testProject({
    config: { retries: 0, jobs: 1 },
    tasks: [{ id: 'a' }, { id: 'b', after: [] }],
    script: {
      a: [
        [
          shell(
            'cd /; mv "$YARD_WORKTREE" "$YARD_WORKTREE.moved"; ln -s "$YARD_PROJECT" "$YARD_WORKTREE"',
          ),
        ],
      ],
      b: [[write('b.txt', 'b\n')]],
    },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  y.write('precious.txt', 'not committed\n');
  await y.ym('run', y.plan);
  expect(y.landings()).toEqual({ b: 1 });
  expect(y.read('precious.txt')).toBe('not committed\n');
});
