// `kill -9` from outside, at any moment, while agents are at work: they go on, are taken over and are not started again.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectWhole, notesOf, recover } from '../../rig/crash.ts';
import { seed, sideBySide } from '../../rig/seed.ts';
import { killedAtWork, projectOf, work } from '../../rig/taken-over.ts';
import { until } from '../../rig.ts';

const tasks = ['a', 'b', 'c', 'd'];
const moments = 8;
/** From the first agent start to about the end of the run. */
const spanMs = 1_200;

test(`killed at ${moments} random moments, a run lands every task once without starting an agent again`, async () => {
  const { value, random } = seed();
  console.log(`seed ${value}`);
  const delays = Array.from({ length: moments }, () => random(spanMs));
  const acts = Object.fromEntries(tasks.map((id) => [`${id}-1`, `sleep 0.3\n${work}`]));
  await sideBySide(2, async (lane) => {
    for (const ms of delays.filter((_, index) => index % 2 === lane)) {
      const project = projectOf({ tasks, acts });
      const run = project.start('run', project.plan);
      await until(() => run.isOver() || notesOf(project, 'starts').length > 0, 'the first agent');
      await delay(ms);
      run.signal('SIGKILL');
      await run.end();
      const end = await recover(project);
      expect(end, `killed ${ms} ms after the first start`).toMatchObject({ code: 0, stderr: '' });
      await expectWhole(project, tasks);
      expect(notesOf(project, 'starts')).toHaveLength(tasks.length);
      expect(notesOf(project, 'effects')).toHaveLength(tasks.length);
    }
  });
});

test('a new run goes on with the agent of one that was killed, and starts it no second time', async () => {
  const project = await killedAtWork();
  const run = project.start('run', project.plan);
  await until(() => run.stdout().includes('took over'), 'word that the attempt was taken over');
  project.signal('go');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});

test('where no run has been there is nothing to resume, and that is said', async () => {
  const project = projectOf({ tasks: ['a'] });
  const resumed = await project.ym('resume');
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('There is no run to resume');
  expect(resumed.stderr).toContain('ym run');
});

test('a run that ended with every task landed is not resumed', async () => {
  const project = projectOf({ tasks: ['a'] });
  expect(await project.ym('run', project.plan)).toMatchObject({ code: 0 });
  const before = await project.events();
  const resumed = await project.ym('resume');
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('There is no run to resume');
  expect(await project.events()).toEqual(before);
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
});

test('the doctor finds the store of a killed and recovered project sound', async () => {
  const project = await killedAtWork();
  project.signal('go');
  expect(await recover(project)).toMatchObject({ code: 0 });
  const doctor = await project.ym('doctor', '--json');
  expect(doctor.code).toBe(0);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; text: string }[] };
  expect(checks.find(({ name }) => name === 'store')?.text).toContain('match its log');
});
