import { describe, expect, it } from 'vitest';
import { budgetFlags, verifyFlags } from './budget.ts';
import { type Call, parse } from './parse.ts';

function call(...words: string[]): Call {
  const parsed = parse(words);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.failure));
  return parsed.value;
}

describe('flags about the look at the target', () => {
  it.each(['run', 'resume'])('say nothing of %s where none is given', (command) => {
    expect(verifyFlags(call(command))).toEqual({
      'verify.enabled': undefined,
      'verify.command': undefined,
    });
  });

  it.each([
    [['--verify-tests'], true, undefined],
    [['--no-verify-tests'], false, undefined],
    [['--verify-tests', '--no-verify-tests'], false, undefined],
    [['--no-verify-tests', '--verify-tests'], false, undefined],
    [['--verify-command', 'make all'], true, 'make all'],
    [['--verify-command', 'make all', '--no-verify-tests'], false, 'make all'],
  ])('%j mean %s', (words, enabled, command) => {
    expect(verifyFlags(call('run', ...words))).toEqual({
      'verify.enabled': enabled,
      'verify.command': command,
    });
  });
});

describe('flags that bound a run', () => {
  it('stand for the keys of the config', () => {
    expect(budgetFlags(call('resume', '--max-attempts', '3', '--budget-tokens', '2M'))).toEqual({
      'budget.attempts': 3,
      'budget.new_tasks': undefined,
      'budget.wall': undefined,
      'budget.tokens': '2M',
      'budget.cost': undefined,
    });
  });
});
