// The gate on the target itself: before the first agent of a run is paid for, and before an agent is blamed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject, until, write } from '../../rig.ts';

const config = { preflight: true };

async function targetChecks(y: TestProject): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) =>
    event.type === 'target-judged' ? [`${event.verdict.id}${event.cached ? ' known' : ''}`] : [],
  );
}

async function starts(y: TestProject): Promise<number> {
  return (await y.events()).filter(({ type }) => type === 'turn-started').length;
}

test('the check runs while worktrees are prepared; what passed once is not run again, until somebody would be blamed', async () => {
  const gate = `while test ! -e "$YM_STAGE/go"; do sleep 0.05; done
test -e "$YM_STAGE/up" || { echo 'the database is down'; exit 1; }`;
  const y = testProject({
    config: { ...config, jobs: 1, gate: { commands: ['sh gate.sh'], reruns: 0 } },
    files: { 'gate.sh': gate },
    leaves: ['branches'],
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] },
  });
  const env = { YM_STAGE: y.stage };
  const go = join(y.stage, 'go');
  const up = join(y.stage, 'up');
  writeFileSync(up, '');
  const first = y.startWith({ env }, 'run', y.plan);
  await until(
    async () => (await y.events()).some(({ type }) => type === 'worktree-ready'),
    'a worktree',
  );
  expect((await y.ym('status')).stdout).toContain('checking main before the first agent starts');
  expect(await starts(y)).toBe(0);
  writeFileSync(go, '');
  expect(await first.end()).toMatchObject({ code: 0 });
  expect(await targetChecks(y)).toEqual(['passed']);

  // What landed is known to be green. Then a service goes down.
  rmSync(up);
  y.writeTasks([{ id: 'b' }]);
  const second = await y.ymWith({ env }, 'run', y.plan);
  expect(second).toMatchObject({ code: 3 });
  expect(second.stdout).toContain('checking main before an agent is blamed');
  expect(second.stdout).toContain('The target itself fails the gate');
  expect(await targetChecks(y)).toEqual(['passed', 'passed known', 'failed']);
  expect(await starts(y)).toBe(2);
  expect((await y.status()).tasks).toMatchObject([{}, { id: 'b', state: 'ready' }]);

  // It is still down, and that is found before anybody is paid again.
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 3 });
  expect(await starts(y)).toBe(2);
  writeFileSync(up, '');
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
});
