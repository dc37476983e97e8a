import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { task } from '../../test/story.ts';
import { agentPoolOf, defaultAgent } from '../config/agent-pool.ts';
import { type Config, loadConfig } from '../config/config.ts';
import type { RunSettings } from '../model/run.ts';
import type { Agent } from '../port/agent.ts';
import { noState } from '../port/sandbox.ts';
import { whichOn } from '../wire/project.ts';
import {
  agentsNeeded,
  agentsOnPath,
  fallbackProblem,
  priceProblem,
  taskWithoutAgent,
} from './agents.ts';

function config(project: string): Config {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? project : undefined;
  const loaded = need(loadConfig({ root: '/repo', env: {}, flags: {}, readFile }));
  return loaded;
}

function settings(project: string): RunSettings {
  const given = config(project);
  return {
    target: 'main',
    jobs: 2,
    agent: defaultAgent(given) ?? '',
    scope: { kind: 'ready' },
    retries: 0,
    quarantineAfter: 1,
    slotErrors: 1,
    pool: 2,
    gate: 'x',
    agentPool: agentPoolOf(given),
    models: given.models,
    fallback: given.fallback,
    review: given.review,
    critique: given.critique,
    costUsd: given.budget.costUsd,
  };
}

describe('the agents a run needs', () => {
  it('are its own, who volunteers, the fallback, and whom a task names', () => {
    const text =
      'agent: claude\nfallback: { agent: opencode }\nagents: { docs: { use: codex, types: [docs] }, spare: { use: gemini }, rare: { use: gemini } }';
    const tasks = [task('a'), task('b', { agent: 'rare' })];
    expect([...agentsNeeded(settings(text), tasks)].sort()).toEqual([
      'claude',
      'docs',
      'opencode',
      'rare',
    ]);
  });

  it('are also those that look at work or at words, each once', () => {
    const text =
      'agent: claude\nagents: { spare: { use: gemini } }\nreview: { agent: [codex, claude] }\ncritique: { agent: spare, improver: opencode }';
    expect(agentsNeeded(settings(text), [task('a')])).toEqual([
      'claude',
      'codex',
      'spare',
      'opencode',
    ]);
    expect(agentsNeeded(settings('agent: claude\nreview: { person: true }'), [])).toEqual([
      'claude',
    ]);
  });

  it('are also those that the model of a task belongs to', () => {
    const text = 'agent: claude\nmodel: { by_priority: { P0: codex:gpt-5 } }';
    const urgent = task('a', { priority: 0 });
    const labeled = task('b', { labels: ['model:gemini:pro:high'] });
    expect(agentsNeeded(settings(text), [urgent, labeled])).toEqual(['claude', 'codex', 'gemini']);
    expect(agentsNeeded(settings(text), [task('c')])).toEqual(['claude']);
  });

  it('do not grow by words in front of a model that are no agent', () => {
    const odd = task('a', { labels: ['model:ollama:qwen'] });
    expect(agentsNeeded(settings('agent: claude'), [odd])).toEqual(['claude']);
  });
});

describe('a task that no agent takes', () => {
  const choosy =
    'agents: { docs: { use: codex, types: [docs] }, plans: { use: claude, role: planner } }';

  it('is refused by its name', () => {
    const tasks = [task('a', { type: 'docs' }), task('b', { labels: ['web'] })];
    const refused = taskWithoutAgent(settings(choosy), false, tasks);
    expect(refused).toMatchObject({ kind: 'usage' });
    expect(refused).toMatchObject({
      problem: 'no agent takes the task b (type task, labels web)',
    });
  });

  it('is one to plan where the only agent executes', () => {
    const only = settings('agents: { work: { use: codex, role: executor } }');
    const refused = taskWithoutAgent(only, true, [task('a'), task('p', { type: 'plan' })]);
    expect(refused).toMatchObject({ problem: 'no agent takes the task p (type plan)' });
  });

  it('does not exist if each task has an agent or names one', () => {
    const tasks = [
      task('a', { type: 'docs' }),
      task('b', { type: 'plan' }),
      task('c', { agent: 'gemini' }),
      task('d', { labels: ['model:codex:gpt-5'] }),
    ];
    expect(taskWithoutAgent(settings(choosy), false, tasks)).toBeUndefined();
    expect(taskWithoutAgent(settings(choosy), false, [])).toBeUndefined();
  });
});

describe('a fallback', () => {
  it('must be somebody else', () => {
    const only = 'agents: { mine: { use: codex } }\nfallback: { agent: mine }';
    expect(fallbackProblem(settings(only))).toMatchObject({ kind: 'usage' });
    expect(fallbackProblem(settings('agent: claude\nfallback: { agent: codex }'))).toBeUndefined();
    expect(fallbackProblem(settings('agent: claude'))).toBeUndefined();
  });
});

describe('a budget of cost', () => {
  const agent = (name: string, cost: boolean): [string, Agent] => [
    name,
    {
      name,
      capabilities: { sessions: 'none', usage: 'turn', cost, model: true, reasoning: false },
      check: async () => ({ ok: true, value: { name, binary: `/bin/${name}` } }),
      probe: async () => ({ signedIn: 'unknown' }),
      launch: () => ({ argv: [], env: {}, state: noState }),
      listen: () => ({ line: () => false, conclude: () => ({ ok: true, tail: '' }) }),
    },
  ];
  const agents = new Map([agent('claude', true), agent('codex', false), agent('gemini', false)]);
  const problem = (text: string, tasks = [task('a')]) =>
    priceProblem(settings(text), config(text).prices, agents, tasks);

  it('asks for prices only where the agent does not say what it cost', () => {
    expect(problem('agent: claude\nbudget: { cost: 5 }')).toBeUndefined();
    expect(problem('agent: codex')).toBeUndefined();
    expect(problem('agent: codex\nbudget: { cost: 5 }')).toEqual({
      kind: 'price-unknown',
      agent: 'codex',
    });
  });

  it('asks for the price of each model that may be used', () => {
    const text =
      'agent: codex\nbudget: { cost: 5 }\nmodel: { default: gpt-5:high, by_type: { docs: gpt-mini } }\nprices: { gpt-5: { input: 1, output: 2 } }';
    expect(problem(text)).toBeUndefined();
    expect(problem(text, [])).toBeUndefined();
    expect(problem(text, [task('a'), task('b', { type: 'docs' })])).toEqual({
      kind: 'price-unknown',
      agent: 'codex',
      model: 'gpt-mini',
    });
  });

  it('is content with a price for any other model', () => {
    const any = 'prices: { default: { input: 1, output: 2 } }';
    expect(problem(`agent: codex\nbudget: { cost: 5 }\n${any}`)).toBeUndefined();
  });

  it('thinks of tasks that are still to come', () => {
    const text = 'agent: codex\nbudget: { cost: 5 }\nmodel: { default: gpt-5 }';
    expect(problem(text, [])).toEqual({ kind: 'price-unknown', agent: 'codex', model: 'gpt-5' });
  });

  it('leaves a model out that was chosen for another agent', () => {
    const text =
      'agent: claude\nbudget: { cost: 5 }\nagents: { codex: { use: codex, model: gpt-5 } }\nprices: { gpt-5: { input: 1, output: 2 } }';
    const odd = task('a', { agent: 'codex', labels: ['model:gemini:pro'] });
    expect(problem(text, [odd])).toBeUndefined();
  });

  it('counts the fallback with its own model beside those of its tasks', () => {
    const text =
      'agent: claude\nfallback: { agent: gemini }\nbudget: { cost: 5 }\nagents: { gemini: { use: gemini, model: pro } }\nprices: { flash: { input: 1, output: 2 } }';
    const own = task('a', { agent: 'gemini', labels: ['model:flash'] });
    expect(problem(text, [own])).toEqual({ kind: 'price-unknown', agent: 'gemini', model: 'pro' });
  });

  it('counts the fallback with the model of its own', () => {
    const text =
      'agent: claude\nfallback: { agent: gemini }\nbudget: { cost: 5 }\nmodel: { default: sonnet }\nagents: { gemini: { use: gemini, model: pro:low } }';
    expect(problem(text)).toEqual({ kind: 'price-unknown', agent: 'gemini', model: 'pro' });
    expect(problem(`${text}\nprices: { pro: { input: 1, output: 2 } }`)).toBeUndefined();
  });
});

it('finds the coding agents that can be started, in the order they are chosen', () => {
  const bin = tempFolder();
  for (const name of ['gemini', 'claude', 'codex', 'other']) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), name === 'codex' ? 0o644 : 0o755);
  }
  const found = (path: string) => agentsOnPath({ which: whichOn(path, '/') });
  expect(found(bin)).toEqual(['claude', 'gemini']);
  expect(found(join(bin, 'none'))).toEqual([]);
});
