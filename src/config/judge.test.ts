import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { type Config, type ConfigInput, loadConfig } from './config.ts';
import { isJudging } from './dotted.ts';
import { settableKeys } from './keys.ts';

const file = 'yardmaster.yaml at main';

function load(checkout: string | undefined, target: string, rest: Partial<ConfigInput> = {}) {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? checkout : undefined;
  const judge = { text: target, file };
  return loadConfig({ root: '/repo', env: {}, flags: {}, readFile, judge, ...rest });
}

function config(checkout: string | undefined, target: string, rest = {}): Config {
  const loaded = need(load(checkout, target, rest));
  return loaded;
}

describe('the part that judges', () => {
  it('is the gate, the rules, who looks at work, modes, what makes a worktree ready, and hooks', () => {
    const names = settableKeys.map(({ key }) => key);
    const others = names.filter((key) => !isJudging(key));
    const tops = (keys: readonly string[]) => [...new Set(keys.map((key) => key.split('.')[0]))];
    expect(tops(names.filter(isJudging))).toEqual([
      'gate',
      'protect',
      'rules',
      'review',
      'critique',
      'tests',
      'pipeline',
      'mode',
      'modes',
      'run',
      'worktree',
      'hooks',
    ]);
    expect(others).toEqual(
      expect.arrayContaining(['agent', 'worktree.copy', 'train.style', 'verify.command', 'jobs']),
    );
  });

  it('comes from the target and not from the checkout, key by key', () => {
    const checkout =
      'jobs: 8\ngate: { commands: ["true"], timeout: 1m }\nprotect: []\nworktree: { setup: [evil], copy: [.env] }\nreview: { rounds: 9 }\n';
    const target =
      'jobs: 2\ngate: { commands: [npm test] }\nworktree: { setup: [npm ci], copy: [x] }\nreview: { agent: codex }\n';
    const settled = config(checkout, target);
    expect(settled.gate).toMatchObject({ commands: ['npm test'], timeoutMs: 1_800_000 });
    expect(settled.protect).toContain('.github/**');
    expect(settled.worktree).toMatchObject({ setup: ['npm ci'], copy: ['.env'] });
    expect(settled.review).toMatchObject({ reviewers: ['codex'], rounds: 3 });
    expect(settled.jobs).toBe(8);
    expect(settled.origins.get('gate.commands')).toEqual({
      value: ['npm test'],
      origin: 'project file',
      file,
      line: 2,
    });
  });

  it('comes from the target also where the checkout has no file any more', () => {
    expect(config(undefined, 'gate: { commands: [make] }\njobs: 3\n')).toMatchObject({
      gate: { commands: ['make'] },
      jobs: 4,
    });
  });

  it('can be put over by the person who starts the run, for that run', () => {
    const env = { YARDMASTER_GATE__TIMEOUT: '5m' };
    const flags = { 'gate.commands': '["make all"]' };
    const { gate } = config('', 'gate: { commands: [make], timeout: 1h }', { env, flags });
    expect(gate).toMatchObject({ commands: ['make all'], timeoutMs: 300_000 });
  });

  it('is refused with the name of its place, and what else the target has is not looked at', () => {
    const target =
      'jobs: many\nnot_a_key: 1\nagents: [x]\nreview:\n  agent: nobody\n  rounds: 99\n';
    const loaded = load('jobs: 2\n', target);
    expect(loaded).toMatchObject({ ok: false, failure: [{ file, line: 6 }] });
    const unknown = load('jobs: 2\n', 'jobs: many\nreview: { agent: nobody }\n');
    expect(unknown).toMatchObject({ failure: [{ file, problem: 'there is no agent "nobody"' }] });
    expect(load('jobs: 2\n', 'jobs: many\nnot_a_key: 1\n')).toMatchObject({ ok: true });
    expect(load('', 'jobs: [1\n')).toMatchObject({ ok: false, failure: [{ file }] });
  });

  it('is read in the checkout as well, so that a slip is told before it is committed', () => {
    expect(load('gate: { reruns: 9 }', 'gate: { reruns: 1 }')).toMatchObject({
      failure: [{ file: 'yardmaster.yaml', problem: '"gate.reruns" is 9' }],
    });
  });

  it('may say that there is no gate, against commands in the checkout, and the other way round', () => {
    expect(config('gate: { commands: [x] }', 'gate: none').gate.kind).toBe('none');
    expect(config('gate: none', 'gate: { commands: [x] }').gate.kind).toBe('commands');
    expect(config('gate: none', '').gate.kind).toBe('detect');
  });
});
