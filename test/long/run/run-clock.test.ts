// How long a run took, in every view: while nothing drives it, and after another process went on with it.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { span } from '../../../src/report/format/time.ts';
import { type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';

async function killedRun(): Promise<TestProject> {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const run = y.start('run', y.plan);
  await y.seen('begun');
  run.signal('SIGKILL');
  await run.end();
  return y;
}

async function jsonOf(y: TestProject, ...args: string[]) {
  const { code, stdout } = await y.ym(...args, '--json');
  expect({ args, code }).toEqual({ args, code: 0 });
  return JSON.parse(stdout);
}

/** The time of the oldest run, as the list of runs and the summary have it. */
async function times(y: TestProject) {
  const { runs } = await jsonOf(y, 'runs');
  const { id, ms } = runs.at(-1);
  const { wallMs } = await jsonOf(y, 'summary', id);
  expect(wallMs).toBe(ms);
  return { id, ms };
}

test('the clock of a killed run stands still at its last sign of life', async () => {
  const y = await killedRun();
  const { id, ms } = await times(y);
  expect(ms).toBeGreaterThan(0);
  const { run } = await jsonOf(y, 'status');
  expect(Date.parse(run.diedAt) - Date.parse(run.startedAt)).toBe(ms);
  await delay(1_100);
  expect(await times(y)).toEqual({ id, ms });
  const headline = `Run ${id}  died  ${span(ms)}  → main\n`;
  expect((await y.ym('status')).stdout.slice(0, headline.length)).toBe(headline);
  // Another run ends the dead one, and takes its task over.
  y.signal('go');
  expect((await y.ym('run', '--scope', 'ready')).code).toBe(0);
  expect(await times(y)).toEqual({ id, ms });
});

test('a resumed run took the time until its process died, and that since the resume', async () => {
  const y = await killedRun();
  const { ms: before } = await times(y);
  await delay(3_000);
  y.signal('go');
  const begin = Date.now();
  expect((await y.ym('resume')).code).toBe(0);
  const { ms } = await times(y);
  expect(ms).toBeGreaterThanOrEqual(before);
  expect(ms).toBeLessThanOrEqual(before + Date.now() - begin);
});
