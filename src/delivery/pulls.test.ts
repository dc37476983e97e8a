import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pullOf, readPulls } from './gh.ts';

const printed = (more: Readonly<Record<string, unknown>> = {}) => ({
  number: 7,
  url: 'https://forge.invalid/pull/7',
  headRefName: 'yard/r/a-1',
  state: 'OPEN',
  statusCheckRollup: null,
  mergeCommit: null,
  isCrossRepository: false,
  ...more,
});
const read = (...entries: readonly unknown[]) => readPulls(JSON.stringify(entries)) ?? [];
const checksOf = (...rollup: readonly unknown[]) =>
  read(printed({ statusCheckRollup: rollup }))[0]?.checks;
const run = (status: string, conclusion = '') => ({ __typename: 'CheckRun', status, conclusion });
const context = (state: string) => ({ __typename: 'StatusContext', state });

describe('a list of pull requests', () => {
  it('is read', () => {
    expect(read(printed(), printed({ state: 'MERGED', mergeCommit: { oid: 'c0ffee' } }))).toEqual([
      {
        branch: 'yard/r/a-1',
        number: 7,
        url: 'https://forge.invalid/pull/7',
        state: 'open',
        checks: 'none',
      },
      {
        branch: 'yard/r/a-1',
        number: 7,
        url: 'https://forge.invalid/pull/7',
        state: 'merged',
        checks: 'none',
        mergeCommit: 'c0ffee',
      },
    ]);
  });

  it('is undefined for any other text', () => {
    for (const text of ['', 'no', '{}', 'null', '[1'])
      expect(readPulls(text), text).toBeUndefined();
  });

  it('skips invalid entries and forks', () => {
    const odd = [
      null,
      3,
      [],
      printed({ number: '7' }),
      printed({ url: null }),
      printed({ headRefName: 1 }),
      printed({ state: 'LOST' }),
      printed({ isCrossRepository: true }),
    ];
    expect(read(...odd)).toEqual([]);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const found = readPulls(text);
        expect(found === undefined || Array.isArray(found)).toBe(true);
      }),
    );
  });
});

describe('the checks of a pull request', () => {
  it('have passed when all have ended and none failed', () => {
    expect(checksOf(run('COMPLETED', 'SUCCESS'), context('SUCCESS'))).toBe('passed');
    expect(checksOf(run('COMPLETED', 'SKIPPED'), run('COMPLETED', 'NEUTRAL'))).toBe('passed');
  });

  it('have failed when one failed, whatever the others do', () => {
    for (const word of [
      'FAILURE',
      'CANCELLED',
      'TIMED_OUT',
      'ACTION_REQUIRED',
      'STARTUP_FAILURE',
    ]) {
      expect(checksOf(run('QUEUED'), run('COMPLETED', word)), word).toBe('failed');
    }
    expect(checksOf(context('ERROR'), context('SUCCESS'))).toBe('failed');
  });

  it('are pending while one is, or has an unknown state', () => {
    expect(checksOf(run('COMPLETED', 'SUCCESS'), run('IN_PROGRESS'))).toBe('pending');
    expect(checksOf(context('EXPECTED'))).toBe('pending');
    expect(checksOf(run('COMPLETED', 'STALE'))).toBe('pending');
    expect(checksOf(run('COMPLETED', 'SPLENDID'))).toBe('pending');
    expect(checksOf({})).toBe('pending');
    expect(checksOf(null)).toBe('pending');
  });

  it('are none without checks', () => {
    expect(checksOf()).toBe('none');
    expect(read(printed({ statusCheckRollup: undefined }))[0]?.checks).toBe('none');
  });
});

describe('of several pull requests of one branch', () => {
  const of = (...states: readonly string[]) =>
    pullOf(
      read(...states.map((state, index) => printed({ number: index + 1, state }))),
      'yard/r/a-1',
    )?.number;

  it('the merged one counts, then the open one, then the closed one', () => {
    expect(of('OPEN', 'MERGED', 'CLOSED')).toBe(2);
    expect(of('CLOSED', 'OPEN', 'CLOSED')).toBe(2);
  });

  it('the newest counts among equal states', () => {
    expect(of('CLOSED', 'CLOSED', 'CLOSED')).toBe(3);
  });

  it('none counts for another branch', () => {
    expect(pullOf(read(printed()), 'yard/r/a-2')).toBeUndefined();
  });
});
