import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { loadConfig } from './config.ts';

function messages(
  project: string,
  flags: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): string[] {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? project : undefined;
  const loaded = loadConfig({ root: '/repo', env, flags, readFile });
  return loaded.ok
    ? []
    : loaded.failure.map((failure) =>
        failure.kind === 'config-invalid'
          ? `${failure.file}:${failure.line ?? ''} ${failure.problem} → ${failure.remedy}`
          : failure.kind,
      );
}

describe('names of keys and files', () => {
  it('are refused where a flag names no key, or the named file of the user does not exist', () => {
    expect(messages('', { job: 3 })[0]).toContain('Did you mean "jobs"?');
    expect(messages('', {}, { YARDMASTER_USER_CONFIG: '/gone.yaml' })).toEqual([
      '/gone.yaml: there is no such file → Fix or unset YARDMASTER_USER_CONFIG.',
    ]);
  });
});

describe('agents that are named', () => {
  it('are profiles, or coding agents that need none', () => {
    expect(messages('agent: claude\nfallback: { agent: codex }')).toEqual([]);
    expect(messages('agent: a\nagents: { a: { use: command, command: [x] } }')).toEqual([]);
  });

  it.each([
    [
      'jobs: 2\nagent: cluade',
      'yardmaster.yaml:2 there is no agent "cluade" → Did you mean "claude"? Known agents: claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider. Describe others under "agents".',
    ],
    [
      'fallback:\n  agent: nobody-here',
      'yardmaster.yaml:2 there is no agent "nobody-here" → Known agents: claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider. Describe others under "agents".',
    ],
    [
      'agent: claude\nfallback:\n  agent: claude',
      'yardmaster.yaml:3 the fallback agent is the same as the default agent → Name another agent as "fallback.agent", or remove it.',
    ],
  ])('are refused: %j', (text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });

  it('may come from different places', () => {
    expect(messages('fallback: { agent: codex }', { agent: 'codex' })).toEqual([
      'yardmaster.yaml:1 the fallback agent is the same as the default agent → Name another agent as "fallback.agent", or remove it.',
    ]);
    expect(messages('agent: claude', { 'fallback.agent': 'clade' })[0]).toContain(
      'flag for fallback.agent',
    );
  });
});

describe('models, budgets and prices', () => {
  it.each([
    [
      'model: sonnet',
      '1 "model" is "sonnet" → Write a map such as { default: sonnet, by_priority: { P0: opus } }.',
    ],
    [
      'model: { default: a b }',
      '1 "model.default" is "a b" → Give a model, such as sonnet, codex:gpt-5 or codex:gpt-5:high.',
    ],
    [
      'model:\n  by_priority:\n    P5: x',
      '3 "model.by_priority.P5" is "x" → Name priorities P0 to P4.',
    ],
    [
      'model: { by_priority: { P0: x, 0: y } }',
      '1 "model.by_priority" is a map of keys → Name each priority once; P0 and 0 are the same.',
    ],
    [
      'fallback: codex',
      '1 "fallback" is "codex" → Write a map such as { agent: codex, cooldown: 3 }.',
    ],
    [
      'fallback: { cooldown: 0 }',
      '1 "fallback.cooldown" is 0 → Give a whole number from 1 to 1000.',
    ],
    [
      'budget: { tokens: 2MB }',
      '1 "budget.tokens" is "2MB" → Give a count of tokens, such as 2M, 500k or 40000.',
    ],
    [
      'budget: { tokens: 0 }',
      '1 "budget.tokens" is 0 → Give a count of tokens, such as 2M, 500k or 40000.',
    ],
    [
      'budget: { cost: 20EUR }',
      '1 "budget.cost" is "20EUR" → Give an amount of US dollars, such as 20USD, $20 or 0.50.',
    ],
    [
      'prices:\n  gpt-5:\n    input: 1',
      '2 "prices.gpt-5.output" is missing → Give US dollars for a million tokens, such as 3 or 0.25.',
    ],
    [
      'run.before: [a]\n',
      '1 "run.before" is written with dots → Write it as `run:` with `before:` in it.',
    ],
    [
      'prices:\n  gpt-5: { input: 1, output: 2, cached: 3 }',
      '2 "prices.gpt-5.cached" is not a known key → Known here: input, output, cache_read, cache_write.',
    ],
    [
      'prices: { x: { input: -1, output: 2 } }',
      '1 "prices.x.input" is -1 → Give US dollars for a million tokens, such as 3 or 0.25.',
    ],
    [
      'agents: { "a b": { use: claude } }',
      '1 "agents.a b" is a map of keys → Name agents with letters, digits, "_" and "-".',
    ],
    ['prompts: []', '1 "prompts" is an empty list → Name at least one file, or remove the key.'],
    ['sandbox: read', '1 "sandbox" is "read" → Write auto, write, strict or none.'],
    ['retry: { silent: 0 }', '1 "retry.silent" is 0 → Give a whole number from 1 to 100.'],
  ])('are refused: %j', (text, sentence) => {
    expect(messages(text)).toEqual([`yardmaster.yaml:${sentence}`]);
  });
});

describe('maps in several layers', () => {
  it('add to each other, and the later wins an entry', () => {
    const files: Readonly<Record<string, string>> = {
      '/user.yaml':
        'model: { by_priority: { P0: opus, P1: sonnet } }\nprices: { x: { input: 1, output: 2 } }',
      '/repo/yardmaster.yaml':
        'model:\n  by_priority:\n    0: best\nprices: { y: { input: 3, output: 4 } }',
    };
    const loaded = need(
      loadConfig({
        root: '/repo',
        env: {
          YARDMASTER_USER_CONFIG: '/user.yaml',
          YARDMASTER_MODEL__BY_TYPE: '{"docs": "haiku"}',
          YARDMASTER_BUDGET__TOKENS: '500k',
        },
        flags: { 'model.default': 'codex:gpt-5', 'budget.cost': '$5' },
        readFile: (path) => files[path],
      }),
    );
    const { models, prices, budget, origins } = loaded;
    expect(models).toEqual({
      default: 'codex:gpt-5',
      byPriority: { P0: 'best', P1: 'sonnet' },
      byType: { docs: 'haiku' },
    });
    expect(Object.keys(prices)).toEqual(['x', 'y']);
    expect(budget).toEqual({ tokens: 500_000, costUsd: 5 });
    expect(origins.get('model.by_priority.P0')).toEqual({
      value: 'best',
      origin: 'project file',
      file: 'yardmaster.yaml',
      line: 3,
    });
    expect(origins.get('model.by_priority.P1')?.origin).toBe('user file');
  });
});
