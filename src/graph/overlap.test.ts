import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import type { Task } from '../model/task.ts';
import { buildGraph, type Graph } from './graph.ts';
import { artifactsOf, mentionedSymbols } from './mentions.ts';
import { foundEdges, overlapsWith } from './overlap.ts';

function graphOf(...tasks: readonly Task[]): Graph {
  const graph = need(buildGraph(tasks));
  return graph;
}

const found = (...tasks: readonly Task[]): readonly string[] =>
  foundEdges(graphOf(...tasks)).map(({ before, after, shared }) => {
    return `${before} → ${after}: ${shared.map(({ name }) => name).join(' ')}`;
  });

const naming = (id: string, body: string, more: Partial<Task> = {}): Task =>
  task(id, { body, ...more });

describe('the files that a task names', () => {
  it.each<[string, Partial<Task>, readonly string[]]>([
    [
      'in its text',
      { body: 'Write `src/db/schema.sql`, then docs/db.md.' },
      ['src/db/schema.sql', 'docs/db.md'],
    ],
    [
      'in its title and acceptance',
      { title: 'Fix ./lib/a.ts', acceptance: ['tests/a.test.ts passes'] },
      ['lib/a.ts', 'tests/a.test.ts'],
    ],
    [
      'in its paths, up to the first wildcard',
      { paths: ['src/api/**', 'a.txt', '**/*.md'] },
      ['src/api/', 'a.txt'],
    ],
    [
      'without a folder, if they have an extension that people write',
      { body: 'Change recipes.md, .env.yaml (and "menu.test.ts"); see schema.sql.' },
      ['recipes.md', '.env.yaml', 'menu.test.ts', 'schema.sql'],
    ],
    [
      'and not products, versions, domains, abbreviations, or names that every folder has',
      { body: 'e.g. node.js 1.2.3 and v2.0, docs.rs, example.com, a@b.rs, README.md, index.ts.' },
      [],
    ],
    [
      'and not addresses, fractions or words with slashes',
      { body: 'See https://x.org/a/b.html, 1/2, and/or, input/output.' },
      [],
    ],
  ])('are found %s', (_, more, names) => {
    expect(artifactsOf(task('t', { title: 'T', ...more }))).toEqual(names);
  });
});

describe('the symbols that a task names', () => {
  it.each<[string, readonly string[]]>([
    ['Call `parseConfig()` in `class Reader`.', ['parseConfig', 'Reader']],
    [
      'Use `reader.readAll(file)`, `fn walk_tree` and `MaxDepth`.',
      ['readAll', 'walk_tree', 'MaxDepth'],
    ],
    ['Common words: `main()`, `init()`, `get()`, `README.md`, `index.ts`, `toString()`.', []],
    ['Plain words: `word`, `--flag`, `src/a.ts`, parseConfig(), `a b`, `1.2.3`.', []],
  ])('are found in %j', (body, names) => {
    expect([...mentionedSymbols(task('t', { title: 'T', body })).keys()]).toEqual(names);
  });
});

describe('dependencies that no task declares', () => {
  it('make a chain of tasks that hand a file on', () => {
    expect(
      found(
        naming('a', 'Create src/model.ts.'),
        naming('b', 'Use src/model.ts in src/api.ts.'),
        naming('c', 'Show what src/api.ts answers.'),
      ),
    ).toEqual(['a → b: src/model.ts', 'b → c: src/api.ts']);
  });

  it('make a diamond of tasks that share files with two others', () => {
    expect(
      found(
        naming('a', 'Create src/l.ts and src/r.ts.'),
        naming('b', 'Use src/l.ts in src/lower.ts.'),
        naming('c', 'Use src/r.ts in src/right.ts.'),
        naming('d', 'Join src/lower.ts and src/right.ts.'),
      ),
    ).toEqual(['a → b: src/l.ts', 'a → c: src/r.ts', 'b → d: src/lower.ts', 'c → d: src/right.ts']);
  });

  it('say where each task names what they share, also a file in a folder', () => {
    const a = task('a', { paths: ['src/api/**'], body: 'See src/x.ts.' });
    const b = naming('b', 'src/api/a.ts', {
      paths: ['src/x.ts'],
      acceptance: ['src/x.ts is short'],
    });
    expect(foundEdges(graphOf(a, b))).toEqual([
      {
        before: 'a',
        after: 'b',
        strength: 'file',
        shared: [
          { name: 'src/x.ts', before: ['text'], after: ['paths', 'acceptance'] },
          { name: 'src/api/', before: ['paths'], after: ['text'] },
        ],
      },
    ]);
  });

  it('are weak if tasks share only symbols, and come after the others', () => {
    const a = naming('a', 'Write `parseConfig()`.');
    const b = naming('b', 'Call `parseConfig` from src/x.ts.');
    const c = naming('c', 'Change `parseConfig()` and src/x.ts.');
    expect(
      foundEdges(graphOf(a, b, c)).map(({ before, after, strength }) => [before, after, strength]),
    ).toEqual([
      ['b', 'c', 'file'],
      ['a', 'b', 'symbol'],
    ]);
    expect(found(a, { ...b, body: '`parseConfig`', rejected: ['a'] })).toEqual([]);
  });

  it('rest on a file without a folder, with or without backticks', () => {
    const use = naming('use', 'Read recipes.md.');
    expect(found(naming('a', 'Create `recipes.md` first.'), use)).toEqual(['a → use: recipes.md']);
    expect(found(task('a', { paths: ['recipes.md'] }), use)).toEqual(['a → use: recipes.md']);
  });

  it('do not rest on a symbol that many tasks name', () => {
    const all = Array.from({ length: 6 }, (_, at) => naming(`t${at}`, 'Call `parseConfig()`.'));
    expect(found(...all.slice(1))).toHaveLength(4);
    expect(found(...all)).toEqual([]);
  });

  it('follow the order of the graph', () => {
    const late = naming('late', 'src/x.ts', { after: ['early'] });
    expect(found(late, naming('early', 'nothing'), naming('other', 'src/x.ts'))).toEqual([
      'late → other: src/x.ts',
    ]);
  });

  it('are left out between tasks that are ordered already, also through others', () => {
    const first = naming('a', 'src/x.ts');
    const between = naming('b', '', { after: ['a'] });
    expect(found(first, between, naming('c', 'src/x.ts', { after: ['b'] }))).toEqual([]);
  });

  it('see a folder and a file in it, but not two files of one folder', () => {
    const folder = task('folder', { paths: ['src/api/**'] });
    expect(found(folder, naming('file', 'src/api/a.ts'))).toEqual(['folder → file: src/api/']);
    expect(found(naming('x', 'src/api/a.ts'), naming('y', 'src/api/b.ts'))).toEqual([]);
  });

  it('are not found again between tasks of which one was rejected, whichever comes first', () => {
    const [a, b] = [naming('a', 'src/x.ts'), naming('b', 'src/x.ts', { rejected: ['a'] })];
    const c = naming('c', 'src/x.ts');
    expect(found(a, b)).toEqual([]);
    expect(found(b, a)).toEqual([]);
    expect(found(a, b, c)).toEqual(['a → c: src/x.ts', 'b → c: src/x.ts']);
  });

  it('never close a cycle, in any graph', () => {
    const names = fc.array(
      fc.constantFrom('src/a.ts', 'src/b/', 'src/b/c.ts', '`readAll()`', '`MaxDepth`'),
    );
    const tasks = fc.array(fc.tuple(names, fc.array(fc.nat(9), { maxLength: 3 })), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(tasks, (rows) => {
        const all = rows.map(([own, parents], at) =>
          task(`t${at}`, {
            body: own.join(' '),
            after: [...new Set(parents.filter((parent) => parent < at))].map((p) => `t${p}`),
          }),
        );
        const edges = foundEdges(graphOf(...all));
        const joined = all.map((one) => ({
          ...one,
          after: [
            ...new Set([
              ...one.after,
              ...edges.filter((e) => e.after === one.id).map((e) => e.before),
            ]),
          ],
        }));
        expect(buildGraph(joined).ok).toBe(true);
        expect(foundEdges(graphOf(...joined))).toEqual([]);
      }),
    );
  });

  it('are found among 20,000 tasks in a moment', () => {
    const many = Array.from({ length: 20_000 }, (_, at) =>
      naming(
        `t${at}`,
        `Change src/part${at % 500}/file${at}.ts and src/part${at % 500}/index.ts: \`part${at}_x()\`, \`readAll()\`.`,
      ),
    );
    const spentMs = cpuClock();
    expect(foundEdges(graphOf(...many))).toHaveLength(20_000 - 500);
    expect(spentMs()).toBeLessThan(10_000);
  });
});

describe('a new task', () => {
  it('overlaps with work on the same files, unless it waits for that', () => {
    const live = naming('live', 'src/x.ts');
    const shared = [{ name: 'src/x.ts', before: ['text'], after: ['text'] }];
    expect(overlapsWith(naming('new', 'src/x.ts'), [live])).toEqual([
      { before: 'live', after: 'new', strength: 'file', shared },
    ]);
    expect(overlapsWith(naming('new', 'src/x.ts', { after: ['live'] }), [live])).toEqual([]);
  });
});
