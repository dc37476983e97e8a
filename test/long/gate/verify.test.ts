// The look at the whole target after a run: when it is made, with what, how it comes out, and what follows.

import { expect, test } from 'vitest';
import { bad, look, outcomes } from '../../rig/verify.ts';
import { remove, type TestProject, testProject } from '../../rig.ts';

/** Says that it looks, and goes on when the test says so. */
const patient = `touch "$STAGE/looking"
while test ! -e "$STAGE/go"; do sleep 0.02; done
${look}`;

/** A run whose look at the target has begun, killed there. */
async function killedWhileLooking(onFailure: string): Promise<TestProject> {
  const y = testProject({
    ...bad,
    files: { 'look.sh': patient },
    config: { verify: { enabled: true, command: 'sh look.sh', on_failure: onFailure } },
  });
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  await y.seen('looking');
  run.signal('SIGKILL');
  await run.end();
  return y;
}

test('fix: exactly one task is filed, also by a run that was killed meanwhile, and doing it ends the trouble', async () => {
  const y = await killedWhileLooking('fix');
  y.signal('go');
  const env = { STAGE: y.stage };
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 5 });
  const filed = async () => (await y.status()).tasks.filter(({ id }) => id !== 'a');
  const [task, ...more] = await filed();
  expect(more).toEqual([]);
  expect(task).toMatchObject({ state: 'ready', attempts: 0 });
  const id = task?.id ?? '';
  const shown = (await y.ym('show', id)).stdout;
  expect(shown).toContain('there is a file called bad');
  expect(shown).toContain('verify.log');
  // Looked at again, the same run files no second one.
  await y.ymWith({ env }, 'resume', '--verify-tests');
  expect(await filed()).toHaveLength(1);
  y.writeScript({ default: [[remove('bad')]] });
  expect(await y.ymWith({ env }, 'run', '--only', id)).toMatchObject({ code: 0 });
  expect((await outcomes(y)).at(-1)).toMatchObject({ kind: 'passed' });
  expect(await filed()).toMatchObject([{ id, state: 'landed' }]);
});
