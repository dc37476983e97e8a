import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  amount,
  bool,
  closedUnion,
  closedWords,
  count,
  either,
  int,
  later,
  list,
  Misfit,
  map,
  names,
  type Of,
  object,
  optional,
  parseJson,
  read,
  repaired,
  type Shape,
  text,
  union,
  words,
} from './shape.ts';

const inner: Shape & { readonly type?: Tree } = later(() => Tree);
const Tree = object({ name: text, child: optional(inner) });
type Tree = Of<typeof Tree>;

const Color = repaired(words('red', 'green'), (stored) => `not a color: ${JSON.stringify(stored)}`);
const Thing = union('kind', {
  box: { size: count, color: optional(Color), tags: names },
  heap: { of: list(Tree), by: map(bool), weight: either(amount, words(null)) },
});
type Thing = Of<typeof Thing>;

const box = { kind: 'box', size: 1, tags: ['a'] };
const heap = { kind: 'heap', of: [{ name: 'x', child: { name: 'y' } }], by: {}, weight: null };

describe('A shape', () => {
  it('has a static type', () => {
    expectTypeOf<Thing>().toEqualTypeOf<
      | {
          readonly kind: 'box';
          readonly size: number;
          readonly tags: readonly string[];
          readonly color?: 'red' | 'green';
        }
      | {
          readonly kind: 'heap';
          readonly of: readonly Tree[];
          readonly by: Readonly<Record<string, boolean>>;
          readonly weight: number | null;
        }
    >();
    expectTypeOf<Tree['child']>().toEqualTypeOf<Tree | undefined>();
  });

  it.each([box, heap, { ...box, color: 'red' }])('is read as it is stored: %j', (stored) => {
    expect(read(Thing, stored)).toBe(stored);
  });

  it.each([
    { ...box, shiny: true },
    { ...box, color: 'blue' },
    { ...box, size: -1.5 },
    { kind: 'cloud', size: 'large' },
  ])('keeps what a newer version added and numbers out of range: %j', (stored) => {
    expect(read(Thing, stored)).toBe(stored);
  });

  it.each([
    ['a box', ''],
    [null, ''],
    [[box], ''],
    [{}, 'kind'],
    [{ ...box, size: '1' }, 'size'],
    [{ ...box, tags: 'a' }, 'tags'],
    [{ ...box, tags: ['a', 1] }, 'tags.1'],
    [{ ...heap, of: [{ name: 'x', child: {} }] }, 'of.0.child.name'],
    [{ ...heap, by: { me: 1 } }, 'by.me'],
    [{ ...heap, weight: 'heavy' }, 'weight'],
    [{ kind: 'toString', size: [] }, undefined],
  ])('names the place where %j does not fit', (stored, path) => {
    const found = read(Thing, stored);
    expect(found instanceof Misfit ? found.path.join('.') : undefined).toBe(path);
  });

  it('refuses further words only if they are closed', () => {
    expect(read(words('on', 'off'), 'later')).toBe('later');
    const closed = object({ how: closedWords('on', 'off') });
    expect(read(closed, { how: 'on' })).toEqual({ how: 'on' });
    expect(read(closed, { how: 'later' })).toBeInstanceOf(Misfit);
    expect(read(closedWords(true), true)).toBe(true);
    expect(read(closedWords(true), false)).toBeInstanceOf(Misfit);
  });

  it('has no further members if it is a closed union', () => {
    const state = closedUnion('id', { on: {}, off: { since: int } });
    expect(read(state, { id: 'on' })).toEqual({ id: 'on' });
    for (const id of ['toString', 'dim', true, undefined]) {
      expect(read(state, { id })).toMatchObject({ path: ['id'] });
    }
  });

  it('tells a missing field from a wrong one', () => {
    expect(read(object({ a: int }), {})).toMatchObject({ missing: true });
    expect(read(object({ a: int }), { a: null })).toMatchObject({ missing: false });
  });

  it('repairs a value in a copy', () => {
    const stored = { ...box, color: 7 };
    expect(read(Thing, stored)).toEqual({ ...box, color: 'not a color: 7' });
    expect(stored.color).toBe(7);
    expect(read(list(Color), ['red', 1])).toEqual(['red', 'not a color: 1']);
    expect(read(map(Color), { a: 1 })).toEqual({ a: 'not a color: 1' });
  });
});

describe('parseJson', () => {
  it('returns the value, or undefined for a text that is not JSON', () => {
    expect(parseJson(' [1, "a"] ')).toEqual([1, 'a']);
    expect(parseJson('null')).toBeNull();
    expect(parseJson('[1,]')).toBeUndefined();
    expect(parseJson('')).toBeUndefined();
  });

  it('does not throw on deep nesting', () => {
    expect(() => parseJson('['.repeat(200_000))).not.toThrow();
  });
});
