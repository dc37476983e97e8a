import { describe, expect, it } from 'vitest';
import { aRun } from '../../test/report/fixtures.ts';
import { ok } from '../model/failure.ts';
import type { Store } from '../port/store.ts';
import { runNamed } from './open.ts';

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
