// What a run costs in things that can be counted exactly: processes of git and starts of agents.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countingGit } from '../../rig/counting.ts';
import { type Action, testProject, touch, until, waitFor, write } from '../../rig.ts';

/** With the two that the agent itself needs. */
const gitPerTask = 8;
/** Building, judging and landing it. How many tasks share one depends on who is ready when. */
const gitPerCandidate = 7;
/** Once in a run: checks at its start, the check of the target, and held refs at its end. */
const gitPerRun = 18;

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `t${index + 1}`);

const shell = (text: string): Action => ({ run: { shell: text } });

/** The least an agent does: one file, one commit, two processes of git. */
const smallest = shell(
  'echo done > "$YARD_TASK.txt"; git add -A; git commit -q -m "$YARD_TASK" --no-verify',
);

test(`a run needs at most ${gitPerRun} git processes, ${gitPerTask} a task and ${gitPerCandidate} a candidate`, async () => {
  const tasks = ids(8);
  const y = testProject({ tasks: tasks.map((id) => ({ id })), script: { default: [[smallest]] } });
  const git = countingGit(join(y.base, 'bin'));
  const run = await y.ymWith({ env: { PATH: git.path } }, 'run', y.plan, '--jobs', '3');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect([...y.landed()].sort()).toEqual([...tasks].sort());
  const calls = git.calls();
  const byVerb: Record<string, number> = {};
  for (const [verb = ''] of calls.map((call) => call.split(' '))) {
    byVerb[verb] = (byVerb[verb] ?? 0) + 1;
  }
  console.log(`${calls.length / tasks.length} git processes a task`, byVerb);
  // The agents' own are there, so the count saw everybody.
  expect(byVerb).toMatchObject({ add: tasks.length, commit: tasks.length });
  const candidates = (await y.events()).filter(({ type }) => type === 'candidate-built').length;
  const most = gitPerRun + gitPerTask * tasks.length + gitPerCandidate * candidates;
  expect(calls.length).toBeLessThanOrEqual(most);
});

test('a status costs no git process at all', async () => {
  const y = testProject({ tasks: [{ id: 'a' }] });
  await y.ym('import', y.plan);
  const git = countingGit(join(y.base, 'bin'));
  expect(await y.ymWith({ env: { PATH: git.path } }, 'status')).toMatchObject({ code: 0 });
  expect(git.calls()).toEqual([]);
});

test('sixteen agents that end at the same moment all land, at the first try', async () => {
  const tasks = ids(16);
  const script = Object.fromEntries(
    tasks.map((id) => [id, [[touch(`ready-${id}`), waitFor('go'), write(`${id}.txt`, id)]]]),
  );
  const y = testProject({ tasks: tasks.map((id) => ({ id })), script });
  const run = y.start('run', y.plan, '--jobs', '16');
  await until(() => tasks.every((id) => y.isSeen(`ready-${id}`)), 'sixteen agents at work');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual(Object.fromEntries(tasks.map((id) => [id, 1])));
  const events = await y.events();
  const types = events.map(({ type }) => type);
  const count = (type: string): number => types.filter((other) => other === type).length;
  expect(count('turn-started')).toBe(16);
  const entries = events.flatMap((event) => (event.type === 'landed' ? event.entries : []));
  expect(entries).toHaveLength(16);
  for (const trouble of [
    'attempt-given-up',
    'attempt-failed',
    'merge-refused',
    'candidate-dropped',
    'landing-waits',
  ]) {
    expect(count(trouble), trouble).toBe(0);
  }
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});
