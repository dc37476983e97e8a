// A run as a library has it: without a command line and without a screen.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkResume, readResume, resumeRun } from '../../src/app/resume.ts';
import { checkRequest, readRequest, startRun } from '../../src/app/start.ts';
import { importTasks } from '../../src/app/tasks.ts';
import { hasEnded } from '../../src/model/run-record.ts';
import { openProject } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';
import { task } from '../story.ts';

/** A project with one task, and a program as its agent. */
function made(script: string): TestProject {
  const own = { use: 'command', command: ['./agent.sh'] };
  const y = testProject({
    config: { agent: 'own', agents: { own } },
    files: { 'agent.sh': `#!/bin/sh\ncat > /dev/null\n${script}\n` },
    tasks: [{ id: 'a', title: 'Do a' }],
  });
  chmodSync(join(y.root, 'agent.sh'), 0o755);
  y.commit('Let it run');
  return y;
}

const opened = async (y: TestProject) => {
  const { PATH } = process.env;
  return need(await openProject(y.root, { PATH, HOME: y.home, YARDMASTER_STATE_DIR: y.state }));
};

async function started(y: TestProject) {
  const from = { cwd: y.root, readStdin: async () => '' };
  const request = need(await readRequest(await opened(y), {}, [y.plan], from));
  const { ready } = need(await checkRequest(request, { kind: 'ready' }));
  const { incoming } = request;
  return need(
    await startRun(ready, { share: false, incoming, pruneRemoved: false, attended: false }),
  );
}

test('the id of a task in place of a plan file is refused with a hint to --only', async () => {
  const y = made('true');
  const project = await opened(y);
  const from = { cwd: y.root, readStdin: async () => '' };
  const { incoming } = need(await readRequest(project, {}, [y.plan], from));
  const store = need(await project.openStore('write'));
  need(await importTasks({ ...project, store }, incoming));
  await store.close();
  const request = await readRequest(project, {}, ['a'], from);
  expect(request).toMatchObject({ ok: false, failure: [{ kind: 'source-invalid', file: 'a' }] });
  expect(JSON.stringify(request)).toContain('`ym run --only a`');
});

test('a run whose events are not read still ends, and one that was stopped can be resumed', async () => {
  const y = made('sleep 600');
  const run = await started(y);
  need(await run.stop('now', 'a test'));
  const record = need((await run.ended).run);
  expect(hasEnded(record)).toBe(true);
  const request = need(await readResume(await opened(y), { 'budget.attempts': 1 }, undefined));
  expect(request.record.id).toBe(run.id);
  const ready = need(await checkResume(request));
  const options = { retry: false, attended: false };
  const left = await resumeRun(ready, request.record, { ...options, standby: { wasOpen: true } });
  expect(left, 'a process that saw it before its end').toMatchObject({
    failure: [{ kind: 'nothing-to-resume' }],
  });
  const again = need(await resumeRun(ready, request.record, options));
  need(await again.stop('now', 'a test'));
  expect(again.id).toBe(run.id);
  expect((await again.ended).run.ok).toBe(true);
  const project = await opened(y);
  const store = need(await project.openStore('write'));
  const commit = 'f'.repeat(40);
  const entries = [{ id: 'z', attempt: 1, commit, branch: 'yard/r/z-1' }];
  const of = { run: run.id, candidate: 'c1', commit, from: commit, entries, commits: [commit] };
  const events = [
    { type: 'task-added', task: task('z') } as const,
    { type: 'landed', ...of } as const,
  ];
  need(await store.append(project.clock.now(), events));
  await store.close();
  await project.git.close();
  expect(await resumeRun(ready, request.record, options), 'a clone without a landing').toEqual({
    ok: false,
    failure: [{ kind: 'target-behind', target: 'main', tasks: ['z'], because: { id: 'not-here' } }],
  });
});
