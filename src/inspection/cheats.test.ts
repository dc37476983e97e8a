import { describe, expect, it } from 'vitest';
import type { Violation } from '../model/violation.ts';
import type { ChangedText, Rules } from './changed.ts';
import { violationsOf } from './inspect.ts';

const rules: Rules = {
  protect: ['.github/**', 'package-lock.json', '*.yaml'],
  gate: ['npm test', 'sh check.sh'],
  tests: 'guard',
};
const anyTask = { paths: ['src/**'], scope: 'predicted' } as const;

const jsTest = `import { add } from '../src/add.js';

describe('add', () => {
  it('adds two numbers', () => {
    expect(add(1, 2)).toBe(3);
    expect(add(-1, 1)).toBe(0);
  });

  it('refuses words', () => {
    expect(() => add('a', 1)).toThrow('not a number');
  });
});
`;

/** An edit of a text, which must have been one. */
function edited(text: string, from: string, to: string): string {
  const after = text.replace(from, () => to);
  if (after === text) throw new Error(`Nothing to replace: ${from}`);
  return after;
}

type Kind = Violation['kind'];
const edit = (path: string, before: string, from: string, to: string): ChangedText => ({
  path,
  before,
  after: edited(before, from, to),
});
const js = (from: string, to: string): ChangedText => edit('test/add.test.js', jsTest, from, to);

/** Description, change, and the violation that must be reported first of its kind. */
const cheats: readonly (readonly [string, readonly ChangedText[], Kind, RegExp])[] = [
  ['deletes a test', [{ path: 'test/add.test.js', before: jsTest }], 'test-deleted', /add\.test/],
  [
    'deletes a test and adds another that says less',
    [
      { path: 'test/add.test.js', before: jsTest },
      { path: 'test/sum.test.js', after: "it('is there', () => {});\n" },
    ],
    'test-deleted',
    /add\.test/,
  ],
  [
    'moves a test to where no runner looks',
    [
      { path: 'test/add.test.js', before: jsTest },
      { path: 'test/old/add.js', after: jsTest },
    ],
    'test-deleted',
    /add\.test/,
  ],
  [
    'gives a test a name that is no code',
    [
      { path: 'test/add.test.js', before: jsTest },
      { path: 'test/add.test.js.off', after: jsTest },
    ],
    'test-deleted',
    /add\.test/,
  ],
  [
    'empties a test',
    [{ path: 'test/add.test.js', before: jsTest, after: '' }],
    'test-emptied',
    /add/,
  ],
  [
    'comments all tests out',
    [{ path: 'test/add.test.js', before: jsTest, after: jsTest.replace(/^/gm, '// ') }],
    'test-emptied',
    /add/,
  ],
  [
    'comments all tests out in one block',
    [{ path: 'test/add.test.js', before: jsTest, after: `/*\n${jsTest}*/\n` }],
    'test-emptied',
    /add/,
  ],
  [
    'hides all tests in a string',
    [{ path: 'test/add.test.js', before: jsTest, after: `const old = \`${jsTest}\`;\n` }],
    'test-emptied',
    /add/,
  ],
  [
    'replaces a test by a link',
    [
      {
        path: 'test/add.test.js',
        before: jsTest,
        after: '/dev/null',
        modeBefore: '100644',
        mode: '120000',
      },
    ],
    'test-emptied',
    /add/,
  ],
  [
    'replaces a test by something that is no text',
    [{ path: 'test/add.test.js', before: jsTest, modeBefore: '100644', mode: '100644' }],
    'test-emptied',
    /add/,
  ],
  ['skips a case', [js("it('adds", "it.skip('adds")], 'test-skipped', /it\.skip/],
  [
    'skips a case over a chain',
    [js("it('adds", "it.concurrent.skip('adds")],
    'test-skipped',
    /skip/,
  ],
  ['skips a group', [js("describe('add", "describe.skip('add")], 'test-skipped', /describe\.skip/],
  ['skips on a condition', [js("it('adds", "it.skipIf(true)('adds")], 'test-skipped', /skipIf/],
  ['skips under another name', [js("it('adds", "check.skip('adds")], 'test-skipped', /check\.skip/],
  [
    'skips by an option',
    [js("two numbers', ", "two numbers', { skip: true }, ")],
    'test-skipped',
    /skip: true/,
  ],
  ['crosses a case out', [js("it('adds", "xit('adds")], 'test-skipped', /xit/],
  ['makes a case a plan', [js("it('adds", "it.todo('adds")], 'test-skipped', /todo/],
  ['expects a case to fail', [js("it('adds", "it.fails('adds")], 'test-skipped', /fails/],
  ['focuses on one case', [js("it('refuses", "it.only('refuses")], 'test-skipped', /only/],
  ['focuses the old way', [js("it('refuses", "fit('refuses")], 'test-skipped', /fit/],
  [
    'focuses in a new test',
    [{ path: 'test/new.test.js', after: "it.only('x', () => { expect(1).toBe(1); });\n" }],
    'test-skipped',
    /only/,
  ],
  [
    'leaves before the tests',
    [js("describe('add", "process.exit(0);\ndescribe('add")],
    'test-skipped',
    /exit/,
  ],
  [
    'returns before it asserts',
    [js('    expect(add(1, 2)', '    return;\n    expect(add(1, 2)')],
    'test-skipped',
    /return/,
  ],
  [
    'asserts only if false',
    [js('    expect(add(1, 2)', '    if (false) expect(add(1, 2)')],
    'test-skipped',
    /if \(false\)/,
  ],
  [
    'forgets failures',
    [
      js(
        '    expect(add(1, 2)).toBe(3);',
        '    try {\n      expect(add(1, 2)).toBe(3);\n    } catch (e) {\n    }',
      ),
    ],
    'test-skipped',
    /caught and ignored/,
  ],
  ['changes what is expected', [js('toBe(3)', 'toBe(4)')], 'test-weakened', /toBe\(3\)/],
  ['accepts anything', [js('.toBe(3)', '.toBeDefined()')], 'test-weakened', /toBe\(3\)/],
  [
    'asks less of an error',
    [js(".toThrow('not a number')", '.toThrow()')],
    'test-weakened',
    /not a number/,
  ],
  ['turns an assertion round', [js('.toBe(3)', '.not.toBe(3)')], 'test-weakened', /toBe\(3\)/],
  [
    'takes an assertion out',
    [js('    expect(add(-1, 1)).toBe(0);\n', '')],
    'test-weakened',
    /add\(-1, 1\)/,
  ],
  [
    'comments an assertion out',
    [js('    expect(add(-1', '    // expect(add(-1')],
    'test-weakened',
    /add\(-1, 1\)/,
  ],
  [
    'calls a stand-in instead',
    [js('expect(add(1, 2))', 'expect(fake(1, 2))')],
    'test-weakened',
    /add\(1, 2\)/,
  ],
  [
    'deletes a case whose assertions have a name of their own',
    [
      {
        path: 'test/add.test.js',
        before: "it('a', () => {\n  check(1);\n});\nit('b', () => {\n  check(2);\n});\n",
        after: "it('a', () => {\n  check(1);\n});\n",
      },
    ],
    'test-weakened',
    /it\('b'/,
  ],
  [
    'renames the sources and swaps true for false under its cover',
    [
      {
        path: 'src/a.js',
        before: 'export const sum = () => true;',
        after: 'export const add = () => false;',
      },
      {
        path: 'test/a.test.js',
        before: "it('x', () => { expect(sum()).toBe(true); });",
        after: "it('x', () => { expect(add()).toBe(false); });",
      },
    ],
    'test-weakened',
    /toBe\(true\)/,
  ],
  [
    'moves a test and skips it on the way',
    [
      { path: 'test/add.test.js', before: jsTest },
      { path: 'test/sum.test.js', after: edited(jsTest, "it('adds", "it.skip('adds") },
    ],
    'test-skipped',
    /it\.skip/,
  ],
  [
    'asks for anything instead of a value',
    [
      {
        path: 'test/add.test.js',
        before: "it('x', () => { expect(f()).toEqual({ a: 1, b: 2 }); });",
        after: "it('x', () => { expect(f()).toEqual({ a: expect.any(Number), b: 2 }); });",
      },
    ],
    'test-weakened',
    /a: 1/,
  ],
  [
    'gives a case another name and skips it',
    [js("it('adds two numbers'", "it.skip('adds numbers'")],
    'test-skipped',
    /it\.skip/,
  ],
];

describe('cheats', () => {
  it.each(cheats)('names whoever %s', (_what, changed, kind, words) => {
    const found = violationsOf(anyTask, changed, rules);
    const named = found.filter((violation) => violation.kind === kind);
    expect(found.map((violation) => violation.kind)).toContain(kind);
    expect(JSON.stringify(named).replace(/\\"/g, '"')).toMatch(words);
  });

  it('leaves tests alone where the rules say so', () => {
    const changed = [{ path: 'test/add.test.js', before: jsTest }];
    expect(violationsOf(anyTask, changed, { ...rules, tests: 'off' })).toEqual([]);
  });

  it('lets a task delete and reword the tests it names, and not skip them', () => {
    const task = { paths: ['test/add.test.js'], scope: 'predicted' } as const;
    const glob = { paths: ['test/**'], scope: 'predicted' } as const;
    for (const one of [task, glob]) {
      expect(violationsOf(one, [js('toBe(3)', 'toBe(4)')], rules)).toEqual([]);
      expect(violationsOf(one, [{ path: 'test/add.test.js', before: jsTest }], rules)).toEqual([]);
      expect(violationsOf(one, [js("it('adds", "it.skip('adds")], rules)).toHaveLength(1);
    }
  });
});
