// `kill -9` from outside, at any moment, while agents are at work: they go on, are taken over and are not started again.
import { expect, onTestFinished, test } from 'vitest';
import { type CrashPlan, crashProject, expectWhole, notesOf } from '../rig/crash.ts';
import { type TestProject, until } from '../rig.ts';

const _tasks = ['a', 'b', 'c', 'd'];

/** Waits for the file `go` on the stage, at most so long. */
const wait = 'n=0; until [ -e "$stage/go" ] || [ $n -ge 600 ]; do sleep 0.05; n=$((n+1)); done';
const work = 'echo "$YARD_TASK" >> "$YARD_TASK.txt"';

function projectOf(plan: CrashPlan): TestProject {
  const project = crashProject(plan);
  onTestFinished(async ({ task }) => {
    const problems = await project.dispose();
    if (problems.length > 0 && task.result?.state !== 'fail') throw new Error(problems.join('\n'));
  });
  return project;
}

/** A run of one task whose agent waits for `go`, killed while it does. */
async function killedAtWork(): Promise<TestProject> {
  const project = projectOf({ tasks: ['a'], acts: { 'a-1': `${wait}\n${work}` } });
  const run = project.start('run', project.plan);
  await until(() => notesOf(project, 'starts').length === 1, 'the start of the agent');
  run.signal('SIGKILL');
  await run.end();
  return project;
}

test('an agent that is at work when the engine dies is taken over at the next start', async () => {
  const project = await killedAtWork();
  expect(project.leftovers().processes.join()).toContain('agent.sh');
  const resumed = project.start('resume');
  await resumed.until('resumed');
  project.signal('go');
  expect(await resumed.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});

test('what an agent finished while no engine was there is landed, and it is not started again', async () => {
  const project = await killedAtWork();
  project.signal('go');
  await until(() => notesOf(project, 'effects').length === 1, 'the end of the agent');
  expect(await project.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});

test('of two that resume at the same time one goes on and the other says who does', async () => {
  const project = await killedAtWork();
  const both = [project.start('resume'), project.start('resume')];
  await until(() => both.some((child) => child.isOver()), 'the end of one of the two');
  const [refused, driving] = both[0]?.isOver() ? both : [...both].reverse();
  if (refused === undefined || driving === undefined) throw new Error('Two were started');
  const end = await refused.end();
  expect(end.code).toBe(3);
  expect(end.stderr).toContain(String(driving.pid));
  expect(driving.isOver()).toBe(false);
  project.signal('go');
  expect(await driving.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});
