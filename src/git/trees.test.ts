import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ok } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { ObjectReader } from './batch.ts';
import { changes, parseTree } from './trees.ts';

type Hash = 'sha1' | 'sha256';
interface Entry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** Trees under their ids, and a reader that counts what it is asked for. */
function shelf(hash: Hash = 'sha1') {
  const trees = new Map<string, Buffer>();
  const asked: string[] = [];
  const put = (entries: readonly Entry[]): string => {
    const body = bodyOf(entries);
    const id = createHash(hash).update('tree').update(body).digest('hex');
    trees.set(id, body);
    return id;
  };
  const look = (revision: string) => {
    asked.push(revision);
    const id = revision.replace('^{tree}', '');
    const body = trees.get(id);
    return body === undefined ? undefined : { id, type: 'tree', bytes: body.length, body };
  };
  const reader: ObjectReader = {
    info: async (revision) => look(revision),
    contents: async (revision) => look(revision),
    close: async () => {},
  };
  const blob = (text: string): string => createHash(hash).update(text).digest('hex');
  /** A tree of nested folders from paths and contents. */
  const grow = (files: ReadonlyMap<string, string>): string => {
    const below = new Map<string, Map<string, string>>();
    const entries: Entry[] = [];
    for (const [path, text] of files) {
      const cut = path.indexOf('/');
      if (cut === -1) entries.push({ mode: '100644', name: path, id: blob(text) });
      else {
        const folder = below.get(path.slice(0, cut)) ?? new Map<string, string>();
        below.set(path.slice(0, cut), folder.set(path.slice(cut + 1), text));
      }
    }
    for (const [name, inside] of below) entries.push({ mode: '40000', name, id: grow(inside) });
    return put(entries.sort((a, b) => (a.name < b.name ? -1 : 1)));
  };
  return { put, grow, blob, reader, asked };
}

function bodyOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]),
  );
}

const ids: Record<Hash, string> = { sha1: 'ab'.repeat(20), sha256: 'cd'.repeat(32) };

describe('a tree', () => {
  it.each(['sha1', 'sha256'] as const)(
    'is read with ids of %s, whatever bytes are in them',
    (kind) => {
      const [id, blank] = [ids[kind], '00'.repeat(ids[kind].length / 2)];
      const body = bodyOf([
        { mode: '100644', name: 'a b', id: blank },
        { mode: '40000', name: 'c', id: '20'.repeat(id.length / 2) },
        { mode: '120000', name: 'd', id },
      ]);
      expect([...(parseTree({ id, body }) ?? [])]).toEqual([
        ['a b', { mode: '100644', id: blank }],
        ['c', { mode: '40000', id: '20'.repeat(id.length / 2) }],
        ['d', { mode: '120000', id }],
      ]);
    },
  );

  it.each([
    ['100644', '100644'],
    ['100664', '100644'],
    ['100600', '100644'],
    ['100755', '100755'],
    ['100775', '100755'],
    ['120000', '120000'],
    ['160000', '160000'],
    ['040000', '40000'],
  ])('has a mode %s that is understood as git understands it: %s', (mode, meant) => {
    const id = ids.sha1;
    expect(parseTree({ id, body: bodyOf([{ mode, name: 'x', id }]) })?.get('x')?.mode).toBe(meant);
  });

  it('can be empty', () => {
    expect(parseTree({ id: ids.sha1, body: Buffer.alloc(0) })).toEqual(new Map());
  });

  it('is rejected if it is malformed', () => {
    const id = ids.sha1;
    const entry = { mode: '100644', name: 'x', id };
    const whole = bodyOf([entry]);
    for (const body of [
      whole.subarray(0, -1),
      whole.subarray(0, 9),
      Buffer.from('100644'),
      bodyOf([entry, { ...entry, id: '00'.repeat(20) }]),
      bodyOf([{ ...entry, name: 'a/b' }]),
      bodyOf([{ ...entry, name: '' }]),
    ]) {
      expect(parseTree({ id, body })).toBeUndefined();
    }
  });
});

const path = fc
  .array(fc.constantFrom('a', 'b', 'c', 'a.b', 'a-b'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));

/** Files none of which is the folder of another. */
const files = fc.dictionary(path, fc.constantFrom('1', '2', '3'), { maxKeys: 12 }).map((found) => {
  const paths = Object.keys(found);
  const fits = paths.filter((each) => !paths.some((other) => other.startsWith(`${each}/`)));
  return new Map(fits.map((each) => [each, found[each] ?? '']));
});

describe('changes', () => {
  it('are those of a comparison of all files, in the order of names, for any two trees', async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        files,
        fc.constantFrom<Hash>('sha1', 'sha256'),
        async (a, b, hash) => {
          const { grow, blob, reader } = shelf(hash);
          const found = await outcomeOf(changes(reader, grow(a), grow(b)));
          const all = [...new Set([...a.keys(), ...b.keys()])].sort();
          const side = (text: string | undefined) =>
            text === undefined ? undefined : { id: blob(text), mode: '100644' };
          const wanted = all
            .filter((each) => a.get(each) !== b.get(each))
            .map((each) => ({ path: each, before: side(a.get(each)), after: side(b.get(each)) }));
          expect(found.ok && found.value).toEqual(wanted);
        },
      ),
    );
  });

  it('are searched only in folders that differ', async () => {
    const { grow, reader, asked } = shelf();
    const many = new Map<string, string>();
    for (let i = 0; i < 1_000; i += 1) many.set(`d${i % 10}/e${i % 100}/f${i}`, '1');
    const from = grow(many);
    const to = grow(new Map(many).set('d3/e33/f333', '2').set('d4/new', 'n'));
    asked.length = 0;
    const found = await outcomeOf(changes(reader, from, to));
    expect(found.ok && found.value.map((change) => change.path)).toEqual(['d3/e33/f333', 'd4/new']);
    // Both sides of: the names, the root, d3, d3/e33 and d4.
    expect(asked).toHaveLength(10);
  });

  it('read no tree if both commits have the same tree', async () => {
    const { grow, reader, asked } = shelf();
    const tree = grow(new Map([['a/b', '1']]));
    expect(await outcomeOf(changes(reader, tree, tree))).toEqual(ok([]));
    expect(asked).toEqual([`${tree}^{tree}`, `${tree}^{tree}`]);
  });

  it('keep names apart that decode to the same text', async () => {
    const { put, reader } = shelf();
    const entry = (name: string, digit: string) => ({ mode: '100644', name, id: digit.repeat(40) });
    const from = put([entry('x\xfe', '1'), entry('x\xff', '1')]);
    const found = await outcomeOf(
      changes(reader, from, put([entry('x\xfe', '1'), entry('x\xff', '2')])),
    );
    expect(found.ok && found.value).toEqual([
      {
        path: 'x\uFFFD',
        before: { id: '1'.repeat(40), mode: '100644' },
        after: { id: '2'.repeat(40), mode: '100644' },
      },
    ]);
  });

  it('fail if a tree is missing or malformed', async () => {
    const { put, reader } = shelf();
    const empty = put([]);
    const entry = { mode: '100644', name: 'x', id: ids.sha1 };
    for (const tree of [put([{ ...entry, mode: '40000' }]), put([entry, entry]), ids.sha1]) {
      const found = await outcomeOf(changes(reader, empty, tree));
      expect(found.ok ? found.value : found.failure.kind).toBe('git-failed');
    }
  });

  it('fail if a few trees expand to too many paths', async () => {
    const { put, reader, asked } = shelf();
    let tree = put([{ mode: '100644', name: 'x', id: ids.sha1 }]);
    for (let level = 0; level < 12; level += 1) {
      const name = (n: number): string => String.fromCharCode(97 + n);
      const inside = Array.from({ length: 20 }, (_, n) => ({
        mode: '40000',
        name: name(n),
        id: tree,
      }));
      tree = put(inside);
    }
    const found = await outcomeOf(changes(reader, put([]), tree));
    expect(found.ok ? 'listed' : found.failure).toMatchObject({ kind: 'git-failed' });
    expect(asked.length).toBeLessThan(limits.changedPaths);
    // Some seconds of work for the processor, which takes long on a busy machine.
  }, 120_000);
});
