import { describe, expect, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import type { Scope } from '../model/run.ts';
import { type Call, parse } from './parse.ts';
import { resumeWords, runWords } from './submit.ts';

function called(...argv: readonly string[]): Call {
  const call = need(parse(argv));
  return call;
}

const ready: Scope = { kind: 'ready' };
const words = (scope: Scope, ...argv: readonly string[]): readonly string[] =>
  runWords(called('run', ...argv), scope);
const silent = ['--yes', '--skip-plan'];

describe('the command line that the daemon starts a run with', () => {
  test('names what the user chose on the terminal', () => {
    expect(words(ready)).toEqual(['run', '--scope=ready', ...silent]);
    expect(words({ kind: 'only', tasks: ['a', 'b'] })).toEqual([
      'run',
      '--only=a',
      '--only=b',
      ...silent,
    ]);
    expect(words({ kind: 'epics', epics: ['shop'] })).toEqual(['run', '--epic=shop', ...silent]);
  });

  test('names a scope that was typed once', () => {
    expect(words(ready, '--scope', 'ready')).toEqual(['run', '--scope=ready', ...silent]);
    expect(words({ kind: 'only', tasks: ['a'] }, '--only', 'a')).toEqual([
      'run',
      '--only=a',
      ...silent,
    ]);
    expect(words({ kind: 'epics', epics: ['x'] }, '--scope=epics', '--epic', 'x')).toEqual([
      'run',
      '--epic=x',
      ...silent,
    ]);
  });

  test('keeps sources, and leaves the tasks to them', () => {
    const scope: Scope = { kind: 'only', tasks: ['from-plan'] };
    expect(words(scope, 'plan.yaml', '-')).toEqual(['run', 'plan.yaml', '-', ...silent]);
    expect(words(scope, 'plan.yaml', '--only', 'from-plan')).toEqual([
      'run',
      'plan.yaml',
      '--only=from-plan',
      ...silent,
    ]);
  });

  test('keeps conditions that narrow the tasks', () => {
    const narrowed: Scope = { kind: 'ready', labels: ['ui'], except: ['old'] };
    expect(words(narrowed, '--label', 'ui', '--except', 'old')).toEqual([
      'run',
      '--label=ui',
      '--except=old',
      '--scope=ready',
      ...silent,
    ]);
  });

  test.each([
    ['--agent', 'claude', '--agent=claude'],
    ['--model', 'codex:gpt-5:high', '--model=codex:gpt-5:high'],
    ['--target', 'next', '--target=next'],
    ['--retries', '0', '--retries=0'],
    ['--max-attempts', '9', '--max-attempts=9'],
    ['--budget-wall', '90m', '--budget-wall=90m'],
    ['--budget-cost', '20USD', '--budget-cost=20USD'],
    ['--best-of', '3', '--best-of=3'],
    ['--deliver', 'pr', '--deliver=pr'],
    ['--verify-command', 'npm run all', '--verify-command=npm run all'],
    ['--planner-agent', 'codex', '--planner-agent=codex'],
  ])('keeps %s', (option, value, word) => {
    expect(words(ready, option, value)).toEqual(['run', word, '--scope=ready', ...silent]);
  });

  test.each([
    '--no-preflight',
    '--probe-models',
    '--verify-tests',
    '--no-verify-tests',
    '--prune-removed',
    '--share',
    '--no-planner',
    '--json',
  ])('keeps %s', (flag) => {
    expect(words(ready, flag)).toEqual(['run', flag, '--scope=ready', ...silent]);
  });

  test('repeats an option for each of its values', () => {
    expect(words(ready, '--agents', 'claude,codex', '--agents', 'gemini')).toEqual([
      'run',
      '--agents=claude',
      '--agents=codex',
      '--agents=gemini',
      '--scope=ready',
      ...silent,
    ]);
  });

  test.each(['--detach', '--plain', '--yes', '--force', '--skip-plan', '--jobs=3', '-d', '-y'])(
    'leaves out %s, which is for this process or for the daemon',
    (flag) => {
      expect(words(ready, flag)).toEqual(['run', '--scope=ready', ...silent]);
    },
  );

  test('leaves out options of all commands', () => {
    expect(words(ready, '-C', '/elsewhere', '--quiet', '--no-color')).toEqual([
      'run',
      '--scope=ready',
      ...silent,
    ]);
  });

  test('can be parsed again', () => {
    const first = words(ready, '--agents=a,b', '--verify-command', 'npm run all', '--retries=2');
    const again = called(...first, '--foreground', '--jobs', '2');
    expect(again.options.list('agents')).toEqual(['a', 'b']);
    expect(again.options.text('verify-command')).toBe('npm run all');
    expect(again.options.number('retries')).toBe(2);
    expect(again.options.number('jobs')).toBe(2);
    expect(again.options.flag('foreground')).toBe(true);
  });

  test('names the run to resume and its options', () => {
    const call = called('resume', '3f2a', '--retry-failed', '--detach', '--budget-wall=2h');
    expect(resumeWords(call, '261117-174529-3f2a')).toEqual([
      'resume',
      '261117-174529-3f2a',
      '--retry-failed',
      '--budget-wall=2h',
    ]);
  });
});
