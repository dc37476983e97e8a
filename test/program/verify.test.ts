// The look at the whole target after a run: when it is made, with what, how it comes out, and what follows.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bad, outcomes } from '../rig/verify.ts';
import { type TestProject, testProject } from '../rig.ts';

async function runDir(y: TestProject): Promise<string> {
  const id = (await y.status()).run?.id ?? 'none';
  return join(y.root, '.git', 'yardmaster', 'runs', id);
}

async function logOf(y: TestProject): Promise<string> {
  return readFileSync(join(await runDir(y), 'verify.log'), 'utf8');
}

test('a failure is exit status 5, is shown with the lines that tell, and takes nothing back', async () => {
  const y = testProject({ ...bad, config: { verify: { enabled: true, command: 'sh look.sh' } } });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(5);
  expect(await outcomes(y)).toMatchObject([
    { kind: 'failed', exit: 3, command: 'sh look.sh', tail: 'FAIL there is a file called bad\n' },
  ]);
  expect(await logOf(y)).toMatch(
    /looking for trouble\n\n--- stderr ---\nFAIL there is a file called bad\n/,
  );
  expect(y.landings()).toEqual({ a: 1 });
  expect(await y.task('a')).toMatchObject({ state: 'landed' });
  expect(y.git('status', '--porcelain')).toBe('');
  for (const told of [
    (await y.ym('summary')).stdout,
    (await y.ym('graph', 'last')).stdout,
    run.stdout,
  ]) {
    expect(told).toContain('there is a file called bad');
  }
  expect((await y.ym('status')).stdout).toMatch(/verify.*failed/);
  expect((await y.status()).tasks).toHaveLength(1);
});
