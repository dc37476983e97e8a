import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { advisers, agentPoolOf, defaultAgent, plannerOf, profilesOf } from './agent-pool.ts';
import { type Config, loadConfig } from './config.ts';

function config(project: string): Config {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? project : undefined;
  const loaded = need(loadConfig({ root: '/repo', env: {}, flags: {}, readFile }));
  return loaded;
}

const member = (project: string, name: string) =>
  agentPoolOf(config(project)).find((one) => one.name === name);

const volunteers = (project: string): string[] =>
  agentPoolOf(config(project))
    .filter((one) => one.volunteers)
    .map(({ name }) => name);

describe('a chat endpoint', () => {
  it('is never the default agent and volunteers for nothing', () => {
    const chat = 'chat: { use: http, url: "https://x.example/v1", model: small }';
    expect(defaultAgent(config(`agents: { ${chat} }`))).toBeUndefined();
    const both = `agents: { ${chat}, a: { use: codex } }\nplan: { critic: chat }`;
    expect(defaultAgent(config(both))).toBe('a');
    expect(member(both, 'chat')).toEqual({
      name: 'chat',
      account: 'chat',
      volunteers: false,
      model: 'small',
    });
    expect(advisers(config(both))).toEqual(['chat']);
  });
});

describe('the agent pool', () => {
  it('has the profiles in their order, then the coding agents that need none', () => {
    const names = agentPoolOf(
      config(
        'agents: { z: { use: codex }, gemini: { use: gemini }, a: { use: acp, command: [x] } }',
      ),
    ).map(({ name }) => name);
    expect(names.slice(0, 7)).toEqual(['z', 'gemini', 'a', 'claude', 'codex', 'opencode', 'qwen']);
  });

  it('takes over what decisions need', () => {
    const text =
      'agents: { a: { use: codex, count: 2, types: [docs], labels: [web], role: executor, wait: 3s, model: gpt-5:low } }';
    expect(member(text, 'a')).toEqual({
      name: 'a',
      account: 'codex',
      count: 2,
      types: ['docs'],
      labels: ['web'],
      role: 'executor',
      waitMs: 3_000,
      model: 'gpt-5:low',
      volunteers: true,
    });
  });

  it('shares one account among all profiles of a coding agent, unless they say otherwise', () => {
    const text =
      'agents: { a: { use: codex }, b: { use: codex, account: mine }, c: { use: acp, command: [x] }, d: { use: command, command: [x] } }';
    expect(['a', 'b', 'c', 'd', 'codex'].map((name) => member(text, name)?.account)).toEqual([
      'codex',
      'mine',
      'c',
      'd',
      'codex',
    ]);
  });

  it('has volunteers in those that say how many they are or what they take, and in the default', () => {
    expect(volunteers('agent: claude')).toEqual(['claude']);
    expect(
      volunteers(
        'agent: a\nagents: { a: { use: codex }, b: { use: claude }, c: { use: claude, count: 1 }, d: { use: claude, types: x }, e: { use: claude, labels: x }, f: { use: claude, role: planner } }',
      ),
    ).toEqual(['a', 'c', 'd', 'e', 'f']);
    expect(volunteers('')).toEqual([]);
  });

  it('has reviewers and critics without letting them take tasks that name nobody', () => {
    const text =
      'agent: a\nagents: { a: { use: codex }, r: { use: claude, count: 1 }, c: { use: gemini }, w: { use: gemini, count: 1 }, p: { use: gemini, count: 1 } }\nreview: { agent: [r, opencode] }\ncritique: { agent: c, improver: w }\nplanner: { agent: gemini }\nplan: { agent: p }';
    expect(volunteers(text)).toEqual(['a']);
    expect(agentPoolOf(config(text)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['r', 'c', 'w', 'opencode']),
    );
    expect(advisers(config(text))).toEqual(['r', 'opencode', 'c', 'w', 'p', 'gemini']);
  });

  it('lets one that says which tasks it takes review as well', () => {
    const text =
      'agent: a\nagents: { a: { use: codex }, r: { use: claude, types: [docs] } }\nreview: { agent: r }';
    expect(volunteers(text)).toEqual(['a', 'r']);
  });
});

describe('the default agent', () => {
  it.each([
    ['agent: gemini', 'gemini'],
    ['agent: b\nagents: { a: { use: codex, count: 1 }, b: { use: claude } }', 'b'],
    ['agents: { only: { use: codex } }', 'only'],
    ['agents: { only: { use: codex, types: [docs] } }', 'only'],
    ['agents: { a: { use: codex, types: [docs] }, b: { use: claude, count: 2 } }', 'b'],
    ['agents: { a: { use: codex, types: [docs] }, b: { use: claude, role: planner } }', undefined],
    ['agents: { a: { use: codex }, b: { use: claude } }', undefined],
    // Who only looks at the work of others is not the one that is left.
    ['agents: { a: { use: codex }, r: { use: claude } }\nreview: { agent: r }', 'a'],
    [
      'agents: { r: { use: claude, count: 1 }, a: { use: codex, count: 2 } }\nreview: { agent: r }',
      'a',
    ],
    ['agents: { one: { use: claude } }\nreview: { agent: one }', 'one'],
    ['', undefined],
  ])('of %j is %s', (text, name) => {
    expect(defaultAgent(config(text))).toBe(name);
  });
});

describe('profilesOf', () => {
  it('lets a profile take the name of a coding agent', () => {
    const profiles = profilesOf(
      config('agents: { claude: { use: command, command: [my-claude] } }'),
    );
    expect(profiles.get('claude')).toMatchObject({ use: 'command' });
    expect(profiles.get('codex')).toMatchObject({ use: 'codex', done: 'signal' });
  });
});

describe('waiting for tasks', () => {
  it('is off, unless somebody only carries out what others plan', () => {
    expect(config('agents: { a: { use: claude, role: planner } }').waitForTasksMs).toBe(0);
    const executes = 'agents: { a: { use: claude, role: executor } }';
    expect(config(executes).waitForTasksMs).toBe(600_000);
    expect(config(`${executes}\nwait_for_tasks: off`).waitForTasksMs).toBe(0);
  });
});

describe('the planner of a run', () => {
  it.each([
    ['planner: { agent: codex }', { agent: 'codex', budgetTokens: 10_000 }],
    ['planner: { agent: codex, budget_tokens: 20k }', { agent: 'codex', budgetTokens: 20_000 }],
    ['planner: { agent: codex, budget_tokens: 0 }', undefined],
    ['planner: { agent: codex, enabled: false }', undefined],
    ['planner: { enabled: true }', undefined],
    ['planner: { agent: codex }\njobs: 1', undefined],
  ])('%s', (text, planner) => {
    expect(plannerOf(config(text))).toEqual(planner);
  });
});
