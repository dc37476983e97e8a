// A new run beside work that waits for a person, and what it makes of decisions about that work.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, shop } from '../../rig/project.ts';
import { type Action, testProject, touch, until, waitFor, write } from '../../rig.ts';

const ci = '.github/workflows/ci.yml';
const editsCi: readonly Action[] = [write(ci, 'on: [push, pull_request]\n'), write('a.txt', 'a\n')];

const waitingShop = () =>
  shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [editsCi],
      b: [[touch('b'), waitFor('go'), write('b.txt', 'b\n')]],
      c: [[write('c.txt', 'c\n')]],
    },
  });

test('work that waits for a person holds up no other run, and lands in the one that is alive when it is approved', async () => {
  const y = waitingShop();
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const idle = await y.ym('run', y.plan);
  expect(idle).toMatchObject({ code: 1, stderr: '' });
  expect(idle.stdout).toContain('Nothing was started: no task in scope can continue on its own.');
  expect(idle.stdout).toContain('a  awaiting approval  ym approve a');
  // The second run is not even for the task that waits.
  expect(await y.ym('add', 'b', '--id', 'b')).toMatchObject({ code: 0 });
  const run = y.start('run', '--only', 'b');
  await y.seen('b');
  expect((await y.ym('approve', 'a')).stdout).toBe('a is approved; the run continues with it\n');
  await until(() => y.landed().includes('a'), 'the landing of a');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout()).toMatch(/took over a {2}attempt 1 of run \S+/);
  expect(y.landings()).toEqual({ a: 1, b: 1 });
});

test('work that was done in another state folder is left there and named, not taken for no work', async () => {
  const y = testProject({
    config: { jobs: 1, retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'work\n')]] },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  const run = y.start('run', y.plan);
  await y.seen('working');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  await until(() => y.leftovers().processes.length === 0, 'the end of the agent');
  const env = { YARDMASTER_STATE_DIR: join(y.base, 'elsewhere') };
  expect((await y.ymWith({ env }, 'resume')).code).toBe(1);
  const why = flat((await y.ym('why', 'a')).stdout);
  expect(why).toContain('in another state folder');
  expect(why).toContain('its work is left in');
  expect(why).not.toContain('made no changes');
});
