// Critique: agents review a task and rewrite it before any work starts.
import { expect, test } from 'vitest';
import {
  approves,
  type OneShotProjectOptions,
  oneShotProject,
  partOf,
  promptOf,
  startsOf,
  wants,
} from '../../rig/one-shots.ts';
import { type Action, commit, print, remove, type TestProject, write } from '../../rig.ts';

const vague = 'vague blocker - It is not said in which language.';
const unsure = 'unsure major - It is not said in which file.';
const words = (text: string): Action => print(`Here it is.\n\n\`\`\`\`task\n${text}\n\`\`\`\``);

/** One task that asks for too little, a critic, and somebody who can put it better. */
function criticised(
  parts: OneShotProjectOptions['oneShotAgents'],
  more: Partial<OneShotProjectOptions> = {},
  critique: Readonly<Record<string, unknown>> = {},
): TestProject {
  const { config, ...rest } = more;
  return oneShotProject({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello somehow.' }],
    script: { a: [[write('a.txt', 'Bonjour\n')]] },
    oneShotAgents: parts,
    config: { critique: { agent: 'critic', ...critique }, ...config },
    ...rest,
  });
}

const settling = {
  critic: { default: { critiques: [wants(vague), wants(unsure), [approves]] } },
  writer: {
    default: {
      improvements: [[words('Say hello in French.')], [words('Say hello in French, in a.txt.')]],
    },
  },
} as const satisfies OneShotProjectOptions['oneShotAgents'];

test('critic and writer take turns until it is clear, and work begins with the better words', async () => {
  const y = criticised(settling, {}, { improver: 'writer' });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(await startsOf(y)).toEqual([
    'a critique 1',
    'a improve 1',
    'a critique 2',
    'a improve 2',
    'a critique 3',
    'a turn 1',
  ]);
  const told = (name: string): string => promptOf(y, 'a', name);
  expect(told('critique-1')).toContain('Say hello somehow.');
  expect(partOf(told('improve-1'), 'Findings')).toContain('- vague (blocker)');
  expect(told('critique-2')).toContain('Say hello in French.');
  expect(partOf(told('critique-2'), 'Findings of the last round')).toContain('- vague (blocker)');
  expect(partOf(told('critique-3'), 'Findings of the last round')).toContain('- unsure (major)');
  expect(told('critique-3')).not.toContain('vague');
  expect(told('turn-1')).toContain('# Task a: Say hello\n\nSay hello in French, in a.txt.\n');
  expect(told('turn-1')).not.toContain('somehow');
  expect(y.landings()).toEqual({ a: 1 });
  expect(run.stdout).toContain('the task is unclear: vague blocker');
  const why = (await y.ym('why', 'a')).stdout;
  expect(why).toMatch(/critic critiques the task[\s\S]*writer rewrites the task/);
  expect(why).toContain('the task is clear');
});

test('neither critic nor writer changes anything in the worktree', async () => {
  const meddles = [
    write('sly.txt', 'sly\n'),
    commit('By the critic'),
    write('sly-too.txt', 'sly\n'),
    remove('names'),
  ];
  const y = criticised(
    {
      critic: {
        default: {
          critiques: [
            [...meddles, ...wants(vague)],
            [...meddles, approves],
          ],
        },
      },
      writer: { default: { improvements: [[...meddles, words('In French.')]] } },
    },
    {},
    { improver: 'writer' },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const files = y.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n');
  expect(files).toEqual(['a.txt', 'gate.sh', 'names/total', 'yardmaster.yaml']);
  expect(y.git('log', '--format=%s', 'main')).not.toContain('critic');
});
