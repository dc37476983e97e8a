// One driver for each run, a refusal that changes nothing, and budgets that do not lead into a dead end.
import { expect, test } from 'vitest';
import { exit, print, testProject, waitFor, write } from '../../rig.ts';

const waits = [print('here'), waitFor('go'), write('a.txt', 'a\n')];

test('a run that was started to share is not driven by a second process', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [waits] } });
  const run = y.start('run', y.plan, '--share');
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'working'), 'working');
  const resumed = await y.ym('resume');
  expect(resumed.code).toBe(3);
  expect(resumed.stderr).toContain(String(run.pid));
  y.signal('go');
  expect((await run.end()).code).toBe(0);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a plain run does not start beside one that is there to share', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b' }], script: { a: [waits] } });
  const run = y.start('run', y.plan, '--share', '--only', 'a');
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'working'), 'working');
  const second = await y.ym('run', '--scope', 'ready');
  expect(second.code).toBe(3);
  expect(second.stderr).toContain(String(run.pid));
  y.signal('go');
  expect((await run.end()).code).toBe(0);
});

test('a run that is refused stores nothing and opens nothing again', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }, { id: 'fails' }],
    script: { a: [waits], fails: [[exit(3)]] },
  });
  const run = y.start('run', y.plan, '--jobs', '2');
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'failed'), 'failed');
  const before = (await y.events()).length;
  y.write('more.yaml', 'tasks: [{ id: new, title: New }]\n');
  expect(await y.ym('run', 'more.yaml', '--scope', 'ready')).toMatchObject({ code: 3 });
  const added = (await y.events()).slice(before).map(({ type }) => type);
  expect(added.filter((type) => type.startsWith('task-'))).toEqual([]);
  y.signal('go');
  expect((await run.end()).code).toBe(1);
  expect((await y.task('fails')).attempts).toBe(1);
});
