// Commands that write while a daemon drives the run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonRun } from '../../../src/model/daemon.ts';
import { planText, type StatusTask, testProject, touch, until, waitFor, write } from '../../rig.ts';

test('with a daemon, commands that write work as without one', async () => {
  const y = testProject({
    config: { jobs: 1 },
    tasks: [
      { id: 'busy', priority: 0 },
      { id: 'next', priority: 1 },
      ...['held', 'done', 'gone'].map((id) => ({ id, after: ['next'] })),
    ],
    script: {
      busy: [[touch('busy'), waitFor('go'), write('busy.txt', 'busy\n')]],
      held: [[write('held.txt', 'held\n')]],
      gone: [[write('gone.txt', 'gone\n')]],
      next: [[touch('next'), waitFor('go'), write('next.txt', 'next\n')]],
    },
  });
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
  const runs = async (): Promise<readonly DaemonRun[]> =>
    JSON.parse((await y.ym('daemon', 'status', '--json')).stdout).runs;
  const works = async (...words: string[]): Promise<void> =>
    expect({ words, ...(await y.ym(...words)) }).toMatchObject({ words, code: 0, stderr: '' });
  const becomes = async (words: readonly string[], task: Partial<StatusTask>): Promise<void> => {
    await works(...words);
    expect(await y.task(words[1] ?? '')).toMatchObject(task);
  };
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await y.seen('busy');

  await works('add', 'Write more', '--id', 'more', '--after', 'next');
  expect(await y.task('more')).toMatchObject({ state: 'open' });
  await works('edit', 'more', '--title', 'Write less');
  expect((await y.ym('show', 'more')).stdout).toContain('Write less');
  const other = join(y.base, 'other.json');
  writeFileSync(other, planText([{ id: 'other', after: ['next'] }]));
  await works('import', other);
  expect(await y.task('other')).toMatchObject({ state: 'open' });
  await becomes(['block', 'held', '--reason', 'Waits for wording'], { state: 'blocked' });
  await becomes(['unblock', 'held'], { state: 'open' });
  await becomes(['skip', 'done', '--reason', 'Done by hand'], { state: 'skipped' });
  await becomes(['cancel', 'gone', '--reason', 'Not wanted'], { state: 'canceled' });
  await becomes(['retry', 'gone'], { state: 'open' });
  await works('config', 'set', 'retries', '7');
  expect((await y.ym('config', 'get', 'retries')).stdout).toBe('7\n');
  await works('tell', 'busy', 'Be brief');
  const message = { type: 'message-sent', id: 'busy', text: 'Be brief' };
  expect(await y.events()).toContainEqual(expect.objectContaining(message));
  await works('slots', '2');
  await y.seen('next');
  await until(async () => (await runs())[0]?.jobs === 2, 'the daemon to see two slots');
  await works('stop');
  y.signal('go');
  await until(async () => (await runs()).length === 0, 'the end of the run');
  expect(await y.status()).toMatchObject({
    run: { state: 'ended', stop: { reason: 'stop-asked' } },
  });
  // The message is for the next turn.
  expect(y.landings()).toEqual({ next: 1 });
  await works('resume', '--detach');
  await y.untilStatus(({ counts }) => counts.landed === 4, 'the rest');
  expect((await y.ym('why', 'busy')).stdout).toContain('Be brief');
  expect(y.landings()).toEqual({ next: 1, busy: 1, held: 1, gone: 1 });
});
