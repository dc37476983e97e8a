import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldUpBy } from './held-up.ts';

const below = (edges: Readonly<Record<string, readonly string[]>>) => (id: string) =>
  edges[id] ?? [];
const among =
  (...ids: readonly string[]) =>
  (id: string) =>
    ids.includes(id);

describe('barredBy', () => {
  it('names nothing while nothing is stuck', () => {
    expect(heldUpBy(['a', 'b'], below({ a: ['b'] }), among()).size).toBe(0);
  });

  it('reaches through tasks that only wait themselves', () => {
    const heldUp = heldUpBy(['a', 'b', 'c'], below({ a: ['b'], b: ['c'] }), among('a'));
    expect([...heldUp]).toEqual([
      ['b', 'a'],
      ['c', 'a'],
    ]);
  });

  it('names the nearest of several stuck tasks', () => {
    const edges = below({ far: ['mid'], mid: ['end'], near: ['end'] });
    expect(heldUpBy(['far', 'mid', 'near', 'end'], edges, among('far', 'near')).get('end')).toBe(
      'near',
    );
  });

  it('names the first of two that are equally near', () => {
    const edges = below({ a: ['c'], b: ['c'] });
    expect(heldUpBy(['b', 'a', 'c'], edges, among('a', 'b')).get('c')).toBe('b');
  });

  it('does not list a stuck task, and lets it stand for those behind it', () => {
    const edges = below({ a: ['b'], b: ['c'] });
    const heldUp = heldUpBy(['a', 'b', 'c'], edges, among('a', 'b'));
    expect([...heldUp]).toEqual([['c', 'b']]);
  });

  it('lists exactly the tasks from which a stuck one can be reached', () => {
    const shapes = fc.record({
      after: fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 12 }),
      stuck: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(shapes, ({ after, stuck }) => {
        const parents = after.map((to, at) => (at === 0 ? [] : to.map((n) => n % at)));
        const isStuck = (n: number): boolean => stuck.includes(n);
        const behind = (n: number): boolean =>
          (parents[n] ?? []).some((parent) => isStuck(parent) || behind(parent));
        const ids = parents.map((_, at) => `${at}`);
        const children = (id: string): string[] =>
          ids.filter((_, at) => parents[at]?.includes(Number(id)));
        const heldUp = heldUpBy(ids, children, (id) => isStuck(Number(id)));
        for (const [at, id] of ids.entries()) {
          expect(heldUp.has(id)).toBe(behind(at) && !isStuck(at));
          if (heldUp.has(id)) expect(isStuck(Number(heldUp.get(id)))).toBe(true);
        }
      }),
    );
  });

  it('goes through a chain of 10,000', () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `${at}`);
    const next = (id: string): string[] => (id === '9999' ? [] : [`${Number(id) + 1}`]);
    const heldUp = heldUpBy(ids, next, (id) => id === '0');
    expect(heldUp.size).toBe(9_999);
    expect(heldUp.get('9999')).toBe('0');
  });
});
