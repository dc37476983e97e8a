import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { batchLimits } from '../model/batch.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { type Config, type ConfigInput, loadConfig } from './config.ts';
import { cachePlaces, secretPlaces } from './keys.ts';

interface World {
  readonly project?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
}

function input({ project, user, env, flags }: World): ConfigInput {
  const files: Readonly<Record<string, string | undefined>> = {
    '/repo/yardmaster.yaml': project,
    '/conf/yardmaster/config.yaml': user,
  };
  return {
    root: '/repo',
    env: { XDG_CONFIG_HOME: '/conf', ...env },
    flags: flags ?? {},
    cores: 8,
    readFile: (path) => files[path],
  };
}

function config(world: World): Config {
  const loaded = need(loadConfig(input(world)));
  return loaded;
}

function failures(world: World): readonly Failure[] {
  const loaded = loadConfig(input(world));
  return loaded.ok ? [] : loaded.failure;
}

const messages = (world: World): string[] =>
  failures(world).map((failure) =>
    failure.kind === 'config-invalid'
      ? `${failure.file}:${failure.line ?? ''} ${failure.problem} → ${failure.remedy}`
      : failure.kind,
  );

describe('loadConfig', () => {
  it('has a default for everything that must have a value', () => {
    const { origins, ...rest } = config({});
    expect(rest).toEqual({
      jobs: limits.jobsDefault,
      agents: {},
      attempts: { best_of: 1, agents: [], choose: 'auto', byType: {} },
      plan: { revise: 'off' },
      models: {},
      prompts: [],
      sandbox: 'auto',
      sandboxHidden: secretPlaces,
      sandboxWritable: cachePlaces,
      keepRaw: false,
      sandboxHosts: [],
      sandboxEnv: [],
      gate: {
        kind: 'detect',
        timeoutMs: limits.gateWallMs,
        branch: 'auto',
        quick: [],
        reruns: 1,
        cache: [],
        environment: [],
        network: true,
        userns: false,
        recheckMs: 15 * 60_000,
        slots: 4,
      },
      preflight: true,
      run: { before: [] },
      probeModels: false,
      protect: ['.github/**', '.gitlab-ci.yml', '.circleci/**', 'yardmaster.yaml'],
      rules: { tests: 'guard' },
      planner: { enabled: true, budgetTokens: batchLimits.plannerTokensDefault },
      pipelines: { default: ['work', 'gate', 'land'] },
      sources: {},
      writeBack: false,
      worktree: { setup: [], finish: [], copy: [], pool: 'auto' },
      retries: limits.retriesDefault,
      retry: { returns: 2, provider: 5, silent: 5 },
      spawnRate: 4,
      store: 'sqlite',
      quarantine: limits.quarantineAfterDefault,
      quotaWaitMs: 6 * 3_600_000,
      waitForTasksMs: 0,
      limits: {
        agentWallMs: limits.agentWallMs,
        agentIdleMs: limits.agentIdleMs,
        agentStartMs: limits.agentStartMs,
        agentLingerMs: 30_000,
        setupWallMs: limits.setupWallMs,
        outputBytes: limits.outputBytes,
      },
      budget: {},
      prices: {},
      telemetry: {},
      tests: {},
      hooks: {},
      workers: {},
      modes: {},
      ask: { timeoutMs: 0, onTimeout: 'decide' },
      train: { batch: 16, style: 'merge' },
      daemon: { jobs: 8, spawnsPerTick: 4, drainMs: 600_000, priority: 'normal' },
      schedules: {},
      delivery: { how: 'land', remote: 'origin', waitMs: 0 },
      verify: { enabled: false, timeoutMs: 1_800_000, onFailure: 'report' },
    });
    expect([...origins.values()].every(({ origin }) => origin === 'default')).toBe(true);
  });

  it('reads every key of a project file', () => {
    const project = [
      'target: main',
      'jobs: 8',
      'agent: mine',
      'agents:',
      '  mine: { use: command, command: ["./agent.sh", "a b"], done: signal, prompt: file, env: { A: x } }',
      '  bare: { use: command, command: ./run }',
      '  play: { use: scripted, script: plays }',
      'gate: { commands: [npm test, npm run lint], timeout: 10m, branch: always, quick: make quick, reruns: 0, cache: target/, slots: 3, network: false, userns: true, recheck: 1m, environment: node --version }',
      'model: { default: sonnet, by_priority: { P0: opus, 1: codex:gpt-5:high }, by_type: { docs: haiku } }',
      'preflight: false\nrun: { before: sh ready.sh }\nprobe_models: true\nfallback: { agent: codex }',
      'planner: { enabled: false, agent: codex, budget_tokens: 20k }',
      'prompts: docs/agents.md\nkeep_raw: true\nsandbox: strict',
      'sandbox_hidden: ~/.private\nsandbox_writable: [~/.cache, /var/cache/mine]\nsandbox_hosts: [api.example.com, "*.example.org:8443"]\nsandbox_env: [CI_TOKEN]',
      'worktree: { setup: npm ci, finish: npm run format, copy: [.env], pool: 6 }',
      'retries: 0\nquarantine: 5',
      'retry: { returns: 1, provider: 0, silent: 2 }\nquota: { wait: off }',
      'wait_for_tasks: 5m\nspawn_rate: 2\nstore: postgres://ada@db/yard',
      'limits: { agent_wall: 2h, agent_idle: off, agent_start: 30s, agent_linger: 5s, setup_wall: 90s, output: 1MB }',
      'budget: { attempts: 40, wall: 4h, tokens: 2M, cost: 20USD }',
      'prices: { gpt-5: { input: 1.25, output: 10, cache_read: 0.125 }, default: { input: 3, output: 15 } }',
      'protect: [infra/**, Makefile]',
      'rules: { tests: off, max_files: 40, max_lines: 2000 }',
      'review: { agent: [codex, bare], person: true, rounds: 2, retries: 0 }',
      'critique: { agent: codex, improver: mine, rounds: 1, retries: 2 }\ntests: { agent: codex }',
      'plan: { critic: codex }',
      'pipeline: { docs: [work, land], default: [critique, tests, work, gate, review, land] }',
      'telemetry: { endpoint: "http://127.0.0.1:4318", headers_env: OTLP, file: run.jsonl }',
      'train: { batch: 4, style: squash }',
      'daemon: { jobs: 3, spawns_per_tick: 2, drain: 5m, priority: high }\ndelivery: { how: pr, remote: upstream, wait: 2h }',
      'verify: { enabled: true, command: npm run all, timeout: 5m, on_failure: bisect }',
      'write_back: true',
    ].join('\n');
    const { origins, ...rest } = config({ project });
    expect(rest).toEqual({
      target: 'main',
      jobs: 8,
      agent: 'mine',
      attempts: { best_of: 1, agents: [], choose: 'auto', byType: {} },
      agents: {
        mine: {
          use: 'command',
          command: ['./agent.sh', 'a b'],
          done: 'signal',
          prompt: 'file',
          env: { A: 'x' },
        },
        bare: { use: 'command', command: ['./run'], done: 'exit', prompt: 'stdin', env: {} },
        play: { use: 'scripted', script: 'plays', done: 'exit', env: {} },
      },
      models: {
        default: 'sonnet',
        byPriority: { P0: 'opus', P1: 'codex:gpt-5:high' },
        byType: { docs: 'haiku' },
      },
      fallback: { agent: 'codex', cooldown: 3 },
      prompts: ['docs/agents.md'],
      keepRaw: true,
      sandbox: 'strict',
      sandboxHidden: ['~/.private'],
      sandboxWritable: ['~/.cache', '/var/cache/mine'],
      sandboxHosts: ['api.example.com', '*.example.org:8443'],
      sandboxEnv: ['CI_TOKEN'],
      gate: {
        kind: 'commands',
        commands: ['npm test', 'npm run lint'],
        timeoutMs: 600_000,
        branch: 'always',
        quick: ['make quick'],
        reruns: 0,
        cache: ['target/'],
        environment: ['node --version'],
        network: false,
        userns: true,
        recheckMs: 60_000,
        slots: 3,
      },
      preflight: false,
      run: { before: ['sh ready.sh'] },
      probeModels: true,
      protect: ['infra/**', 'Makefile', 'yardmaster.yaml'],
      rules: { tests: 'off', maxFiles: 40, maxLines: 2000 },
      review: { reviewers: ['codex', 'bare'], person: true, rounds: 2, retries: 0 },
      critique: { critic: 'codex', improver: 'mine', rounds: 1, retries: 2 },
      tests: { agent: 'codex' },
      plan: { critic: 'codex', revise: 'off' },
      sources: {},
      writeBack: true,
      planner: { enabled: false, agent: 'codex', budgetTokens: 20_000 },
      pipelines: {
        docs: ['work', 'land'],
        default: ['critique', 'tests', 'work', 'gate', 'review', 'land'],
      },
      worktree: { setup: ['npm ci'], finish: ['npm run format'], copy: ['.env'], pool: 6 },
      retries: 0,
      retry: { returns: 1, provider: 0, silent: 2 },
      quarantine: 5,
      quotaWaitMs: 0,
      waitForTasksMs: 300_000,
      spawnRate: 2,
      store: 'postgres://ada@db/yard',
      limits: {
        agentWallMs: 7_200_000,
        agentIdleMs: 0,
        agentStartMs: 30_000,
        agentLingerMs: 5_000,
        setupWallMs: 90_000,
        outputBytes: 1_048_576,
      },
      budget: { attempts: 40, wallMs: 14_400_000, tokens: 2_000_000, costUsd: 20 },
      prices: {
        'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 },
        default: { input: 3, output: 15, cacheRead: 3, cacheWrite: 3 },
      },
      telemetry: { endpoint: 'http://127.0.0.1:4318', headersEnv: 'OTLP', file: 'run.jsonl' },
      hooks: {},
      workers: {},
      modes: {},
      ask: { timeoutMs: 0, onTimeout: 'decide' },
      train: { batch: 4, style: 'squash' },
      daemon: { jobs: 3, spawnsPerTick: 2, drainMs: 300_000, priority: 'high' },
      schedules: {},
      delivery: { how: 'pr', remote: 'upstream', waitMs: 7_200_000 },
      verify: {
        enabled: true,
        command: 'npm run all',
        timeoutMs: 300_000,
        onFailure: 'bisect',
      },
    });
    expect(origins.get('gate.timeout')).toEqual({
      value: '10m',
      origin: 'project file',
      file: 'yardmaster.yaml',
      line: 8,
    });
  });

  it('lets each layer win over the one below, key by key', () => {
    const loaded = config({
      user: 'jobs: 2\nretries: 7\nquarantine: 9\ntarget: user\n',
      project: 'jobs: 3\nretries: 6\nquarantine: 8\n',
      env: { YARDMASTER_JOBS: '5', YARDMASTER_RETRIES: '4' },
      flags: { jobs: 6, agent: undefined },
    });
    expect(loaded).toMatchObject({ jobs: 6, retries: 4, quarantine: 8, target: 'user' });
    const origin = (key: string): unknown => loaded.origins.get(key)?.origin;
    expect(['jobs', 'retries', 'quarantine', 'target', 'agent'].map(origin)).toEqual([
      'flag',
      'environment',
      'project file',
      'user file',
      'default',
    ]);
  });

  it('keeps sections of several layers together, but never mixes two profiles of one name', () => {
    const loaded = config({
      user: 'worktree: { copy: [.env] }\nagents: { a: { use: scripted, script: x }, b: { use: scripted, script: y } }\n',
      project: 'worktree: { setup: [make] }\nagents: { a: { use: command, command: [z] } }\n',
    });
    expect(loaded.worktree).toEqual({ setup: ['make'], finish: [], copy: ['.env'], pool: 'auto' });
    expect(loaded.agents.a).toMatchObject({ use: 'command', command: ['z'] });
    expect(loaded.agents.b).toMatchObject({ use: 'scripted', script: 'y' });
  });

  it('takes the word none for a gate that is on purpose absent', () => {
    const loaded = config({ project: 'gate: none\n', user: 'gate: { commands: [x] }\n' });
    expect(loaded.gate).toMatchObject({ kind: 'none' });
    expect(loaded.gate).not.toHaveProperty('commands');
    expect(loaded.origins.get('gate')).toMatchObject({ value: 'none', origin: 'project file' });
  });

  it('lets commands of a higher layer win over none', () => {
    const loaded = config({
      project: 'gate: none\n',
      env: { YARDMASTER_GATE__COMMANDS: 'make test' },
    });
    expect(loaded.gate).toMatchObject({ kind: 'commands', commands: ['make test'] });
  });

  it('goes on looking for a gate when only its time is set', () => {
    expect(config({ project: 'gate: { timeout: 5m }\n' }).gate).toMatchObject({
      kind: 'detect',
      timeoutMs: 300_000,
    });
  });

  it('takes an empty file, or one of comments, for no settings', () => {
    expect(config({ project: '', user: '# nothing\n' }).jobs).toBe(limits.jobsDefault);
  });
});

describe('a config that is wrong', () => {
  it.each([
    ['jobs: 0\n', '1 "jobs" is 0 → Give a whole number from 1 to 16.'],
    ['jobs: 17\n', '1 "jobs" is 17 → Give a whole number from 1 to 16.'],
    ['jobs: four\n', '1 "jobs" is "four" → Give a whole number from 1 to 16.'],
    [
      '\njbos: 4\n',
      '2 "jbos" is not a known key → Did you mean "jobs"? Known here: target, jobs, store, agent, agents, model, fallback, prompts, keep_raw, sandbox, sandbox_hidden, sandbox_writable, sandbox_hosts, sandbox_env, gate, protect, rules, review, critique, tests, pipeline, plan, planner, mode, modes, sources, write_back, preflight, run, probe_models, worktree, attempts, ask, retries, quarantine, retry, quota, spawn_rate, wait_for_tasks, limits, budget, prices, telemetry, hooks, train, delivery, verify, workers, daemon, schedules.',
    ],
    [
      'gate:\n  timout: 5m\n',
      '2 "gate.timout" is not a known key → Did you mean "timeout"? Known here: commands, timeout, branch, quick, reruns, slots, cache, network, userns, recheck, environment.',
    ],
    [
      'gate: { timeout: 10 }\n',
      '1 "gate.timeout" is 10 → Give a time with its unit, such as 90s, 10m or 1h30m.',
    ],
    ['gate: { timeout: 0s }\n', '1 "gate.timeout" is "0s" → Give a time longer than 0.'],
    ['gate: { timeout: 25d }\n', '1 "gate.timeout" is "25d" → Give at most 24d.'],
    [
      'gate: { commands: [] }\n',
      '1 "gate.commands" is an empty list → Write gate: { commands: ["npm test"] } with your commands, or "gate: none" to disable the gate.',
    ],
    [
      'gate: npm test\n',
      '1 "gate" is "npm test" → Write gate: { commands: ["npm test"] } with your commands, or "gate: none" to disable the gate.',
    ],
    [
      'gate:\n  commands:\n    - a\n    - 5\n',
      '4 "gate.commands[1]" is 5 → Write a text here, in quotes if it looks like a number or like true or false.',
    ],
    [
      'limits: { output: 1KB }\n',
      '1 "limits.output" is "1KB" → Give a size with its unit, from 4KB to 16GB, such as 64MB.',
    ],
    [
      'worktree: { copy: [../x] }\n',
      '1 "worktree.copy[0]" is "../x" → Give a path inside the repository.',
    ],
    [
      'worktree: { pool: many }\n',
      '1 "worktree.pool" is "many" → Write auto or a whole number from 1 to 256.',
    ],
    [
      'agents: { a: { use: command, command: run it } }\n',
      '1 "agents.a.command" is "run it" → Give the command as a list, such as ["./agent.sh", "--fast"].',
    ],
    ['- jobs\n', '1 the config is a list → Write the config as a map of keys.'],
    [
      'agent: mine\nagents: { mien: { use: scripted, script: x } }\n',
      '1 there is no agent "mine" → Did you mean "mien"? Known agents: mien, claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider. Describe others under "agents".',
    ],
    [
      'jobs: [1\n',
      '2 the YAML cannot be read (Flow sequence in block collection must be sufficiently indented and end with a ]) → Check indentation, brackets and quotes here and just above.',
    ],
  ])('is refused: %j', (project, sentence) => {
    expect(messages({ project })).toEqual([`yardmaster.yaml:${sentence}`]);
  });

  it('reports everything in all layers at once', () => {
    const all = messages({
      user: 'jobs: 99\nnope: 1\n',
      project: 'retries: -1\ngate: { timeout: soon }\n',
      env: { YARDMASTER_QUARANTINE: 'x' },
      flags: { 'budget.wall': 'long' },
    });
    expect(all.map((sentence) => sentence.split(' ')[0])).toEqual([
      '/conf/yardmaster/config.yaml:1',
      '/conf/yardmaster/config.yaml:2',
      'yardmaster.yaml:1',
      'yardmaster.yaml:2',
      'YARDMASTER_QUARANTINE:',
      'flag',
    ]);
  });

  it('is refused where a file cannot be read', () => {
    const readFile = (): string => {
      throw new Error('permission denied');
    };
    const loaded = loadConfig({ ...input({}), readFile });
    expect(loaded).toMatchObject({ ok: false });
    expect(JSON.stringify(loaded)).toContain('it cannot be read (permission denied)');
  });
});
