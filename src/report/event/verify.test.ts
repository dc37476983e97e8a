import { describe, expect, it } from 'vitest';
import { outcomes } from '../../../test/report/any-work.ts';
import { isRed, verifyLines, verifyText } from './verify.ts';

describe('the look at the target after a run', () => {
  it.each([
    ['passed', 'passed: "npm test" in 4 s', false],
    ['failed', 'failed: "npm test" exited with status 1, since ccccccc (api)', true],
    ['timed-out', 'timed out: "npm test" did not finish within 1 m 00 s', true],
    ['skipped', 'skipped: no command was found', false],
  ] as const)('reads when it %s', (kind, text, red) => {
    expect(verifyText(outcomes[kind])).toBe(text);
    expect(isRed(outcomes[kind])).toBe(red);
  });

  it('says what it knows of an end without an exit status, and of a culprit without a task', () => {
    const failed = { kind: 'failed', command: 'x', exit: -1, ms: 1, tail: '' } as const;
    expect(verifyText(failed)).toBe('failed: "x" was stopped');
    expect(verifyText({ ...failed, culprit: { commit: 'abc', tasks: [] } })).toBe(
      'failed: "x" was stopped, since abc',
    );
  });

  it('shows three lines of a failure at most, those that tell most of it', () => {
    const { failed } = outcomes;
    if (failed.kind !== 'failed') throw new Error('not a failure');
    expect(verifyLines(failed)).toEqual(['two', 'three', 'four']);
    const tail = 'start\nnot ok 1\nat line 5\nError: no\nend\n';
    expect(verifyLines({ ...failed, tail })).toEqual(['not ok 1', 'Error: no']);
    expect(verifyLines(outcomes['timed-out'])).toEqual([]);
  });

  it('shows the failing tests where the output names them', () => {
    const failures = [{ name: 'adds prices', message: 'expected 3' }];
    const evidence = { failures, unlisted: 2, signs: [], head: '' };
    const failed = { kind: 'failed', command: 'x', exit: 1, ms: 1, tail: 'end\n' } as const;
    expect(verifyLines({ ...failed, evidence })).toEqual([
      'adds prices',
      '    expected 3',
      'and 2 more',
    ]);
    const four = ['a', 'b', 'c', 'd'].map((name) => ({ name, message: '' }));
    const many = { ...failed, evidence: { ...evidence, failures: four } };
    expect(verifyLines(many)).toEqual(['a', 'b', 'c', 'and 3 more']);
  });
});
