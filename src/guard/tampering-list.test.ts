import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import type { Listing, Snapshot } from '../port/guard.ts';
import { isWatched, tamperings } from './tampering-list.ts';

const empty: Listing = { marks: {} };
const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
  hooks: empty,
  checkoutHooks: empty,
  settings: empty,
  refs: empty,
  checkout: { dir: '/repo', head: 'ref: refs/heads/main', files: empty },
  home: { gate: empty, access: empty, session: empty },
  ...more,
});
const refs = (marks: Readonly<Record<string, string>>): Snapshot => snapshot({ refs: { marks } });

describe('tampering between two snapshots', () => {
  it('contain the old and new commit of a moved ref', () => {
    const before = refs({ 'refs/heads/a': '1', 'refs/heads/b': '1', 'refs/heads/c': '1' });
    const after = refs({ 'refs/heads/a': '2', 'refs/heads/b': '1', 'refs/tags/t': '3' });
    expect(tamperings(before, after, [])).toEqual([
      { kind: 'ref-moved', ref: 'refs/heads/a', from: '1', to: '2' },
      { kind: 'ref-moved', ref: 'refs/heads/c', from: '1' },
      { kind: 'ref-moved', ref: 'refs/tags/t', to: '3' },
    ]);
  });

  it('leave out own and expected refs, but none that only begins like them', () => {
    const before = refs({});
    const after = refs({ 'refs/heads/main': '1', 'refs/heads/main2': '1', 'refs/heads/me/x': '1' });
    expect(tamperings(before, after, ['refs/heads/me/'], ['refs/heads/main'])).toEqual([
      { kind: 'ref-moved', ref: 'refs/heads/main2', to: '1' },
    ]);
  });

  it('are none if one of the lists could not be read', () => {
    const { refs: _, ...blind } = snapshot();
    const there = refs({ 'refs/heads/a': '1' });
    expect(tamperings(blind, there, [])).toEqual([]);
    expect(tamperings(there, blind, [])).toEqual([]);
    const dark = snapshot({ checkout: { dir: '/repo', head: 'ref: refs/heads/main' } });
    const files = { marks: { a: '1' } };
    const light = snapshot({ checkout: { ...dark.checkout, files } });
    expect(tamperings(dark, light, [])).toEqual([]);
  });

  it('are none for a file that cannot be read, and one when that was different before', () => {
    const unknown = snapshot({ settings: { marks: { config: 'unknown' } } });
    const known = snapshot({ settings: { marks: { config: '1' } } });
    expect(tamperings(unknown, unknown, [])).toEqual([]);
    expect(tamperings(known, unknown, [])).toEqual([{ kind: 'git-settings', file: 'config' }]);
  });

  it('cover only names within both lists', () => {
    const before = snapshot({ hooks: { marks: { b: '1', c: '1' }, upTo: 'c' } });
    const after = snapshot({ hooks: { marks: { a: '1', b: '1' }, upTo: 'b' } });
    expect(tamperings(before, after, [])).toEqual([{ kind: 'git-hook', name: 'a' }]);
  });

  it('name a bounded number of each kind', () => {
    const many = (prefix: string) => {
      const names = Array.from({ length: 500 }, (_, index) => [`${prefix}${index}`, '1']);
      return { marks: Object.fromEntries(names) as Record<string, string> };
    };
    const files = many('f');
    const after = snapshot({
      hooks: many('h'),
      settings: many('s'),
      refs: many('refs/heads/'),
      checkout: { dir: '/repo', head: 'other', files },
    });
    const found = tamperings(snapshot(), after, []);
    expect(found.length).toBe(limits.tamperingsNamed * 3 + 1);
    const last = found.at(-1);
    expect(last?.kind === 'checkout-changed' && last.files.length).toBe(limits.tamperingsNamed);
    expect(last?.kind === 'checkout-changed' && last.files[0]).toBe('HEAD');
  });

  it('cover names that every object has, such as toString', () => {
    const marks = Object.fromEntries([
      ['__proto__', '1'],
      ['constructor', '1'],
    ]);
    const after = snapshot({ hooks: { marks } });
    expect(tamperings(snapshot(), after, []).length).toBe(2);
    expect(tamperings(after, after, [])).toEqual([]);
  });

  it('are exactly the fingerprints that differ, and none between a snapshot and itself', () => {
    const marks = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));
    fc.assert(
      fc.property(marks, marks, (some, others) => {
        const before = snapshot({ hooks: { marks: some } });
        const after = snapshot({ hooks: { marks: others } });
        const differ = ['a', 'b', 'c', 'd'].filter((name) => some[name] !== others[name]);
        const names = tamperings(before, after, []).map((one) => 'name' in one && one.name);
        expect(names).toEqual(differ);
        expect(tamperings(after, after, [])).toEqual([]);
      }),
    );
  });
});

describe('a ref', () => {
  it('is watched unless it changes by itself', () => {
    const watched = ['refs/heads/main', 'refs/heads/yard/r/a-1', 'refs/tags/v1', 'refs/notes/x'];
    expect(watched.every(isWatched)).toBe(true);
    expect(['refs/heads/stash', 'refs/replace/1', 'refs/yardarm'].every(isWatched)).toBe(true);
    const others = ['refs/yard/keep/r/a-1', 'refs/remotes/origin/main', 'refs/stash'];
    expect(others.some(isWatched)).toBe(false);
  });
});
