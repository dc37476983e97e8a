import { describe, expect, it } from 'vitest';
import { aRun } from '../../test/report/fixtures.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import { byPerson } from './caller.ts';

const known = {
  run: async (id: string): Promise<Result<RunRecord | undefined>> =>
    ok(id === 'r1' ? aRun() : undefined),
};

describe('what only a person may decide', () => {
  it('is decided by whoever no run has started', async () => {
    expect(await byPerson(known, 'approve', {})).toEqual(ok(undefined));
    expect(await byPerson(known, 'approve', { YARD_RUN: '' })).toEqual(ok(undefined));
  });

  it('is refused to the agents, reviewers and gates of a run of this project', async () => {
    const refused = await byPerson(known, 'approve', { YARD_RUN: 'r1', YARD_TASK: 'api' });
    expect(refused).toEqual(
      fail({
        kind: 'usage',
        problem: 'only a person may approve, and this was called from within run r1',
        remedy: 'An agent states what it needs in its last message, or with `ym agent`.',
      }),
    );
  });

  it('is not refused because of a run of another project', async () => {
    expect(await byPerson(known, 'skip', { YARD_RUN: 'elsewhere' })).toEqual(ok(undefined));
  });

  it('is not decided where the store cannot be asked', async () => {
    const failure: Failure = { kind: 'store-busy', file: 'yard.db', waitedMs: 1 };
    const busy = { run: async () => fail(failure) };
    expect(await byPerson(busy, 'approve', { YARD_RUN: 'r1' })).toEqual(fail(failure));
  });
});
