import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { usableSandbox } from '../../src/app/sandbox.ts';
import { runConfig } from '../../src/app/target.ts';
import { targetValues, verifyValues } from '../../src/app/verify.ts';
import type { EventBody } from '../../src/model/event.ts';
import { openProject } from '../../src/wire/project.ts';
import { owner, settings } from '../report/fixtures.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const config = `gate: { commands: ["test ! -e broken"], reruns: 0 }
worktree: { setup: ["true"] }
sandbox: none
`;
const gateNow = 'gate: test ! -e broken';
let root: string;
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();

function commit(file: string): string {
  writeFileSync(join(root, file), '');
  git('add', '-A');
  git('commit', '-qm', file);
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  root = tempFolder();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  writeFileSync(join(root, 'yardmaster.yaml'), config);
});

function landed(task: string, to: string, from: string): EventBody {
  const entries = [{ id: task, attempt: 1, commit: to }];
  return { type: 'landed', run: 'r1', candidate: task, commit: to, from, entries };
}

it('each value that the landings of a run gave the target is judged again', async () => {
  const base = commit('base');
  const first = commit('broken');
  git('rm', '-q', 'broken');
  const second = commit('second');
  const opened = need(await openProject(root));
  const project = { ...opened, stateDir: join(root, '.git', 'state') };
  const store = need(await project.openStore('write'));
  const start: EventBody = { type: 'run-started', run: 'r1', owner, settings, base };
  await store.append(1, [start]);
  expect(await targetValues(store, 'last')).toMatchObject({
    failure: { problem: 'run r1 has landed nothing' },
  });
  await store.append(2, [landed('a', first, base), landed('b', second, first)]);
  const found = await targetValues(store, 'r1');
  await store.close();
  const read = await runConfig(project);
  if (!read.ok || !found.ok) throw new Error('no config, or no values');
  const sandbox = await usableSandbox(project, read.value.config);
  if (!sandbox.ok) throw new Error('no sandbox');
  const commands: string[] = [];
  const onCommand = (text: string): number => commands.push(text);
  const how = { config: read.value.config, sandbox: sandbox.value, onCommand };
  const judged: unknown[] = [];
  const { signal } = new AbortController();
  for await (const one of verifyValues(project, how, found.value.values, signal)) {
    judged.push(one.ok ? [one.value.commit, one.value.tasks, one.value.verdict.id] : one);
  }
  await project.git.close();
  expect(judged).toEqual([
    [first, ['a'], 'failed'],
    [second, ['b'], 'passed'],
  ]);
  expect(commands).toEqual(['set-up: true', gateNow, 'set-up: true', gateNow]);
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
});
