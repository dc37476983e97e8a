import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { type Call, parse } from './parse.ts';
import { runFlags, sharedFlags } from './run.ts';

function call(...words: string[]): Call {
  const parsed = need(parse(words));
  return parsed;
}

describe('flags of the end-of-run verification', () => {
  it.each(['run', 'resume'])('set nothing for %s if none is given', (command) => {
    expect(sharedFlags(call(command))).toMatchObject({
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
  ])('%j set `verify.enabled` to %s', (words, enabled, command) => {
    expect(sharedFlags(call('run', ...words))).toMatchObject({
      'verify.enabled': enabled,
      'verify.command': command,
    });
  });
});

it('flags of the planner set its keys, and `--no-planner` turns it off', () => {
  expect(runFlags(call('run'))).toMatchObject({
    'planner.enabled': undefined,
    'planner.agent': undefined,
    'planner.budget_tokens': undefined,
  });
  const words = ['--no-planner', '--planner-agent', 'mine', '--planner-budget', '20k'];
  expect(runFlags(call('run', ...words))).toMatchObject({
    'planner.enabled': false,
    'planner.agent': 'mine',
    'planner.budget_tokens': '20k',
  });
});

it('budget flags set the config keys of the budget', () => {
  expect(sharedFlags(call('resume', '--max-attempts', '3', '--budget-tokens', '2M'))).toMatchObject(
    {
      'budget.attempts': 3,
      'budget.new_tasks': undefined,
      'budget.wall': undefined,
      'budget.tokens': '2M',
      'budget.cost': undefined,
    },
  );
});
