import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

const load = (project: string, judge?: string, user?: string) =>
  loadConfig({
    root: '/repo',
    env: { YARDMASTER_USER_CONFIG: '/user.yaml' },
    flags: {},
    readFile: (path) => (path === '/user.yaml' ? (user ?? '') : project),
    ...(judge === undefined ? {} : { judge: { text: judge, file: 'yardmaster.yaml at main' } }),
  });

const problems = (project: string) => {
  const loaded = load(project);
  return loaded.ok
    ? []
    : loaded.failure.map((one) =>
        one.kind === 'config-invalid' ? `${one.problem} → ${one.remedy}` : one.kind,
      );
};

describe('hooks in the config', () => {
  it('have defaults, and a command is a shell line or a list', () => {
    const loaded = load(
      'hooks:\n  a: { use: command, command: "x | y" }\n  b: { use: command, command: [x, y z], on: run-ended, digest: 1m }\n',
    );
    expect(loaded.ok && loaded.value.hooks).toEqual({
      a: {
        use: 'command',
        command: ['/bin/sh', '-c', 'x | y'],
        timeout: 10_000,
        retries: 3,
        digest: 0,
        rate: 30,
      },
      b: {
        use: 'command',
        command: ['x', 'y z'],
        on: ['run-ended'],
        timeout: 10_000,
        retries: 3,
        digest: 60_000,
        rate: 30,
      },
    });
  });

  it('are refused with what is wrong', () => {
    expect(problems('hooks: { a: { use: mail } }')[0]).toContain('one of command, webhook');
    expect(problems('hooks: { a: { use: bell, on: [landed] } }')[0]).toContain('Name points: run-');
    expect(problems('hooks: { a: { use: bell, onn: [run-ended] } }')[0]).toContain('"on"');
    expect(problems('hooks: { a: { use: webhook } }')[0]).toContain('either "url" or "url_env"');
    expect(problems('hooks: { a: { use: webhook, url: "http://example.com" } }')[0]).toContain(
      'Use https',
    );
    expect(problems('hooks: { a: { use: command, command: "" } }')[0]).toContain('shell line');
    expect(problems('hooks: { "a b": { use: bell } }')[0]).toContain('Name hooks with letters');
    expect(problems('hooks: { a: { use: webhook, url_env: "x-y" } }')[0]).toContain('variable');
  });

  it('are those of the target and of the user, never of an uncommitted or branched file', () => {
    const evil = 'hooks: { evil: { use: command, command: "evil" } }\n';
    const committed = 'hooks: { team: { use: bell } }\n';
    const loaded = load(evil, committed, 'hooks: { mine: { use: desktop } }\n');
    expect(loaded.ok && Object.keys(loaded.value.hooks).sort()).toEqual(['mine', 'team']);
  });
});
