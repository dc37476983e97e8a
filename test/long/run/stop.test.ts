// Stopping and going on: by signal, by command, by budget; and two processes on one project.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atWork, resumes, slowThenNext } from '../../rig/stop.ts';
import { processesWith, testProject, touch, waitFor, write } from '../../rig.ts';

test('a request to terminate ends the agents at once', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  run.signal('SIGTERM');
  expect(await run.end()).toMatchObject({ code: 4, signal: null });
  expect(processesWith(y.tag)).toEqual([]);
  await resumes(y);
});

test('a run whose process is gone cannot be stopped', async () => {
  const y = testProject(slowThenNext);
  const run = await atWork(y);
  run.signal('SIGKILL');
  await run.end();
  const stop = await y.ym('stop');
  expect(stop).toMatchObject({ code: 2, stdout: '' });
  expect(stop.stderr).toMatch(/The process of run \S+ is gone.*`ym resume`/);
  expect((await y.events()).map(({ type }) => type)).not.toContain('stop-asked');
  await resumes(y);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends `ym verify` with its gate, and nothing is left of it',
  async (signal) => {
    const y = testProject({
      files: { 'gate.sh': 'trap "" INT; touch "$STAGE/gating"; sleep 300 & wait\n' },
    });
    const temp = join(y.base, 'temp');
    mkdirSync(temp);
    const env = { TMPDIR: temp, STAGE: y.stage };
    const verify = y.startWith({ env }, 'verify');
    await y.seen('gating');
    expect(readdirSync(temp)).toHaveLength(1);
    verify.signal(signal);
    const ended = await verify.end();
    expect(ended).toMatchObject({ code: 4, signal: null, stdout: '' });
    expect(ended.stderr).toContain(`Interrupted by ${signal}.`);
    expect(readdirSync(temp)).toEqual([]);
    expect(processesWith(y.tag)).toEqual([]);
  },
);

test('two runs that share a project work side by side on tasks of their own', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[touch('a'), waitFor('b'), write('a.txt', 'a\n')]],
      b: [[touch('b'), waitFor('a'), write('b.txt', 'b\n')]],
    },
  });
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  const first = y.start('run', '--only', 'a');
  await y.seen('a');
  const second = y.start('run', '--only', 'b', '--share');
  expect(await second.end()).toMatchObject({ code: 0 });
  expect(await first.end()).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(y.reflogGreen()).toMatchObject({ red: [], values: { length: 3 } });
});
