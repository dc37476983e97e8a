import { describe, expect, it } from 'vitest';
import type { ChangedText, Rules } from './changed.ts';
import { violationsOf } from './inspect.ts';

const rules: Rules = {
  protect: ['.github/**'],
  gate: ['npm ci', 'npm test', 'sh check.sh'],
  tests: 'guard',
  maxFiles: 50,
  maxLines: 2_000,
};
const anyTask = { paths: [], scope: 'predicted' } as const;
const targetTexts = new Map([
  ['package.json', JSON.stringify({ scripts: { test: 'node --test', build: 'node build.js' } })],
  ['check.sh', 'set -e\nnode src/main.js > out\ngrep -q hello out\n'],
]);

const test = `import { total } from '../src/cart.js';

describe('total', () => {
  it('adds up', () => {
    expect(total([{ price: 2, count: 3 }])).toBe(6);
    expect(total([])).toBe(0);
  });

  it('refuses nonsense', () => {
    expect(() => total(undefined)).toThrow('no cart');
  });
});
`;
const reformatted = `import { total } from "../src/cart.js"

describe("total", () => {
    // Two of three.
    it("adds up", () => {
        expect(
            total([
                { price: 2, count: 3 },
            ]),
        ).toBe(6)
        expect(total([])).toBe(0) // nothing costs nothing
    })

    it("refuses nonsense", () => {
        expect(() => total(undefined))
            .toThrow("no cart")
    })
})
`;
const extended = test.replace(
  '    expect(total([])).toBe(0);\n',
  '    expect(total([])).toBe(0);\n    expect(total([{ price: 1, count: 1 }])).toBe(1);\n',
);
const repeated = `it('a', () => {
  const answer = get('/a');
  expect(answer.status).toBe(200);
  expect(answer.type).toBe('json');
});
it('b', () => {
  const answer = get('/b');
  expect(answer.status).toBe(200);
  expect(answer.type).toBe('json');
});
`;
const helped = `function isFine(answer) {
  expect(answer.status).toBe(200);
  expect(answer.type).toBe('json');
}
it('a', () => {
  isFine(get('/a'));
});
it('b', () => {
  isFine(get('/b'));
});
`;
const called = helped.slice(helped.indexOf("it('a'"));
const honest: readonly (readonly [string, readonly ChangedText[]])[] = [
  ['writes a source', [{ path: 'src/cart.js', before: 'a\n', after: 'b\n' }]],
  [
    'refactors a source that looks like tests',
    [
      {
        path: 'src/expect.js',
        before: 'assert(a);\nlist.skip(2);\n',
        after: 'list.skip(3);\nprocess.exit(0);\n',
      },
    ],
  ],
  ['deletes a source', [{ path: 'src/old.js', before: 'export const a = 1;\n' }]],
  ['adds a test', [{ path: 'test/cart.test.js', after: test }]],
  [
    'adds a test that cannot be run yet',
    [{ path: 'test/later.test.js', after: "it.skip('later', () => {});\n" }],
  ],
  ['extends a test', [{ path: 'test/cart.test.js', before: test, after: extended }]],
  [
    'adds a case',
    [
      {
        path: 'test/cart.test.js',
        before: test,
        after: `${test}it('is a cart', () => {\n  expect(cart).toBeDefined();\n});\n`,
      },
    ],
  ],
  ['reformats a test', [{ path: 'test/cart.test.js', before: test, after: reformatted }]],
  ['formats a test back', [{ path: 'test/cart.test.js', before: reformatted, after: test }]],
  [
    'comments on a test',
    [{ path: 'test/cart.test.js', before: test, after: `// it.only('x') would be bad\n${test}` }],
  ],
  [
    'words a case better',
    [
      {
        path: 'test/cart.test.js',
        before: test,
        after: test.replace("'adds up'", "'adds up all items'"),
      },
    ],
  ],
  [
    'changes what a test imports',
    [
      {
        path: 'test/cart.test.js',
        before: test,
        after: test.replace('../src/cart.js', '../src/cart/index.js'),
      },
    ],
  ],
  [
    'renames a test',
    [
      { path: 'test/cart.test.js', before: test },
      { path: 'test/basket.test.js', after: test },
    ],
  ],
  [
    'moves a test to another folder, with its imports',
    [
      { path: 'test/cart.test.js', before: test },
      { path: 'src/cart.spec.js', after: test.replace('../src/cart.js', './cart.js') },
    ],
  ],
  [
    'moves a test that had a skipped case all along',
    [
      { path: 'test/cart.test.js', before: `${test}it.skip('slow', () => {\n  run();\n});\n` },
      { path: 'test/basket.test.js', after: `${test}it.skip('slow', () => {\n  run();\n});\n` },
    ],
  ],
  [
    'splits a test into two',
    [
      { path: 'test/cart.test.js', before: test },
      {
        path: 'test/adds.test.js',
        after: test.replace(/ {2}it\('refuses[\s\S]*?\n {2}\}\);\n/, ''),
      },
      {
        path: 'test/refuses.test.js',
        after: test.replace(/ {2}it\('adds[\s\S]*?\n {2}\}\);\n/, ''),
      },
    ],
  ],
  [
    'joins two tests in one',
    [
      { path: 'test/a.test.js', before: test, after: `${test}${repeated}` },
      { path: 'test/b.test.js', before: repeated },
    ],
  ],
  [
    'moves a case within its file',
    [{ path: 'test/a.test.js', before: repeated + test, after: test + repeated }],
  ],
  [
    'renames a function and its callers',
    [
      {
        path: 'src/cart.js',
        before: 'export function total(cart) {}\n',
        after: 'export function sum(cart) {}\n',
      },
      { path: 'test/cart.test.js', before: test, after: test.replaceAll('total', 'sum') },
    ],
  ],
  [
    'takes assertions out into a function',
    [{ path: 'test/a.test.js', before: repeated, after: helped }],
  ],
  [
    'takes assertions out into a file of tests',
    [
      {
        path: 'test/a.test.js',
        before: repeated,
        after: `import { isFine } from './fine.js';\n${called}`,
      },
      { path: 'test/fine.js', after: `export ${helped.slice(0, helped.indexOf("it('a'"))}` },
    ],
  ],
  [
    'takes assertions out into a file beside the sources',
    [
      {
        path: 'test/a.test.js',
        before: repeated,
        after: `import { isFine } from '../src/testing.js';\n${called}`,
      },
      { path: 'src/testing.js', after: `export ${helped.slice(0, helped.indexOf("it('a'"))}` },
    ],
  ],
  [
    'deletes what tests shared and nobody needs',
    [{ path: 'test/rig.js', before: 'export const rig = () => 1;\n' }],
  ],
  [
    'changes material of tests',
    [{ path: 'test/fixtures/bad.test.js', before: test, after: "it.only('x', () => {});\n" }],
  ],
  ['deletes data of tests', [{ path: 'test/data.json', before: '{}' }]],
  [
    'clears up after a test',
    [
      {
        path: 'test/cart.test.js',
        before: test,
        after: `${test}afterAll(async () => {\n  try {\n    await rm(dir);\n  } catch (e) {}\n});\n`,
      },
    ],
  ],
  [
    'returns early from what a test shares',
    [
      {
        path: 'test/cart.test.js',
        before: test,
        after: `${test}function stop(a) {\n  if (!a) return;\n  if (a === 0 && b) {\n    return;\n  }\n  end(a);\n}\n`,
      },
    ],
  ],
  [
    'asks for one more field',
    [
      {
        path: 'test/a.test.js',
        before: "it('x', () => { expect(f()).toEqual([{ a: 1 }]); });",
        after: "it('x', () => { expect(f()).toEqual([{ a: 1, b: 2 }, { a: 3 }]); });",
      },
    ],
  ],
  [
    'writes a snapshot again',
    [
      {
        path: 'test/a.test.js',
        before: "it('x', () => { expect(f()).toMatchInlineSnapshot(`a`); });",
        after: "it('x', () => { expect(f()).toMatchInlineSnapshot(`b`); });",
      },
    ],
  ],
  [
    'adds a case whose time has not come',
    [
      {
        path: 'test/a.test.js',
        before: repeated,
        after: `${repeated}it.skipIf(slow)('c', () => {\n  run();\n});\n`,
      },
    ],
  ],
];

describe('honest changes', () => {
  it.each(honest)('finds nothing against whoever %s', (_what, changed) => {
    expect(violationsOf(anyTask, changed, rules, { targetTexts })).toEqual([]);
  });

  it('finds nothing against all of them at once that touch files of their own', () => {
    const seen = new Set<string>();
    const changed = honest
      .filter(([, files]) => files.every(({ path }) => !seen.has(path) && seen.add(path)))
      .flatMap(([, files]) => files);
    expect(changed.length).toBeGreaterThan(8);
    expect(violationsOf(anyTask, changed, rules, { targetTexts })).toEqual([]);
  });
});
