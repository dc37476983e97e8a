import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redactorFor } from '../../../src/app/config.ts';
import { answerFor } from '../../../src/engine/agent-request.ts';
import { folderMailboxes } from '../../../src/mailbox/folder.ts';
import type { EventBody } from '../../../src/model/event.ts';
import type { RunSettings } from '../../../src/model/run.ts';
import { systemClock } from '../../../src/process/system-clock.ts';
import { tokenFor } from '../../../src/protocol/token.ts';
import { openSqlite } from '../../../src/record/sqlite.ts';
import { program } from '../../rig/child.ts';
import { need } from '../../rig/need.ts';
import { type PlanTask, type TestProject, testProject } from '../../rig.ts';

const run = 'r-1';
const at = { run, id: 'lead', attempt: 1 };
const settings: RunSettings = {
  target: 'main',
  jobs: 2,
  agent: 'actor',
  scope: { kind: 'ready' },
  retries: 2,
  quarantineAfter: 3,
  slotErrors: 5,
  pool: 6,
  gate: 'gate',
};

/** Appends events as the engine of a run would. */
async function append(y: TestProject, ...events: EventBody[]): Promise<void> {
  const store = need(
    await openSqlite(join(y.root, '.git', 'yardmaster', 'yard.db'), { mode: 'write' }),
  );
  const stored = await store.append(Date.now(), events);
  await store.close();
  if (!stored.ok) throw new Error(JSON.stringify(stored.failure));
}

interface Desk {
  readonly y: TestProject;
  /** A worktree outside of the repository, as agents have. */
  readonly worktree: string;
  /** Environment of the agent, as far as its calls need it. */
  readonly env: Readonly<Record<string, string>>;
  /** `ym agent …` as the agent of task `lead` calls it. */
  say(...words: string[]): ReturnType<TestProject['ym']>;
  /** What the agent said, in order. */
  said(): Promise<readonly unknown[]>;
}

/** Answers the calls of a task's agent, as the engine of its run does. Returns the environment of that agent. */
async function mailboxOf(y: TestProject, id: string): Promise<Record<string, string>> {
  const store = await openSqlite(join(y.root, '.git', 'yardmaster', 'yard.db'), { mode: 'write' });
  if (!store.ok) throw new Error(JSON.stringify(store.failure));
  const record = await store.value.task(id);
  if (!record.ok || record.value?.attempt === undefined) throw new Error(`nothing works on ${id}`);
  const { task, attempt } = record.value;
  const dir = join(y.base, 'mail', id);
  const token = tokenFor(new Uint8Array(32), { run, task: id, attempt: 1 });
  const redact = redactorFor({ agents: {} }, { THE_API_KEY: 'correct-horse-battery' });
  const ports = { store: store.value, clock: systemClock() };
  const box = await folderMailboxes(redact.whole).open(
    dir,
    token,
    answerFor(ports, { run }, { task, attempt }, 1),
  );
  onTestFinished(async () => {
    await box.close();
    await store.value.close();
  });
  return { YARD_TOKEN: token, YARD_MAILBOX: dir };
}

/** A project in which an agent is at its first turn of the task `lead`. */
async function desk(
  tasks: readonly PlanTask[] = [],
  more: Partial<RunSettings> = {},
): Promise<Desk> {
  const y = testProject({ tasks: [{ id: 'lead', title: 'Lead the way' }, ...tasks] });
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  const worktree = join(y.base, 'tree');
  y.git('worktree', 'add', '-q', '--detach', worktree);
  onTestFinished(() => void y.git('worktree', 'remove', '--force', worktree));
  const owner = { pid: 1, startedAt: 'boot', host: 'elsewhere' };
  await append(
    y,
    { type: 'run-started', run, owner, settings: { ...settings, ...more }, base: y.tip() },
    { type: 'attempt-started', ...at, slot: 1, fence: 1, agent: 'actor', branch: 'yard/x' },
    { type: 'worktree-ready', ...at, worktree: { id: 'w', dir: worktree }, base: y.tip() },
    { type: 'turn-started', ...at, turn: 1, slot: 1 },
  );
  const env = await mailboxOf(y, 'lead');
  return {
    y,
    worktree,
    env,
    say: (...words) => y.ymWith({ cwd: worktree, env }, 'agent', ...words),
    said: async () =>
      (await y.events()).flatMap((event) => (event.type === 'agent-reported' ? [event.call] : [])),
  };
}

describe('an agent’s call', () => {
  it('is noted from its worktree, with what it says', async () => {
    const { say, said, y } = await desk();
    expect(await say('report', 'decision', 'A map is enough')).toMatchObject({
      code: 0,
      stdout: 'Noted.\n',
    });
    expect(await say('next', 'lead')).toMatchObject({ code: 0 });
    expect(await say('done', '-m', 'All of it')).toMatchObject({
      code: 0,
      stdout: 'Noted: the task is complete. End your turn now.\n',
      stderr: '',
    });
    expect(await said()).toEqual([
      { id: 'report', about: 'decision', text: 'A map is enough' },
      { id: 'next', ids: ['lead'] },
      { id: 'report', about: 'done', text: 'All of it' },
      { id: 'complete' },
    ]);
    expect(y.git('status', '--porcelain')).toBe('');
  });

  it('needs neither the store nor the secret of the project', async () => {
    const { y, say, said } = await desk();
    const state = join(y.root, '.git', 'yardmaster');
    const before = readdirSync(state);
    expect(await say('done')).toMatchObject({ code: 0 });
    expect(before).not.toContain('secret');
    expect(readdirSync(state)).toEqual(before);
    expect(await said()).toEqual([{ id: 'complete' }]);
  });
});

describe('a call is refused', () => {
  const refused = (problem: string) => ({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^ym: The call was refused: ${problem}\\.`)),
  });

  it('without a token or mailbox, or with the token of another attempt', async () => {
    const { y, worktree, env, said } = await desk();
    const withEnv = (more: Readonly<Record<string, string>>) => ({ cwd: worktree, env: more });
    expect(await y.ymWith({ cwd: worktree }, 'agent', 'done')).toMatchObject(
      refused('it does not come from an agent of a run'),
    );
    const { YARD_TOKEN: token = '' } = env;
    for (const other of ['nonsense', token.replace(':lead:', ':other:'), `${token}0`]) {
      expect(await y.ymWith(withEnv({ ...env, YARD_TOKEN: other }), 'agent', 'done')).toMatchObject(
        refused('it was not signed with the token of this attempt'),
      );
    }
    expect(await said()).toEqual([]);
  });

  it('after the turn, and after the attempt', async () => {
    const { y, say, said } = await desk();
    const result = { ok: true, tail: '', signal: { id: 'nothing' } } as const;
    await append(y, { type: 'turn-ended', ...at, turn: 1, result });
    expect(await say('done')).toMatchObject(
      refused('the turn of attempt 1 of task lead has ended'),
    );
    await append(y, { type: 'attempt-failed', ...at, failure: { kind: 'no-changes', tail: '' } });
    expect(await say('done')).toMatchObject(
      refused('the turn of attempt 1 of task lead has ended'),
    );
    expect(await said()).toEqual([]);
  });
});

describe('a claim', () => {
  const tasks = [
    { id: 'near', title: 'Near by', body: 'Fix it.' },
    { id: 'later', after: ['near'] },
    { id: 'free' },
  ];

  it('is answered for every id, once, as the record has it', async () => {
    const { y, say } = await desk(tasks);
    const ids = ['near', 'later', 'gone', 'lead', 'near'];
    const claimed = await say('claim', ...ids);
    expect(claimed).toMatchObject({ code: 0 });
    expect(claimed.stdout.split('\n').slice(0, 4)).toEqual([
      'near: claimed, it is yours: Near by',
      'later: not claimed (it waits for other tasks)',
      'gone: not claimed (there is no such task)',
      'lead: not claimed (it is the task you work on)',
    ]);
    const again = JSON.parse((await say('claim', 'near', 'free', '--json')).stdout);
    expect(again).toMatchObject({
      task: 'lead',
      claims: [
        { id: 'near', claimed: true, title: 'Near by', body: 'Fix it.' },
        { id: 'free', claimed: true, title: 'free', body: '' },
      ],
    });
    const store = need(
      await openSqlite(join(y.root, '.git', 'yardmaster', 'yard.db'), { mode: 'read' }),
    );
    const lead = await store.task('lead');
    const near = await store.task('near');
    await store.close();
    expect(lead.ok && lead.value?.attempt?.coClaims).toEqual(['near', 'free']);
    expect(near.ok && near.value?.coClaimedBy).toEqual({ run, id: 'lead', attempt: 1 });
  });

  it('gets nothing that an agent beside it has', async () => {
    const { y, say, worktree } = await desk(tasks);
    const other = { run, id: 'free', attempt: 1 };
    await append(
      y,
      { type: 'attempt-started', ...other, slot: 2, fence: 2, agent: 'actor', branch: 'yard/y' },
      { type: 'worktree-ready', ...other, worktree: { id: 'v', dir: worktree }, base: y.tip() },
      { type: 'turn-started', ...other, turn: 1, slot: 2 },
    );
    const env = await mailboxOf(y, 'free');
    expect((await say('claim', 'near', 'free')).stdout).toMatch(
      /near: claimed.*\nfree: not claimed \(another attempt works on it\)\n/,
    );
    const theirs = await y.ymWith({ cwd: worktree, env }, 'agent', 'claim', 'near');
    expect(theirs.stdout).toBe('near: not claimed (another attempt works on it)\n');
  });
});

describe('a follow-up', () => {
  const file = (...words: string[]) => ['report', 'follow-up', ...words];

  it('becomes a task at once, behind the one it was found in', async () => {
    const { y, say, said } = await desk([{ id: 'clean-up' }]);
    expect(await say(...file('Clean up', '--body', 'All of it.', '--priority', '1'))).toMatchObject(
      {
        code: 0,
        stdout: 'Filed clean-up-2\n',
      },
    );
    const shown = JSON.parse((await y.ym('show', 'clean-up-2', '--json')).stdout);
    expect(shown).toMatchObject({ title: 'Clean up', priority: 1, waitsFor: ['lead'] });
    expect(await said()).toEqual([
      { id: 'report', about: 'follow-up', text: 'clean-up-2: Clean up' },
    ]);
    const listed = JSON.parse((await y.ym('tasks', '--json')).stdout);
    expect(JSON.stringify(listed)).toContain('clean-up-2');
  });

  it('is filed once under each id, however many agents file at the same moment', async () => {
    const { y, say, worktree } = await desk([{ id: 'free' }]);
    const other = { run, id: 'free', attempt: 1 };
    await append(
      y,
      { type: 'attempt-started', ...other, slot: 2, fence: 2, agent: 'actor', branch: 'yard/y' },
      { type: 'worktree-ready', ...other, worktree: { id: 'v', dir: worktree }, base: y.tip() },
      { type: 'turn-started', ...other, turn: 1, slot: 2 },
    );
    const env = await mailboxOf(y, 'free');
    const filed = await Promise.all([
      say(...file('Sweep')),
      y.ymWith({ cwd: worktree, env }, 'agent', ...file('Sweep')),
      say(...file('Sweep the floor')),
    ]);
    expect(filed.map(({ code }) => code)).toEqual([0, 0, 0]);
    const ids = filed.map(({ stdout }) => stdout.trim().split(' ').at(-1));
    expect(new Set(ids).size).toBe(3);
    expect((await y.ym('doctor')).stdout).not.toMatch(/differs/);
  });
});

describe('an answer', () => {
  const asked = (y: TestProject) =>
    append(y, {
      type: 'turn-ended',
      ...at,
      turn: 1,
      result: { ok: true, tail: '', signal: { id: 'ask', question: 'Which port?' } },
    });

  it('goes to the attempt that asked', async () => {
    const { y } = await desk();
    await asked(y);
    expect(await y.ym('answer', 'lead', 'Port 80')).toMatchObject({
      code: 0,
      stdout: 'lead has its answer; continue with `ym resume` or `ym run`\n',
    });
    expect((await y.events()).at(-1)).toMatchObject({
      type: 'task-decided',
      id: 'lead',
      decision: { kind: 'answer', text: 'Port 80' },
    });
    expect(await y.ym('answer', 'lead', 'Port 81')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The agent of lead waits for no answer'),
    });
  });
});

describe('in a whole run', () => {
  /** An agent that calls instead of saying anything. */
  const agent = (lines: string): string =>
    `#!/bin/sh\nym() { '${process.execPath}' '${program}' "$@"; }\ncat > "$YARD_TASK.$YARD_TURN.prompt"\n${lines}\n`;
  const config = {
    agent: 'caller',
    agents: { caller: { use: 'command', command: ['sh', './agent.sh'], done: 'signal' } },
  };

  it('calls do what words would: claim, file, and be done', async () => {
    const y = testProject({
      config,
      files: {
        'agent.sh': agent(
          'case "$YARD_TASK" in\n' +
            'first) ym agent claim near; ym agent report follow-up "Last one"; ym agent done ;;\n' +
            '*) ym agent done ;;\nesac',
        ),
      },
      tasks: [
        { id: 'first', priority: 0 },
        { id: 'near', priority: 4 },
      ],
    });
    expect(await y.ym('run', y.plan, '--jobs', '1', '--scope', 'ready', '--plain')).toMatchObject({
      code: 0,
    });
    const status = await y.status();
    expect(status.tasks.map(({ id, state }) => [id, state])).toEqual([
      ['first', 'landed'],
      ['near', 'landed'],
      ['last-one', 'landed'],
    ]);
    const prompt = y.show('first.1.prompt');
    expect(prompt).toMatch(/^\[yard:[\w-]+\]\n/);
    expect(prompt).toContain('[yard:');
    expect(() => y.show('near.1.prompt')).toThrow();
  });

  it('gives agents a token that only they have', async () => {
    const y = testProject({
      config: { ...config, gate: { commands: ['test -z "$YARD_TOKEN"'] } },
      files: { 'agent.sh': agent('echo "$YARD_TOKEN" > token; ym agent done') },
      tasks: [{ id: 'first' }],
    });
    expect((await y.ym('run', y.plan)).code).toBe(0);
    expect(y.show('token')).toMatch(/^yard:[\w-]+:first:1:[0-9a-f]{64}\n$/);
    expect(readFileSync(join(y.root, '.git', 'yardmaster', 'secret')).length).toBe(32);
  });
});
