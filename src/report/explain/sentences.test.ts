import { describe, expect, it } from 'vitest';
import type { Failure } from '../../model/failure.ts';
import { sentencesOf } from './sentences.ts';

const unknown = (task: string): Failure => ({ kind: 'unknown-task', task });

describe('a failure in the words of the commands', () => {
  it('says what happened and what to do, without exit status and output', () => {
    const told = sentencesOf({
      kind: 'usage',
      problem: 'the title is empty',
      remedy: 'Write one.',
    });
    expect(told).toEqual({
      kind: 'usage',
      what: 'The title is empty.',
      why: '',
      do: 'Write one.',
    });
  });

  it('tells further failures as details of the first', () => {
    const told = sentencesOf([unknown('a'), unknown('b'), unknown('c')]);
    expect(told.what).toContain('a');
    expect(told.details).toHaveLength(2);
    expect(told.details?.[0]).toContain('b');
    expect(told.details?.[1]).toContain('c');
  });

  it('keeps the details of the first failure in front', () => {
    const rules: Failure = {
      kind: 'config-invalid',
      file: 'yardmaster.yaml',
      line: 3,
      problem: 'jobs is no number',
      remedy: 'Write a number.',
    };
    const told = sentencesOf([rules, unknown('b')]);
    expect(told.what).toContain('yardmaster.yaml:3');
    expect(told.details?.at(-1)).toContain('b');
  });

  it('has words even for an empty list, which is a bug', () => {
    expect(sentencesOf([])).toMatchObject({ kind: 'internal' });
  });
});

describe('words for the person', () => {
  it('name the nearest task if one was misspelled', () => {
    const told = sentencesOf({ kind: 'unknown-task', task: 'logn', nearest: 'login' });
    expect(told.kind).toBe('unknown-task');
    expect(told.what).toContain('logn');
    expect(`${told.why} ${told.do}`).toContain('login');
  });
});
