// A run as a library has it: without a command line and without a screen.

import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffOf } from '../../src/app/diff.ts';
import { explainTask } from '../../src/app/explain.ts';
import { runGraph } from '../../src/app/graph.ts';
import { readLedger } from '../../src/app/ledger.ts';
import { findLog, readLog, wholeLog } from '../../src/app/log.ts';
import { outcomeOf } from '../../src/app/outcome.ts';
import { checkResume, readResume, resumeRun } from '../../src/app/resume.ts';
import type { RunStep } from '../../src/app/run-steps.ts';
import { checkRequest, readRequest, startRun } from '../../src/app/start.ts';
import { summaryOfEnded } from '../../src/app/summary.ts';
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

test('a run is started, its events are read, and its end is reported', async () => {
  const y = made('echo done > work.txt');
  const run = await started(y);
  const steps: RunStep[] = [];
  for await (const step of run.steps) steps.push(step);
  const ended = await run.ended;
  expect(need(ended.run)).toMatchObject({ id: run.id, train: { landed: 1 } });
  expect(ended.files.ok).toBe(true);
  const types = steps.map(({ event }) => event.type);
  expect(types[0]).toBe('run-started');
  expect(types.at(-1)).toBe('run-ended');
  expect(types).toContain('landed');
  expect(steps.map(({ event }) => event.seq)).toEqual(
    [...steps.map(({ event }) => event.seq)].sort((a, b) => a - b),
  );
  // The records of a step are those right after its event, though the run is over by now.
  const first = steps.find(({ event }) => event.type === 'attempt-started');
  expect(first?.records.task('a')?.status.id).toBe('open');
  expect(steps[0]?.records.run(run.id)).toMatchObject({ train: { landed: 0 } });
  expect(existsSync(join(y.root, '.git', 'yardmaster', 'runs', run.id, 'run.json'))).toBe(true);
});

test('output, diff, history and outcome of a run are read without a command line', async () => {
  const y = made('echo hello; echo done > work.txt');
  const run = await started(y);
  const record = need((await run.ended).run);
  const tasks = [...run.state.tasks.values()];
  expect(outcomeOf(record, tasks)).toMatchObject({ ending: 'done', result: { landed: 1 } });
  const project = await opened(y);
  expect(need(await summaryOfEnded(project, record, tasks)).run).toBe(run.id);
  const store = need(await project.openStore('read'));
  const ports = { ...project, store };
  const log = need(await findLog(ports, 'a', { shows: 'newest' }));
  expect(log).toMatchObject({ attempt: 1, requested: 1 });
  expect(need(await wholeLog(ports, log, { raw: false }))).toContainEqual({
    file: 'turn-1.out',
    text: 'hello\n',
  });
  const parts = [];
  for await (const part of readLog(ports, log, { raw: true, follow: true })) parts.push(need(part));
  expect(parts).toContainEqual({ id: 'text', file: 'turn-1.out', text: 'hello\n' });
  expect(parts.at(-1)).toMatchObject({ id: 'over', record: { task: { id: 'a' } } });
  expect(need(await diffOf(ports, 'a')).files.map(({ path }) => path)).toEqual(['work.txt']);
  expect(need(await explainTask(ports, 'a')).steps.length).toBeGreaterThan(3);
  expect(need(await readLedger(ports, run.id)).balanced).toBe(true);
  expect(need(await runGraph(ports, 'last', { offsetMin: 0 })).nodes.length).toBeGreaterThan(0);
  await store.close();
  await project.git.close();
});

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
