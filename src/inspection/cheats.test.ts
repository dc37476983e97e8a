import { describe, expect, it } from 'vitest';
import type { Breach } from '../model/breach.ts';
import { breachesOf } from './breaches.ts';
import type { ChangedText, Rules } from './changed.ts';

const rules: Rules = {
  protect: ['.github/**', 'package-lock.json', '*.yaml'],
  gate: ['npm test', 'sh check.sh'],
  tests: 'guard',
};
const anyTask = { paths: ['src/**'], scope: 'predicted' } as const;
const scripts = (all: Record<string, string>): string =>
  JSON.stringify({ name: 'x', scripts: all });

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
const pyTest = `import pytest
from shop import total


def test_total():
    assert total([1, 2]) == 3


def test_refuses():
    with pytest.raises(ValueError):
        total(None)
`;
const goTest = `package shop

import "testing"

func TestTotal(t *testing.T) {
	got := Total(1, 2)
	if got != 3 {
		t.Errorf("got %d", got)
	}
}
`;
const shTest = `#!/bin/sh
set -e
./build.sh
grep -q hello out.txt
test "$(cat count)" = 3
`;

/** An edit of a text, which must have been one. */
function edited(text: string, from: string, to: string): string {
  const after = text.replace(from, () => to);
  if (after === text) throw new Error(`Nothing to replace: ${from}`);
  return after;
}

type Kind = Breach['kind'];
const edit = (path: string, before: string, from: string, to: string): ChangedText => ({
  path,
  before,
  after: edited(before, from, to),
});
const js = (from: string, to: string): ChangedText => edit('test/add.test.js', jsTest, from, to);
const py = (from: string, to: string): ChangedText => edit('tests/test_shop.py', pyTest, from, to);
const go = (from: string, to: string): ChangedText => edit('shop/total_test.go', goTest, from, to);
const sh = (from: string, to: string): ChangedText => edit('test/smoke.sh', shTest, from, to);

/** What was tried, the change, and the breach that must be told first of its kind. */
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
    /caught and forgotten/,
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
    'skips in Python',
    [py('def test_total', '@pytest.mark.skip(reason="later")\ndef test_total')],
    'test-skipped',
    /mark\.skip/,
  ],
  [
    'expects a failure in Python',
    [py('def test_total', '@pytest.mark.xfail\ndef test_total')],
    'test-skipped',
    /xfail/,
  ],
  [
    'skips a module in Python',
    [py('from shop', 'pytestmark = pytest.mark.skip\nfrom shop')],
    'test-skipped',
    /pytestmark/,
  ],
  [
    'leaves Python early',
    [py('    assert total', '    pytest.skip("later")\n    assert total')],
    'test-skipped',
    /pytest\.skip/,
  ],
  [
    'asserts in dead Python',
    [py('    assert total', '    if False:\n        assert total')],
    'test-skipped',
    /if False/,
  ],
  [
    'passes over errors in Python',
    [
      py(
        '    assert total([1, 2]) == 3',
        '    try:\n        assert total([1, 2]) == 3\n    except AssertionError:\n        pass',
      ),
    ],
    'test-skipped',
    /forgotten/,
  ],
  ['weakens Python', [py('== 3', '>= 0')], 'test-weakened', /== 3/],
  [
    'hides tests in a docstring',
    [{ path: 'tests/test_shop.py', before: pyTest, after: `"""\n${pyTest}\n"""\n` }],
    'test-emptied',
    /shop/,
  ],
  [
    'renames a Python test away',
    [py('def test_total', 'def total_test_off')],
    'test-weakened',
    /test_total/,
  ],
  ['skips in Go', [go('	got :=', '	t.Skip("later")\n	got :=')], 'test-skipped', /Skip/],
  [
    'takes a file out of the Go build',
    [go('package shop', '//go:build ignore\n\npackage shop')],
    'test-skipped',
    /go:build/,
  ],
  [
    'weakens a condition in Go',
    [go('got != 3', 'got != 3 && got != 0')],
    'test-weakened',
    /got != 3/,
  ],
  [
    'takes the failure out in Go',
    [go('t.Errorf("got %d", got)', 't.Logf("got %d", got)')],
    'test-weakened',
    /got != 3/,
  ],
  [
    'ignores in Rust, beside the source',
    [
      edit(
        'src/lib.rs',
        '#[cfg(test)]\nmod tests {\n  #[test]\n  fn adds() {\n    assert_eq!(add(1), 2);\n  }\n}\n',
        '  fn adds',
        '  #[ignore]\n  fn adds',
      ),
    ],
    'test-skipped',
    /ignore/,
  ],
  [
    'weakens Rust, beside the source',
    [
      edit(
        'src/lib.rs',
        '#[cfg(test)]\nmod tests {\n  #[test]\n  fn adds() {\n    assert_eq!(add(1), 2);\n  }\n}\n',
        'assert_eq!(add(1), 2)',
        'assert!(true)',
      ),
    ],
    'test-weakened',
    /assert_eq/,
  ],
  [
    'takes the tests out of a Rust source',
    [
      edit(
        'src/lib.rs',
        'fn add() {}\n#[cfg(test)]\nmod tests {\n  #[test]\n  fn adds() {\n    assert_eq!(add(1), 2);\n  }\n}\n',
        '#[cfg(test)]\nmod tests {\n  #[test]\n  fn adds() {\n    assert_eq!(add(1), 2);\n  }\n}\n',
        '',
      ),
    ],
    'test-emptied',
    /lib/,
  ],
  [
    'disables in Java',
    [
      edit(
        'src/test/java/CartTest.java',
        'class CartTest {\n  @Test\n  void adds() {\n    assertEquals(3, cart.total());\n  }\n}\n',
        '  @Test',
        '  @Disabled\n  @Test',
      ),
    ],
    'test-skipped',
    /Disabled/,
  ],
  [
    'weakens Kotlin',
    [
      edit(
        'app/CartTest.kt',
        '@Test fun adds() {\n  cart.total() shouldBe 3\n}\n',
        'shouldBe 3',
        'shouldBe 0',
      ),
    ],
    'test-weakened',
    /shouldBe 3/,
  ],
  [
    'skips in Ruby',
    [
      edit(
        'spec/cart_spec.rb',
        "it 'adds' do\n  expect(cart.total).to eq 3\nend\n",
        '  expect',
        "  skip 'later'\n  expect",
      ),
    ],
    'test-skipped',
    /skip/,
  ],
  [
    'weakens Ruby',
    [
      edit(
        'test/cart_test.rb',
        'def test_adds\n  assert_equal 3, cart.total\nend\n',
        'assert_equal 3',
        'assert_equal 4',
      ),
    ],
    'test-weakened',
    /assert_equal 3/,
  ],
  [
    'skips in C#',
    [
      edit(
        'tests/CartTests.cs',
        '[Fact]\npublic void Adds() {\n  Assert.Equal(3, cart.Total);\n}\n',
        '[Fact]',
        '[Fact(Skip = "later")]',
      ),
    ],
    'test-skipped',
    /Skip/,
  ],
  [
    'skips in PHP',
    [
      edit(
        'tests/CartTest.php',
        '<?php\nfunction testAdds() {\n  $this->assertSame(3, $cart->total());\n}\n',
        '  $this->assertSame',
        '  $this->markTestSkipped();\n  $this->assertSame',
      ),
    ],
    'test-skipped',
    /markTestSkipped/,
  ],
  ['leaves a shell test early', [sh('./build.sh', 'exit 0\n./build.sh')], 'test-skipped', /exit 0/],
  [
    'forgives a shell check',
    [sh('grep -q hello out.txt', 'grep -q hello out.txt || true')],
    'test-skipped',
    /\|\| true/,
  ],
  [
    'forgives what a shell test runs',
    [sh('./build.sh', './build.sh || :')],
    'test-skipped',
    /\|\| :/,
  ],
  ['goes on after errors', [sh('set -e', 'set +e')], 'test-skipped', /set \+e/],
  ['asks less of the shell', [sh('grep -q hello', 'grep -q ""')], 'test-weakened', /grep -q hello/],
  [
    'puts a shim in place of the tests',
    [
      {
        path: 'package.json',
        before: scripts({ test: 'vitest run' }),
        after: scripts({ test: 'exit 0' }),
      },
    ],
    'gate-changed',
    /"vitest run", now "exit 0"/,
  ],
  [
    'puts a shim behind a script',
    [
      {
        path: 'package.json',
        before: scripts({ test: 'npm run unit', unit: 'vitest' }),
        after: scripts({ test: 'npm run unit', unit: 'true' }),
      },
    ],
    'gate-changed',
    /script "unit"/,
  ],
  [
    'runs something before the tests',
    [
      {
        path: 'package.json',
        before: scripts({ test: 'vitest' }),
        after: scripts({ test: 'vitest', pretest: 'rm -r test' }),
      },
    ],
    'gate-changed',
    /"pretest" is new/,
  ],
  [
    'breaks the package file',
    [{ path: 'package.json', before: scripts({ test: 'vitest' }), after: '{' }],
    'gate-changed',
    /no package file/,
  ],
  [
    'writes the check anew',
    [{ path: 'check.sh', before: 'npm run lint\n', after: 'exit 0\n' }],
    'gate-changed',
    /- npm run lint \+ exit 0/,
  ],
  [
    'takes the check away',
    [{ path: 'check.sh', before: 'npm run lint\n' }],
    'gate-changed',
    /gone/,
  ],
  [
    'makes the check something else',
    [
      {
        path: 'check.sh',
        before: 'npm run lint\n',
        after: 'npm run lint\n',
        modeBefore: '100755',
        mode: '100644',
      },
    ],
    'gate-changed',
    /check\.sh/,
  ],
  [
    'runs scripts with another shell',
    [{ path: '.npmrc', after: 'script-shell=/bin/true\n' }],
    'gate-changed',
    /script-shell/,
  ],
  [
    'brings its own runner',
    [{ path: 'node_modules/.bin/vitest', after: '#!/bin/sh\nexit 0\n' }],
    'gate-changed',
    /in place of what is installed/,
  ],
  [
    'edits the gate config',
    [{ path: 'yardmaster.yaml', before: 'a', after: 'b' }],
    'protected-path',
    /yardmaster/,
  ],
  [
    'edits CI',
    [{ path: '.github/workflows/ci.yml', before: 'a', after: 'b' }],
    'protected-path',
    /ci\.yml/,
  ],
  ['deletes CI', [{ path: '.github/workflows/ci.yml', before: 'a' }], 'protected-path', /ci\.yml/],
  ['adds CI', [{ path: '.github/workflows/new.yml', after: 'a' }], 'protected-path', /new\.yml/],
  ['plants a repository', [{ path: 'vendor/x', mode: '160000' }], 'nested-repository', /vendor/],
];

describe('cheats', () => {
  it.each(cheats)('names whoever %s', (_what, changed, kind, words) => {
    const found = breachesOf(anyTask, changed, rules);
    const named = found.filter((breach) => breach.kind === kind);
    expect(found.map((breach) => breach.kind)).toContain(kind);
    expect(JSON.stringify(named, undefined, 1).replace(/\\"/g, '"')).toMatch(words);
  });

  it('leaves tests alone where the rules say so', () => {
    const changed = [{ path: 'test/add.test.js', before: jsTest }];
    expect(breachesOf(anyTask, changed, { ...rules, tests: 'off' })).toEqual([]);
  });

  it('lets a task delete and reword the tests it names, and not skip them', () => {
    const task = { paths: ['test/add.test.js'], scope: 'predicted' } as const;
    const glob = { paths: ['test/**'], scope: 'predicted' } as const;
    for (const one of [task, glob]) {
      expect(breachesOf(one, [js('toBe(3)', 'toBe(4)')], rules)).toEqual([]);
      expect(breachesOf(one, [{ path: 'test/add.test.js', before: jsTest }], rules)).toEqual([]);
      expect(breachesOf(one, [js("it('adds", "it.skip('adds")], rules)).toHaveLength(1);
    }
  });
});
