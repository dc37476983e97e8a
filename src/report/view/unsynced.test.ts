import { describe, expect, it } from 'vitest';
import { unsyncedText, unsyncedViews } from './unsynced.ts';

describe('states that could not be written back', () => {
  it('are named once for each cause', () => {
    const trouble = (note: string) => ({ note, times: 2, until: 9 });
    const syncTrouble = {
      a: trouble('bd is gone'),
      b: trouble('bd is gone'),
      c: trouble('locked'),
    };
    expect(unsyncedViews({ syncTrouble }).map(unsyncedText)).toEqual([
      'state of 2 tasks not written back: bd is gone',
      'state of c not written back: locked',
    ]);
    expect(unsyncedViews({})).toEqual([]);
  });
});
