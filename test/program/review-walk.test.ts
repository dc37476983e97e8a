// A person walks through what waits for them, and the run goes on by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shop } from '../rig/project.ts';
import { until, write } from '../rig.ts';

const ci = '.github/workflows/ci.yml';

test('`ym review` shows what waits, takes the decision and goes on with the run', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [write(ci, 'on: [push, pull_request]\n'), write('a.txt', 'a\n')],
        [write('a.txt', 'b\n')],
      ],
    },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const listed = await y.ym('review');
  expect(listed.code).toBe(1);
  expect(listed.stdout).toContain('a waits for your approval: ym approve a');
  // Looking around in a shell and leaving the work for later decide nothing.
  const looking = y.terminal('SHELL=/bin/sh ym review');
  const sees = (text: string) => until(() => looking.output().includes(text), text);
  await sees('[a]pprove');
  looking.type('s\r');
  await until(() => /[#$] $/.test(looking.output()), 'the prompt of the shell');
  looking.type('echo "in $PWD"; exit\r');
  await sees('in /');
  looking.type('n\r');
  await looking.end();
  expect(y.landings()).toEqual({});

  const rejecting = y.terminal('ym review');
  const asks = (text: string) => until(() => rejecting.output().includes(text), text);
  await asks('[a]pprove');
  rejecting.type('r\r');
  await asks('What is wrong?');
  rejecting.type('Say b instead\r');
  // The second try needs approval too, and the run waits for it.
  await asks('Waiting for 1 approval');
  rejecting.type('\u0003');
  await rejecting.end();
  expect(y.landings()).toEqual({});
  const run = (await y.status()).run?.id ?? '';
  const turn = join(
    y.root,
    '.git',
    'yardmaster',
    'runs',
    run,
    'attempts',
    'a-1',
    'turn-2.prompt.md',
  );
  expect(readFileSync(turn, 'utf8')).toContain('Say b instead');

  const terminal = y.terminal('GIT_PAGER=cat ym review');
  const shows = (text: string) => until(() => terminal.output().includes(text), text);
  await shows('[a]pprove');
  terminal.type('d\r');
  await shows('pull_request]');
  terminal.type('a\r');
  expect(await terminal.end()).toBe(0);
  expect(y.landings()).toEqual({ a: 1 });
  expect(y.show('a.txt')).toBe('b\n');
  expect(await y.ym('review')).toMatchObject({ code: 0, stdout: 'Nothing waits for you.\n' });
});

test('a task whose advice names `ym skip` may be skipped, and `?` explains the letters', async () => {
  const y = shop({ config: { retries: 0 }, tasks: [{ id: 'idle' }], script: { idle: [[]] } });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect((await y.ym('why', 'idle')).stdout).toContain('ym skip idle');
  const terminal = y.terminal('ym review');
  const sees = (text: string) => until(() => terminal.output().includes(text), text);
  await sees('s[k]ip');
  terminal.type('?\r');
  await sees('count it as done without landing');
  terminal.type('k\r');
  await sees('Why?');
  terminal.type('It was done before\r');
  await terminal.end();
  expect(await y.task('idle')).toMatchObject({ state: 'skipped' });
});
