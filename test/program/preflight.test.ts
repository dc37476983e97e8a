// The gate on the target itself: before the first agent of a run is paid for, and before an agent is blamed.
import { expect, test } from 'vitest';
import { remove, type TestProject, testProject } from '../rig.ts';

const config = { preflight: true };

async function starts(y: TestProject): Promise<number> {
  return (await y.events()).filter(({ type }) => type === 'turn-started').length;
}

test('a red target ends the run before any agent is paid for, and says what is red', async () => {
  const y = testProject({ config, tasks: [{ id: 'a' }], script: { a: [[remove('red')]] } });
  y.write('red', '');
  y.commit('Red');
  const dry = await y.ym('run', y.plan, '--dry-run');
  expect(dry.stdout).toContain('check    main, before the first agent starts\nclaim');
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 3 });
  expect(run.stdout).toContain('checking main before the first agent starts');
  expect(run.stdout).toContain('The target itself fails the gate');
  expect(run.stdout).toContain('`--no-preflight`');
  expect(run.stdout).toContain('there is a file called red');
  expect((await y.ym('summary')).stdout).toMatch(/gate runs +1 .*target 1\)/);
  expect(await starts(y)).toBe(0);
  const { tasks } = await y.status();
  expect(tasks).toMatchObject([{ id: 'a', state: 'ready' }]);
  // An agent may be let to fix it.
  expect(await y.ym('run', y.plan, '--no-preflight')).toMatchObject({ code: 0 });
  expect(await starts(y)).toBe(1);
});
