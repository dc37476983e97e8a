// What a run says at its end: how many tasks landed, which did not and why, and what to type for each of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exit, print, testProject, write } from '../../rig.ts';

test('a run ends with its result: the count, then each task that did not land with its command', async () => {
  const y = testProject({
    config: { retries: 0, jobs: 1 },
    tasks: [
      { id: 'good' },
      { id: 'bad' },
      { id: 'behind', after: ['bad'] },
      { id: 'held' },
      { id: 'dropped' },
    ],
    script: { bad: [[print('no luck'), exit(7)]], default: [[write('work.txt', 'done\n')]] },
  });
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  expect(await y.ym('block', 'held')).toMatchObject({ code: 0 });
  expect(await y.ym('cancel', 'dropped')).toMatchObject({ code: 0 });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  const lines = run.stdout.trimEnd().split('\n');
  const result = lines.slice(lines.findIndex((line) => /^\d+ landed/.test(line)));
  expect(result.filter((line) => !line.includes('└─'))).toEqual([
    '1 landed, 2 need you, 1 left to do, 1 canceled',
    '  ✗ bad  failed  ym retry bad',
    '  ■ behind  waiting behind bad  ym why bad',
    '  ■ held  blocked by you  ym unblock held',
    '  ⊘ dropped  canceled  ym retry dropped',
  ]);
  const summary = JSON.parse((await y.ym('summary', '--json')).stdout);
  const [row] = JSON.parse((await y.ym('runs', '--json')).stdout).runs;
  expect(row).toMatchObject({ landed: 1, needYou: 2 });
  expect(summary.result).toMatchObject({ landed: 1, needYou: 2, canceled: 1 });
  const names = ['bad', 'behind', 'held', 'dropped'];
  expect(summary.notLanded.map(({ id }: { id: string }) => id)).toEqual(names);

  // A task that is added later was not left by this run.
  expect(await y.ym('add', 'Do something later', '--id', 'later')).toMatchObject({ code: 0 });
  expect(JSON.parse((await y.ym('summary', '--json')).stdout)).toEqual(summary);
  expect(await y.ym('rm', 'later')).toMatchObject({ code: 0 });

  // A second run has nothing to start, says so, and does not call that success.
  expect(await y.ym('retry', 'bad')).toMatchObject({
    code: 0,
    stdout: 'bad is open again; continue with `ym resume` or `ym run`\n',
  });
  expect(await y.ym('block', 'bad')).toMatchObject({ code: 0 });
  const again = await y.ym('run', '--scope', 'ready');
  expect(again.code).toBe(1);
  expect(again.stdout).toContain('Nothing was started: no task in scope can continue on its own.');
  expect(again.stdout).toContain('ym unblock held');
  expect(again.stdout).not.toContain('every task in scope has landed');
  const json = await y.ym('run', '--scope', 'ready', '--json');
  expect(json.code).toBe(1);
  // A task that was canceled before counts only if the run was asked for it.
  expect(JSON.parse(json.stdout)).toMatchObject({ type: 'run-result', exit: 1, needYou: 2 });
  const done = await y.ym('run', '--only', 'good');
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('every task in scope has landed');
  expect(await y.ym('run', '--only', 'god')).toMatchObject({ code: 2 });
});

test.each(['on the machine', 'with a commit'])(
  '`ym resume` runs the gate again after the user has repaired %s what kept it from running',
  async (how) => {
    const y = testProject({
      config: { jobs: 1, retries: 0 },
      files: { 'gate.sh': 'checker\n' },
      tasks: [{ id: 'a' }],
      script: { a: [[write('a.txt', 'a\n')]] },
      leaves: ['branches'],
    });
    const run = await y.ym('run', y.plan);
    expect(run.code).toBe(3);
    expect((await y.status()).counts.working).toBeUndefined();
    expect((await y.ym('why', 'a')).stdout).not.toContain('under way');
    expect(run.stdout.split('then type `ym resume`').length).toBeLessThanOrEqual(2);
    if (how === 'with a commit') {
      y.write('gate.sh', 'true\n');
      y.commit('The gate needs no checker');
    } else writeFileSync(join(y.stage, 'checker'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const PATH = `${y.stage}:${process.env.PATH}`;
    const resumed = await y.ymWith({ env: { PATH } }, 'resume');
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout.trimEnd().split('\n').at(-1)).toBe('1 landed');
    expect(y.landings()).toEqual({ a: 1 });
    expect((await y.status()).spend.starts).toBe(1);
  },
);
