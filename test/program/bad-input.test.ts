// Wrong input: one sentence each of what, why and what to do on standard error, the right exit status, nothing half done.
import { expect, test } from 'vitest';
import { expectRefusal, expectUntouched, oneTask } from '../rig/refusal.ts';
import { testProject } from '../rig.ts';

const words: readonly [readonly string[], readonly string[]][] = [
  [['rnu'], ['rnu', 'run']],
  [
    ['run', '--jbos', '2'],
    ['--jbos', '--jobs'],
  ],
  [
    ['run', '--jobs', '0'],
    ['--jobs', '16'],
  ],
  [
    ['run', '--jobs', '17'],
    ['--jobs', '16'],
  ],
  [['run', '--jobs', 'two'], ['--jobs']],
  [['run', '--jobs'], ['--jobs']],
  [['run', 'nowhere.yaml'], ['nowhere.yaml']],
  [['run', '--scope', 'all'], ['ready']],
  [['run', '--scope', 'ready', '--only', 'a'], ['--only']],
  [['run', '--only', 'nobody'], ['nobody']],
  [['run', '--scope', 'epics', '--epic', 'nothing'], ['nothing']],
  [
    ['run', '--agent', 'nobody', '--scope', 'ready'],
    ['nobody', 'actor'],
  ],
  [['run', '--target', 'mian', '--scope', 'ready'], ['mian']],
  [
    ['run', '--budget-wall', 'soon', '--scope', 'ready'],
    ['budget', '90s'],
  ],
  [
    ['tasks', '--state', 'lost'],
    ['lost', 'landed'],
  ],
  [
    ['show', 'nobody'],
    ['nobody', 'ym tasks'],
  ],
  [['why', 'nobody'], ['nobody']],
  [['log', 'nobody'], ['nobody']],
  [['diff', 'nobody'], ['nobody']],
  [['retry', 'nobody'], ['nobody']],
  [['approve', 'nobody'], ['nobody']],
  [['reject', 'nobody', 'No'], ['nobody']],
  [['reject', 'nobody'], ['WHY']],
  [['resolve', 'nobody'], ['nobody']],
  [
    ['run', '--gate-slots', '17'],
    ['--gate-slots', '16'],
  ],
  [
    ['run', '--deliver', 'mail'],
    ['--deliver', 'land', 'branch', 'pr', 'stack'],
  ],
  [['run', '--no-review'], ['--no-review']],
  [['summary', 'r9'], ['r9']],
  [['graph', 'r9'], ['r9']],
  [['resume', 'r9'], ['r9']],
  [
    ['graph', '--format', 'jpeg'],
    ['ascii', 'mermaid', 'dot'],
  ],
  [
    ['config', 'get', 'jbos'],
    ['jbos', 'jobs'],
  ],
  [
    ['config', 'set', 'jobs', '99'],
    ['jobs', '16'],
  ],
  [
    ['completions', 'tcsh'],
    ['bash', 'zsh', 'fish'],
  ],
  [['import', 'nowhere.yaml'], ['nowhere.yaml']],
  [['add'], ['TITLE']],
  [['add', 'B', '--after', 'nobody'], ['nobody']],
];

test('words of the command line that cannot be meant are refused with what could be', async () => {
  const y = testProject(oneTask);
  await expectUntouched(y, async () => {
    for (const [args, says] of words) {
      const refused = await y.ym(...args);
      expect.soft({ args, code: refused.code }).toEqual({ args, code: 2 });
      expectRefusal(refused, 2, ...says);
    }
  });
});

test('a run without a scope and without a terminal asks for one', async () => {
  const y = testProject(oneTask);
  await y.ym('import', y.plan);
  const refused = await y.ym('run');
  expectRefusal(refused, 2, '--scope ready', '--only');
  expect(y.isSeen('started')).toBe(false);
});
