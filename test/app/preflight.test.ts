import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectConfig } from '../../src/app/config.ts';
import { preflight, resumedBudget } from '../../src/app/preflight.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { Task } from '../../src/model/task.ts';
import { openProject } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';
import { task } from '../story.ts';

/** A project in which `./agent.sh` can be started. */
function made(config: Readonly<Record<string, unknown>>, files = {}): TestProject {
  const y = testProject({
    config: { agent: undefined, agents: undefined, ...config },
    files: { 'agent.sh': '#!/bin/sh\n', ...files },
  });
  chmodSync(join(y.root, 'agent.sh'), 0o755);
  return y;
}

async function checked(y: TestProject, tasks: readonly Task[] = [], flags = {}) {
  const { PATH } = process.env;
  const env = { PATH, HOME: y.home, YARDMASTER_STATE_DIR: y.state };
  const project = need(await openProject(y.root, env));
  try {
    const config = projectConfig(project, { flags });
    if (!config.ok) return config;
    return await preflight(project, config.value, { kind: 'ready' }, tasks);
  } finally {
    await project.git.close();
  }
}

async function refusal(y: TestProject, tasks: readonly Task[] = [], flags = {}): Promise<Failure> {
  const ready = await checked(y, tasks, flags);
  if (ready.ok) throw new Error('it was found fit');
  const [first] = ready.failure;
  return first ?? expect.fail('no reason was given');
}

const command = { use: 'command', command: ['./agent.sh'] };

describe('the settings of a run', () => {
  it('hold everything that decisions need of the config', async () => {
    const y = made({
      agents: { a: { ...command, count: 2, model: 'm' }, b: { ...command, types: ['docs'] } },
      model: { default: 'sonnet' },
      fallback: { agent: 'b' },
      quota: { wait: '1h' },
      retry: { provider: 1, silent: 2 },
      wait_for_tasks: '5m',
      budget: { tokens: '2M', cost: '20USD' },
    });
    const ready = need(await checked(y));
    expect(ready.settings).toMatchObject({
      agent: 'a',
      models: { default: 'sonnet' },
      fallback: { agent: 'b', cooldown: 3 },
      quotaWaitMs: 3_600_000,
      providerRetries: 1,
      silentTurns: 2,
      waitForTasksMs: 300_000,
      tokens: 2_000_000,
      costUsd: 20,
    });
    expect(ready.settings.agentPool?.slice(0, 2)).toEqual([
      { name: 'a', account: 'a', count: 2, model: 'm', volunteers: true },
      { name: 'b', account: 'b', types: ['docs'], volunteers: true },
    ]);
    expect([...ready.agents.keys()]).toEqual(
      expect.arrayContaining(['a', 'b', 'claude', 'codex', 'opencode', 'gemini']),
    );
  });

  it('do without what nobody asked for', async () => {
    const ready = need(await checked(made({ agents: { a: command } })));
    const { settings } = ready;
    expect(settings.agent).toBe('a');
    for (const key of ['fallback', 'tokens', 'costUsd', 'waitForTasksMs'] as const) {
      expect(settings[key]).toBeUndefined();
    }
  });

  it('obey what is said for this run alone: its agent, and its model', async () => {
    const agents = { a: { ...command, count: 1, model: 'm' }, b: command };
    const y = made({ agents });
    const of = async (flags: object) => {
      const ready = need(await checked(y, [], flags));
      const { agent, models, agentPool = [] } = ready.settings;
      const volunteers = agentPool.filter((member) => member.volunteers).map(({ name }) => name);
      return { agent, volunteers, models, own: agentPool.map(({ model }) => model ?? '').join('') };
    };
    expect(await of({})).toMatchObject({ agent: 'a', volunteers: ['a'], own: 'm' });
    expect(await of({ agent: 'b' })).toMatchObject({ agent: 'b', volunteers: ['b'], own: 'm' });
    const model = await of({ 'model.default': 'x' });
    expect(model).toMatchObject({ models: { default: 'x' }, own: '' });
  });

  it('name the first of a agent pool in which everybody is choosy', async () => {
    const agents = { a: { ...command, types: ['docs'] }, b: { ...command, labels: ['web'] } };
    const ready = await checked(made({ agents }), [task('x', { type: 'docs' })]);
    expect(ready).toMatchObject({ ok: true, value: { settings: { agent: 'a' } } });
  });
});

describe('a run is refused', () => {
  it('where no agent is named and none goes without saying', async () => {
    expect(await refusal(made({}))).toMatchObject({ kind: 'agent-unknown', agent: '' });
    expect(await refusal(made({ agents: { a: command, b: command } }))).toEqual({
      kind: 'agent-unknown',
      agent: '',
      known: ['a', 'b'],
    });
  });

  it('where nobody takes a task', async () => {
    const agents = { a: { ...command, types: ['docs'] }, b: { ...command, labels: ['web'] } };
    const refused = await refusal(made({ agents }), [task('x', { type: 'docs' }), task('y')]);
    expect(refused).toMatchObject({ kind: 'usage' });
    expect(JSON.stringify(refused)).toContain('no agent takes the task y');
  });

  it('where a task names an agent that is unknown or not installed', async () => {
    const y = made({ agents: { a: command } });
    const named = (agent: string): Promise<Failure> => refusal(y, [task('x', { agent })]);
    expect(await named('nobody')).toMatchObject({ kind: 'agent-unknown', agent: 'nobody' });
    const gone = made({
      agent: 'a',
      agents: { a: command, b: { use: 'codex', binary: './none' } },
    });
    expect(await refusal(gone, [task('x', { agent: 'b' })])).toMatchObject({
      kind: 'agent-missing',
      agent: 'b',
      binary: './none',
    });
  });

  it('where the model of a task belongs to an agent that is not installed', async () => {
    const y = made({
      agent: 'a',
      agents: { a: command, b: { use: 'gemini', binary: './none' } },
      model: { by_priority: { P0: 'b:pro' } },
    });
    expect(await refusal(y, [task('x', { priority: 0 })])).toMatchObject({ agent: 'b' });
    expect((await checked(y, [task('x', { priority: 1 })])).ok).toBe(true);
    // An unknown word in front is part of the name of the model.
    expect((await checked(y, [task('x', { labels: ['model:zz:pro'] })])).ok).toBe(true);
  });

  it('where the fallback is the agent itself', async () => {
    const y = made({ agents: { a: command }, fallback: { agent: 'a' } });
    expect(await refusal(y)).toMatchObject({ kind: 'usage' });
  });

  it('where it may cost only so much and nobody knows what it costs', async () => {
    const codex = { use: 'codex', binary: './agent.sh' };
    const y = made({ agents: { c: codex }, budget: { cost: 5 }, model: { default: 'gpt-5' } });
    expect(await refusal(y)).toEqual({ kind: 'price-unknown', agent: 'c', model: 'gpt-5' });
    const prices = { 'gpt-5': { input: 1, output: 2 } };
    const priced = made({
      agents: { c: codex },
      budget: { cost: 5 },
      model: { default: 'gpt-5' },
      prices,
    });
    expect((await checked(priced)).ok).toBe(true);
    expect(await refusal(priced, [], { 'model.default': 'other' })).toMatchObject({
      kind: 'price-unknown',
      model: 'other',
    });
  });

  it('where a prompt file is not there or has an unknown token', async () => {
    const y = made(
      { agents: { a: command }, prompts: ['rules.md', 'gone.md'] },
      { 'rules.md': 'Work on\n{{task.naem}}\n' },
    );
    const ready = await checked(y);
    expect(ready).toMatchObject({
      ok: false,
      failure: [
        { kind: 'config-invalid', file: 'rules.md', line: 2 },
        { kind: 'config-invalid', file: 'gone.md' },
      ],
    });
  });
});

describe('the budget of a run that is resumed', () => {
  it('is what is said now, else what it was started with', async () => {
    const ready = need(
      await checked(made({ agents: { a: command }, budget: { tokens: 100, attempts: 3 } })),
    );
    const { settings } = ready;
    expect(resumedBudget(settings, { budget: {} })).toEqual({ tokens: 100, maxAttempts: 3 });
    expect(resumedBudget(settings, { budget: { tokens: 7, costUsd: 2, wallMs: 1 } })).toEqual({
      tokens: 7,
      maxAttempts: 3,
      costUsd: 2,
      wallMs: 1,
    });
  });
});
