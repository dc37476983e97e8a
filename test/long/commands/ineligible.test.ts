// A machine, a repository or a store that is not fit for a run: refused before anything is done.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, expectUntouched, oneTask } from '../../rig/refusal.ts';
import { type TestProject, type TestProjectOptions, testProject } from '../../rig.ts';

const ineligible: readonly [
  string,
  number,
  Partial<TestProjectOptions>,
  (y: TestProject) => void,
  string[],
][] = [
  ['no agent is set up', 2, { config: { agent: undefined, agents: {} } }, () => {}, ['agent']],
  [
    'the program of the agent is missing',
    3,
    { config: { agents: { actor: { use: 'command', command: ['no-such-program'] } } } },
    () => {},
    ['no-such-program', 'ym doctor'],
  ],
  [
    'the program of the agent is not executable',
    3,
    {
      config: { agents: { actor: { use: 'command', command: ['./agent.sh'] } } },
      files: { 'agent.sh': 'exit 0\n' },
    },
    () => {},
    ['agent.sh', 'is not executable', 'chmod +x'],
  ],
  [
    'the program of the gate is missing',
    2,
    { config: { gate: { commands: ['no-such-program --all'] } } },
    () => {},
    ['no-such-program', 'gate.commands'],
  ],
  ['there is no gate', 2, { config: { gate: undefined } }, () => {}, ['gate']],
  [
    'the only test is the one npm makes up',
    2,
    {
      config: { gate: undefined },
      files: {
        'package.json': `{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }`,
      },
    },
    () => {},
    ['gate'],
  ],
  [
    'git does not know who commits',
    3,
    {},
    (y) => y.git('config', '--unset', 'user.email'),
    ['user.email', 'git config'],
  ],
  ['no branch is checked out', 3, {}, (y) => y.git('checkout', '-q', '--detach'), ['--target']],
  [
    'a merge is in progress',
    3,
    {},
    (y) => {
      y.git('checkout', '-q', '-b', 'other');
      y.commit('Other');
      y.git('checkout', '-q', 'main');
      y.commit('Main');
      y.git('merge', '--no-commit', '--no-ff', 'other');
    },
    ['merge', 'git merge --abort'],
  ],
  [
    'the state folder is a file',
    3,
    {},
    (y) => writeFileSync(y.state, ''),
    ['YARDMASTER_STATE_DIR'],
  ],
  [
    'our own folder is a file',
    3,
    {},
    (y) => writeFileSync(join(y.root, '.git', 'yardmaster'), ''),
    ['.git/yardmaster'],
  ],
];

test.each(ineligible)('a run is refused where %s', async (_name, code, options, make, says) => {
  const y = testProject({ ...oneTask, ...options, leaves: ['state'] });
  make(y);
  await expectUntouched(y, async () => {
    expectRefusal(await y.ym('run', y.plan), code, ...says);
  });
});

test('a place that is no checkout of a repository is refused by every command that needs one', async () => {
  const y = testProject(oneTask);
  const empty = join(y.base, 'empty');
  mkdirSync(empty);
  for (const args of [['run', y.plan], ['status'], ['tasks'], ['init'], ['add', 'A'], ['verify']]) {
    expectRefusal(await y.ymWith({ cwd: empty }, ...args), 3, 'not in a git repository');
  }
  y.git('init', '-q', empty);
  expectRefusal(await y.ymWith({ cwd: empty }, 'run', y.plan), 3, 'no commit yet');
  expect((await y.ymWith({ cwd: empty }, 'init', '--yes')).stdout).toContain('no commit yet');
  expectRefusal(await y.ym('-C', join(y.base, 'none'), 'status'), 2, 'does not exist');
  const bare = join(y.base, 'bare.git');
  y.git('clone', '-q', '--bare', y.root, bare);
  expectRefusal(await y.ymWith({ cwd: bare }, 'run', y.plan), 3, 'bare');
  expect(existsSync(join(empty, '.git', 'yardmaster', 'yard.db'))).toBe(false);
});

test('a run looks for the git identity before it reads a plan, which may be long', async () => {
  const y = testProject();
  y.git('config', '--unset', 'user.email');
  const run = await y.ym('run', '--dry-run', 'no-such-plan.yaml');
  expect(run).toMatchObject({ code: 3, stdout: '' });
  expect(run.stderr).toContain('user.email');
  expect(run.stderr).not.toContain('no-such-plan');
});
