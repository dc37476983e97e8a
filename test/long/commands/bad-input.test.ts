// Wrong input: one sentence each of what, why and what to do on standard error, the right exit status, nothing half done.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { expectRefusal, expectUntouched, oneTask } from '../../rig/refusal.ts';
import { testProject } from '../../rig.ts';

const plans: readonly [string, string, readonly string[]][] = [
  ['is not YAML', 'tasks: [{ id: a\n', ['plan.yaml:']],
  ['has a key nobody knows', 'tasks:\n  - { id: a, title: A, afer: [b] }\n', ['afer', 'after']],
  [
    'has a circle in it',
    'tasks:\n  - { id: a, title: A, after: [b] }\n  - { id: b, title: B, after: [c] }\n  - { id: c, title: C, after: [a] }\n',
    ['a → b → c → a', 'c has a in its `after` in ../plan.yaml'],
  ],
  [
    'waits for what is not there',
    'tasks:\n  - { id: api, title: A }\n  - { id: b, title: B, after: [aip] }\n',
    ['aip', 'Did you mean api'],
  ],
  [
    'names a task twice',
    'tasks:\n  - { id: a, title: A }\n  - { id: a, title: B }\n',
    ['plan.yaml:3', 'is used a second time'],
  ],
  ['has a task that waits for itself', 'tasks:\n  - { id: a, title: A, after: [a] }\n', ['itself']],
  ['has a task without a name', 'tasks:\n  - { priority: 1 }\n', ['title']],
  ['has an id that is no name', 'tasks:\n  - { id: "../up", title: A }\n', ['../up']],
  ['has a priority nobody knows', 'tasks:\n  - { id: a, title: A, priority: 9 }\n', ['priority']],
];

test.each(plans)('a plan that %s is refused whole', async (_name, text, says) => {
  const y = testProject(oneTask);
  const file = join(y.base, 'plan.yaml');
  writeFileSync(file, text);
  await expectUntouched(y, async () => {
    expectRefusal(await y.ym('run', file), 2, ...says);
    expectRefusal(await y.ym('import', file), 2, ...says);
  });
});

const configs: readonly [string, string, readonly string[]][] = [
  ['is not YAML', 'jobs: [1\n', ['yardmaster.yaml:']],
  ['has a key nobody knows', 'jbos: 2\n', ['yardmaster.yaml:1', 'jbos', 'jobs']],
  ['asks for no jobs', 'jobs: 0\n', ['jobs', '1', '16']],
  ['asks for too many jobs', 'jobs: 17\n', ['jobs', '1', '16']],
  ['has a time without a unit', 'gate: { commands: [a], timeout: 10 }\n', ['gate.timeout', '10m']],
  ['has an empty gate', 'gate: { commands: [] }\n', ['gate', 'none']],
  [
    'has an agent of a kind nobody knows',
    'agents: { x: { use: robot } }\n',
    [
      'agents.x.use',
      'claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider, acp, command, scripted',
    ],
  ],
  [
    'has a pipeline without work',
    'pipeline: { docs: [land] }\n',
    ['pipeline.docs', 'work and land'],
  ],
  [
    'has a reviewer nobody knows',
    'review: { agent: cluade }\n',
    ['yardmaster.yaml:1', 'cluade', 'Did you mean "claude"'],
  ],
  [
    'reviews without a reviewer',
    'pipeline: { default: [work, review, land] }\n',
    ['pipeline.default', 'review.agent'],
  ],
];

test.each(configs)('a config that %s is refused with its place', async (_name, text, says) => {
  const y = testProject(oneTask);
  y.write('yardmaster.yaml', text);
  await expectUntouched(y, async () => {
    expectRefusal(await y.ym('run', y.plan), 2, ...says);
  });
});

test('what is wrong on the target is refused with its place, though the checkout is fixed', async () => {
  const y = testProject(oneTask);
  y.write('yardmaster.yaml', 'gate: { commands: [sh gate.sh], branch: sometimes }\n');
  y.commit('A slip');
  y.write('yardmaster.yaml', 'gate: { commands: [sh gate.sh] }\n');
  const refused = await y.ym('run', y.plan);
  expectRefusal(refused, 2, 'yardmaster.yaml at main:1', 'gate.branch', 'auto, always or never');
});

test('an option that the call cannot use is refused, not ignored', async () => {
  const y = testProject(oneTask);
  await y.ym('import', y.plan);
  expectRefusal(
    await y.ym('compare', 'r1', 'r2', '--diff'),
    2,
    '--diff shows variants',
    'ym compare r1 r2',
  );
  expectRefusal(await y.ym('try', '--back', '--attempt', '2'), 2, '--back takes no --attempt');
});
