import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import type { ChangedText, Rules } from './changed.ts';
import { codeOf, type Language } from './code.ts';
import { violationsOf } from './inspect.ts';
import { hasTestName, isTestPath } from './read-test.ts';

const rules: Rules = { protect: [], gate: [], tests: 'guard' };
const anyTask = { paths: [], scope: 'predicted' } as const;
const touched = (...paths: readonly string[]): readonly ChangedText[] =>
  paths.map((path) => ({ path, before: 'a', after: 'b' }));

describe('paths', () => {
  it('names the first pattern that protects a path', () => {
    const protect = ['docs/**', '**/*.lock', '.github/'];
    const changed = touched('a/yarn.lock', '.github/workflows/x.yml', 'docs/.hidden/y', 'src/a.ts');
    expect(violationsOf(anyTask, changed, { ...rules, protect })).toEqual([
      { kind: 'protected-path', file: '.github/workflows/x.yml', pattern: '.github/' },
      { kind: 'protected-path', file: 'a/yarn.lock', pattern: '**/*.lock' },
      { kind: 'protected-path', file: 'docs/.hidden/y', pattern: 'docs/**' },
    ]);
  });

  it('holds a strict task to its paths, and no other', () => {
    const changed = touched('src/a.ts', 'src/.b.ts', 'README.md');
    const paths = ['src/**'];
    expect(violationsOf({ paths, scope: 'predicted' }, changed, rules)).toEqual([]);
    expect(violationsOf({ paths, scope: 'strict' }, changed, rules)).toEqual([
      { kind: 'out-of-scope', file: 'README.md', allowed: paths },
    ]);
    expect(violationsOf({ paths: [''], scope: 'strict' }, changed, rules)).toHaveLength(3);
  });

  it.each([
    ['src/a.test.ts', true],
    ['src/a.spec.jsx', true],
    ['pkg/a_test.go', true],
    ['tests/test_a.py', true],
    ['app/CartTest.java', true],
    ['app/CartTests.cs', true],
    ['test/rig.ts', true],
    ['spec/models/a_spec.rb', true],
    ['test/a.bats', true],
    ['src/latest.ts', false],
    ['src/contest.py', false],
    ['src/test-data/a.ts', false],
    ['test/fixtures/a.test.ts', false],
    ['test/a.json', false],
    ['docs/test.md', false],
    ['src/Greatest.java', false],
  ])('%s is a test: %s', (path, expected) => {
    expect(isTestPath(path)).toBe(expected);
  });

  it('tells names that runners look for from folders that they look in', () => {
    expect([hasTestName('test/rig.ts'), hasTestName('test/rig.test.ts')]).toEqual([false, true]);
  });
});

describe('codeOf', () => {
  it.each<[Language, string, string, string]>([
    ['js', "a('//') // b", "a('//')     ", "a('  ')     "],
    ['js', '`a ${b} \\` // c` /* d */', '`a ${b} \\` // c`        ', '`              `        '],
    ['js', 'x = /["\'`]/; // y', 'x = /["\'`]/;     ', 'x = /     /;     '],
    ['js', 'a / b / c // d', 'a / b / c     ', 'a / b / c     '],
    ['python', '"""a\nb""" # c', '"""a\nb"""    ', '"   \n   "    '],
    [
      'rust',
      "fn a<'a>(b: char) { '\"' } // c",
      "fn a<'a>(b: char) { '\"' }     ",
      "fn a<'a>(b: char) { ' ' }     ",
    ],
    ['shell', 'echo $# "${a#b}" # c', 'echo $# "${a#b}"    ', 'echo $# "      "    '],
    ['php', '#[Test] # a', '#[Test]    ', '#[Test]    '],
  ])('reads %s: %s', (language, text, bare, code) => {
    expect(codeOf(language, text)).toMatchObject({ bare, code });
  });
});

describe('violationsOf', () => {
  const words = fc.constantFrom(
    ...'it( test( describe( .skip( .only( expect( ) ( { } ; \' " ` / // /* */ # """ assert def return if try catch => \n \t \\ [ ] @Test #[test] a b 0 1 , exit 0 || true'.split(
      ' ',
    ),
    '\n',
    ' ',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words, { maxLength: 60 }).map((all) => all.join('')),
  );
  const path = fc.constantFrom(
    'package.json',
    'check.sh',
    'Makefile',
    '.npmrc',
    'src/lib.rs',
    'a.test.ts',
    'test_a.py',
    'a_test.go',
    'ATest.java',
    'a_spec.rb',
    'ATests.cs',
    'ATest.php',
    'test/a.sh',
    'tests/a.c',
    'src/a.ts',
    'x',
  );
  const mode = fc.constantFrom('100644', '100755', '120000', '160000');
  const changes = fc.uniqueArray(
    fc.record(
      { path, before: text, after: text, mode, modeBefore: mode },
      { requiredKeys: ['path'] },
    ),
    { selector: (file) => file.path, maxLength: 6 },
  ) as fc.Arbitrary<ChangedText[]>;
  const strict: Rules = {
    protect: ['*.lock', '[', '!(', ''],
    gate: ['npm test', './check.sh', 'make all', "sh -c 'unclosed"],
    tests: 'guard',
    maxFiles: 2,
    maxLines: 5,
  };

  it('has an answer to any text, always the same one, in whatever order the files come', () => {
    fc.assert(
      fc.property(changes, (changed) => {
        const task = { paths: ['src/**', '{'], scope: 'strict' } as const;
        const found = violationsOf(task, changed, strict);
        expect(violationsOf(task, [...changed].reverse(), strict)).toEqual(found);
      }),
      { numRuns: 300 },
    );
  });

  it('finds nothing in a change of nothing', () => {
    fc.assert(
      fc.property(path, text, (one, same) => {
        const changed = [{ path: one, before: same, after: same }];
        const found = violationsOf(anyTask, changed, { ...rules, maxLines: 0 });
        expect(found).toEqual([]);
      }),
    );
  });

  it('reads long texts without end in no time', () => {
    const nasty = [
      '(',
      '"',
      "'",
      '`',
      '/*',
      '"""',
      'assert "',
      'expect(',
      ',',
      '\\',
      'if (',
      '{',
      ' ',
    ];
    for (const one of nasty) {
      const after = one.repeat(5_000);
      const changed = [
        'a.test.ts',
        'test_a.py',
        'a_test.go',
        'test/a.sh',
        'a_spec.rb',
        'package.json',
      ];
      const started = process.cpuUsage();
      violationsOf(
        anyTask,
        changed.map((file) => ({ path: file, before: after, after: `${after}x` })),
        strict,
      );
      expect({ one, slow: process.cpuUsage(started).user > 4_000_000 }).toEqual({
        one,
        slow: false,
      });
    }
  });

  it('tells no more violations of one kind than people read', () => {
    const changed = touched(...Array.from({ length: 500 }, (_, at) => `x/${at}`));
    const found = violationsOf({ paths: ['y'], scope: 'strict' }, changed, {
      ...rules,
      protect: ['x/**'],
    });
    expect(found).toHaveLength(limits.violationsPerKind * 2);
  });

  it('says of a test that is too large to be compared that nobody looked', () => {
    const changed = [{ path: 'a.test.ts', after: 'it()', modeBefore: '100644', mode: '100644' }];
    expect(violationsOf(anyTask, changed, rules)).toMatchObject([{ kind: 'test-weakened' }]);
    const gone = [{ path: 'a.test.ts', modeBefore: '100644' }];
    expect(violationsOf(anyTask, gone, rules)).toEqual([
      { kind: 'test-deleted', file: 'a.test.ts' },
    ]);
  });
});
