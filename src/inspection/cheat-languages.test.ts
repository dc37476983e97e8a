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

type Kind = Violation['kind'];
const edit = (path: string, before: string, from: string, to: string): ChangedText => ({
  path,
  before,
  after: edited(before, from, to),
});
const py = (from: string, to: string): ChangedText => edit('tests/test_shop.py', pyTest, from, to);
const go = (from: string, to: string): ChangedText => edit('shop/total_test.go', goTest, from, to);
const sh = (from: string, to: string): ChangedText => edit('test/smoke.sh', shTest, from, to);
/** Description, change, and the violation that must be reported first of its kind. */
const cheats: readonly (readonly [string, readonly ChangedText[], Kind, RegExp])[] = [
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
    /caught and ignored/,
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
];

describe('cheats in other languages', () => {
  it.each(cheats)('names whoever %s', (_what, changed, kind, words) => {
    const found = violationsOf(anyTask, changed, rules);
    const named = found.filter((violation) => violation.kind === kind);
    expect(found.map((violation) => violation.kind)).toContain(kind);
    expect(JSON.stringify(named).replace(/\\"/g, '"')).toMatch(words);
  });
});
