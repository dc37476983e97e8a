import { describe, expect, it } from 'vitest';
import { aRun } from '../../test/report/fixtures.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { Store } from '../port/store.ts';
import { byPerson, runNamed } from './lookup.ts';

const ids = ['260301-100000-3f2a', '260301-090000-77aa', '260228-090000-0bcd'];
const store = {
  runs: async () => ok(ids.map((id) => aRun({ id }))),
} as unknown as Store;

describe('a run', () => {
  it.each([
    ['260301-100000-3f2a', '260301-100000-3f2a'],
    ['260228', '260228-090000-0bcd'],
    ['77aa', '260301-090000-77aa'],
    ['last', '260301-100000-3f2a'],
    [undefined, '260301-100000-3f2a'],
  ])('is found by %s', async (name, id) => {
    expect(await runNamed(store, name)).toMatchObject({ ok: true, value: { id } });
  });

  it('is not guessed where several fit: all of them are listed', async () => {
    expect(await runNamed(store, '260301')).toMatchObject({
      ok: false,
      failure: {
        kind: 'usage',
        problem: '"260301" matches 2 runs: 260301-100000-3f2a, 260301-090000-77aa',
      },
    });
  });

  it('that is not there is refused with the nearest one', async () => {
    expect(await runNamed(store, '260301-100000-3f2b')).toMatchObject({
      failure: { kind: 'unknown-run', nearest: '260301-100000-3f2a' },
    });
  });
});

const known = {
  run: async (id: string): Promise<Result<LeasedRun | undefined>> =>
    ok(id === 'r1' ? aRun() : undefined),
};

describe('what only a person may decide', () => {
  it('is decided by whoever no run has started', async () => {
    expect(await byPerson({ store: known, env: {} }, 'approve')).toEqual(ok(undefined));
    expect(await byPerson({ store: known, env: { YARD_RUN: '' } }, 'approve')).toEqual(
      ok(undefined),
    );
  });

  it('is refused to the agents, reviewers and gates of a run of this project', async () => {
    const refused = await byPerson(
      { store: known, env: { YARD_RUN: 'r1', YARD_TASK: 'api' } },
      'approve',
    );
    expect(refused).toEqual(
      fail({
        kind: 'usage',
        problem: 'only a person may approve, and this was called from within run r1',
        remedy: 'An agent states what it needs in its last message, or with `ym agent`.',
      }),
    );
  });

  it('is not refused because of a run of another project', async () => {
    expect(await byPerson({ store: known, env: { YARD_RUN: 'elsewhere' } }, 'skip')).toEqual(
      ok(undefined),
    );
  });

  it('is not decided where the store cannot be asked', async () => {
    const failure: Failure = { kind: 'store-busy', file: 'yard.db', waitedMs: 1 };
    const busy = { run: async () => fail(failure) };
    expect(await byPerson({ store: busy, env: { YARD_RUN: 'r1' } }, 'approve')).toEqual(
      fail(failure),
    );
  });
});
