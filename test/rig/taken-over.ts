// Shared by program/taken-over.test.ts and long/kill/kill-outside.test.ts.
import { onTestFinished } from 'vitest';
import { type TestProject, until } from '../rig.ts';
import { type CrashPlan, crashProject, notesOf } from './crash.ts';

/** Waits for the file `go` on the stage, at most so long. */
const wait = 'n=0; until [ -e "$stage/go" ] || [ $n -ge 600 ]; do sleep 0.05; n=$((n+1)); done';

export const work = 'echo "$YARD_TASK" >> "$YARD_TASK.txt"';

export function projectOf(plan: CrashPlan): TestProject {
  const project = crashProject(plan);
  onTestFinished(async ({ task }) => {
    const problems = await project.dispose();
    if (problems.length > 0 && task.result?.state !== 'fail') throw new Error(problems.join('\n'));
  });
  return project;
}

/** A run of one task whose agent waits for `go`, killed while it does. */
export async function killedAtWork(): Promise<TestProject> {
  const project = projectOf({ tasks: ['a'], acts: { 'a-1': `${wait}\n${work}` } });
  const run = project.start('run', project.plan);
  await until(() => notesOf(project, 'starts').length === 1, 'the start of the agent');
  run.signal('SIGKILL');
  await run.end();
  return project;
}
