// Stopping and going on: by signal, by command, by budget; and two processes on one project.

import { expect, test } from 'vitest';
import { atWork, resumes, slowThenNext } from '../rig/stop.ts';
import { processesWith, type TestProject, testProject, until } from '../rig.ts';

const endsOf = async (y: TestProject): Promise<readonly string[]> =>
  (await y.events()).flatMap((event) => (event.type === 'run-ended' ? [event.stop.reason] : []));

test('the first Ctrl-C lets what runs land and starts nothing new', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  run.signal('SIGINT');
  await until(() => /finishing/i.test(run.stdout() + run.stderr()), 'word that it is finishing');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 4, signal: null });
  expect(y.landings()).toEqual({ slow: 1 });
  expect(y.isSeen('next')).toBe(false);
  expect(await endsOf(y)).toEqual(['stop-asked']);
  await resumes(y);
});

test('the second Ctrl-C ends the agents at once', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  run.signal('SIGINT');
  await until(() => /finishing/i.test(run.stdout() + run.stderr()), 'word that it is finishing');
  run.signal('SIGINT');
  expect(await run.end()).toMatchObject({ code: 4, signal: null });
  expect(y.landings()).toEqual({});
  expect(processesWith(y.tag)).toEqual([]);
  await resumes(y);
});

test('`ym stop` from another process lets what runs land', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  expect(await y.ym('stop')).toMatchObject({ code: 0 });
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 4 });
  expect(y.landings()).toEqual({ slow: 1 });
  await resumes(y);
});

test('`ym resume` without a name goes on with the run that still holds tasks, not with a newer one', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  const other = y.start('run', '--only', 'next', '--share');
  await y.seen('next');
  expect(await other.end()).toMatchObject({ code: 0 });
  run.signal('SIGKILL');
  await run.end();
  await resumes(y);
  const resumed = (await y.events()).find(({ type }) => type === 'run-resumed');
  const first = (await y.events()).find(({ type }) => type === 'run-started');
  expect(resumed).toMatchObject({ run: first !== undefined && 'run' in first ? first.run : '' });
});

test('a second run on the same project refuses at once and names the process', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  const second = await y.ym('run', '--scope', 'ready');
  expect(second.code).toBe(3);
  expect(second.stderr).toContain(`process ${run.pid}`);
  expect(second.stderr).toContain('--share');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect((await y.events()).filter(({ type }) => type === 'run-started')).toHaveLength(1);
});
