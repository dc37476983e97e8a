// `kill -9` from outside, at any moment, while agents are at work: they go on, are taken over and are not started again.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type CrashPlan, crashYard, expectWhole, notesOf, recover } from '../rig/crash.ts';
import { seed, sideBySide } from '../rig/seed.ts';
import { until, type Yard } from '../rig.ts';

const tasks = ['a', 'b', 'c', 'd'];
const moments = 8;
/** From the first agent start to about the end of the run. */
const spanMs = 1_200;

/** Waits for the file `go` on the stage, at most so long. */
const wait = 'n=0; until [ -e "$stage/go" ] || [ $n -ge 600 ]; do sleep 0.05; n=$((n+1)); done';
const work = 'echo "$YARD_TASK" >> "$YARD_TASK.txt"';

function yardOf(plan: CrashPlan): Yard {
  const yard = crashYard(plan);
  onTestFinished(async ({ task }) => {
    const problems = await yard.dispose();
    if (problems.length > 0 && task.result?.state !== 'fail') throw new Error(problems.join('\n'));
  });
  return yard;
}

/** A run of one task whose agent waits for `go`, killed while it does. */
async function killedAtWork(): Promise<Yard> {
  const yard = yardOf({ tasks: ['a'], acts: { 'a-1': `${wait}\n${work}` } });
  const run = yard.start('run', yard.plan);
  await until(() => notesOf(yard, 'starts').length === 1, 'the start of the agent');
  run.signal('SIGKILL');
  await run.end();
  return yard;
}

test(`killed at ${moments} random moments, a run lands every task once without starting an agent again`, async () => {
  const { value, random } = seed();
  console.log(`seed ${value}`);
  const delays = Array.from({ length: moments }, () => random(spanMs));
  const acts = Object.fromEntries(tasks.map((id) => [`${id}-1`, `sleep 0.3\n${work}`]));
  await sideBySide(2, async (lane) => {
    for (const ms of delays.filter((_, index) => index % 2 === lane)) {
      const yard = yardOf({ tasks, acts });
      const run = yard.start('run', yard.plan);
      await until(() => run.isOver() || notesOf(yard, 'starts').length > 0, 'the first agent');
      await delay(ms);
      run.signal('SIGKILL');
      await run.end();
      const end = await recover(yard);
      expect(end, `killed ${ms} ms after the first start`).toMatchObject({ code: 0, stderr: '' });
      await expectWhole(yard, tasks);
      expect(notesOf(yard, 'starts')).toHaveLength(tasks.length);
      expect(notesOf(yard, 'effects')).toHaveLength(tasks.length);
    }
  });
});

test('an agent that is at work when the engine dies is taken over at the next start', async () => {
  const yard = await killedAtWork();
  expect(yard.leftovers().processes.join()).toContain('agent.sh');
  const resumed = yard.start('resume');
  await resumed.until('resumed');
  yard.signal('go');
  expect(await resumed.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(yard, 'starts')).toEqual(['a 1 1']);
  await expectWhole(yard, ['a']);
});

test('what an agent finished while no engine was there is landed, and it is not started again', async () => {
  const yard = await killedAtWork();
  yard.signal('go');
  await until(() => notesOf(yard, 'effects').length === 1, 'the end of the agent');
  expect(await yard.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(yard, 'starts')).toEqual(['a 1 1']);
  await expectWhole(yard, ['a']);
});

test('of two that resume at the same time one goes on and the other says who does', async () => {
  const yard = await killedAtWork();
  const both = [yard.start('resume'), yard.start('resume')];
  await until(() => both.some((child) => child.isOver()), 'the end of one of the two');
  const [refused, driving] = both[0]?.isOver() ? both : [...both].reverse();
  if (refused === undefined || driving === undefined) throw new Error('Two were started');
  const end = await refused.end();
  expect(end.code).toBe(3);
  expect(end.stderr).toContain(String(driving.pid));
  expect(driving.isOver()).toBe(false);
  yard.signal('go');
  expect(await driving.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(yard, 'starts')).toEqual(['a 1 1']);
  await expectWhole(yard, ['a']);
});

test('a new run goes on with the agent of one that was killed, and starts it no second time', async () => {
  const yard = await killedAtWork();
  const run = yard.start('run', yard.plan);
  await until(() => run.stdout().includes('took over'), 'word that the attempt was taken over');
  yard.signal('go');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(yard, 'starts')).toEqual(['a 1 1']);
  await expectWhole(yard, ['a']);
});

test('where no run has been there is nothing to resume, and that is said', async () => {
  const yard = yardOf({ tasks: ['a'] });
  const resumed = await yard.ym('resume');
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('There is no run to go on with');
  expect(resumed.stderr).toContain('ym run');
});

test('a run that ended with every task landed is not resumed', async () => {
  const yard = yardOf({ tasks: ['a'] });
  expect(await yard.ym('run', yard.plan)).toMatchObject({ code: 0 });
  const before = await yard.events();
  const resumed = await yard.ym('resume');
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('There is no run to go on with');
  expect(await yard.events()).toEqual(before);
  expect(notesOf(yard, 'starts')).toEqual(['a 1 1']);
});

test('the doctor finds the store of a killed and recovered project sound', async () => {
  const yard = await killedAtWork();
  yard.signal('go');
  expect(await recover(yard)).toMatchObject({ code: 0 });
  const doctor = await yard.ym('doctor', '--json');
  expect(doctor.code).toBe(0);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; says: string }[] };
  expect(checks.find(({ name }) => name === 'store')?.says).toContain('agree with its log');
});
