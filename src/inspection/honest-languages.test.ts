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

const python = `def test_total():
    assert total([1, 2]) == 3, "adds up"


class TestRefusal:
    def test_none(self):
        with pytest.raises(ValueError):
            total(None)
`;
const pythonReformatted = `def test_total():
    # adds up
    assert total(
        [1, 2]
    ) == 3, 'must add up'


class TestRefusal:
    def test_none(self):
        with pytest.raises( ValueError ):
            total(None)
`;
const lib = `pub fn add(a: i32) -> i32 { a + 1 }

#[cfg(test)]
mod tests {
    #[test]
    fn adds<'a>() { assert_eq!(add(1), 2); }
}
`;
const goTable = `func TestTotal(t *testing.T) {
	for _, c := range []struct{ in, want int }{{1, 1}, {2, 2}} {
		if got := Total(c.in); got != c.want {
			t.Errorf("got %d", got)
		}
	}
}
`;
const pkg = (more: object): string =>
  JSON.stringify({ name: 'x', scripts: { test: 'node --test', build: 'node build.js' }, ...more });

const honest: readonly (readonly [string, readonly ChangedText[]])[] = [
  [
    'adds a case that is not for all machines',
    [
      {
        path: 'tests/test_cart.py',
        before: python,
        after: `${python}\n\n@pytest.mark.skipif(WIN, reason="no")\ndef test_new():\n    assert total([]) == 0\n`,
      },
    ],
  ],
  ['reformats Python', [{ path: 'tests/test_cart.py', before: python, after: pythonReformatted }]],
  [
    'adds a case in Python',
    [
      {
        path: 'tests/test_cart.py',
        before: python,
        after: `${python}\n\ndef test_one():\n    assert total([1]) == 1\n`,
      },
    ],
  ],
  [
    'words a failure in Go again',
    [
      {
        path: 'total_test.go',
        before: goTable,
        after: goTable.replace('"got %d", got', '"Total(%d) = %d", c.in, got'),
      },
    ],
  ],
  [
    'adds a row in Go',
    [
      {
        path: 'total_test.go',
        before: goTable,
        after: goTable.replace('{2, 2}}', '{2, 2}, {3, 3}}'),
      },
    ],
  ],
  [
    'changes Rust above its tests',
    [{ path: 'src/lib.rs', before: lib, after: lib.replace('a + 1 }', 'assert!(a > 0); a + 1 }') }],
  ],
  [
    'adds tests to Rust',
    [
      {
        path: 'src/lib.rs',
        before: lib,
        after: lib.replace(/\}\n$/, '    #[test]\n    fn zero() { assert_eq!(add(0), 1); }\n}\n'),
      },
    ],
  ],
  [
    'adds a case in Java',
    [
      {
        path: 'src/test/java/CartTest.java',
        before: 'class CartTest {\n  @Test void a() {\n    assertEquals(1, f());\n  }\n}\n',
        after:
          'class CartTest {\n  @Test\n  void a() {\n    assertEquals(1,\n        f());\n  }\n  @Test void b() { assertTrue(g()); }\n}\n',
      },
    ],
  ],
  [
    'clears up in a shell test',
    [
      {
        path: 'test/smoke.sh',
        before: 'set -e\ntest -f out\n',
        after: "set -e\ntrap 'rm -rf tmp' EXIT\nrm -f out || true\ntest -f out\nexit 0\n",
      },
    ],
  ],
  [
    'adds a script',
    [
      {
        path: 'package.json',
        before: pkg({}),
        after: pkg({ scripts: { test: 'node --test', build: 'node build.js', lint: 'eslint .' } }),
      },
    ],
  ],
  [
    'changes a script that the gate does not run',
    [
      {
        path: 'package.json',
        before: pkg({}),
        after: pkg({ scripts: { test: 'node --test', build: 'node make.js' } }),
      },
    ],
  ],
  [
    'raises a dependency',
    [
      {
        path: 'package.json',
        before: pkg({ dependencies: { a: '1.0.0' } }),
        after: pkg({ dependencies: { a: '2.0.0' } }),
      },
      { path: 'package-lock.json', before: '{\n  "a": 1\n}\n', after: '{\n  "a": 2\n}\n' },
    ],
  ],
  [
    'adds a package to the repository',
    [{ path: 'packages/new/package.json', after: pkg({ scripts: { test: 'vitest' } }) }],
  ],
  [
    'sets a registry',
    [{ path: '.npmrc', before: '', after: 'registry=https://registry.example\n' }],
  ],
  [
    'changes the product that the check runs',
    [{ path: 'src/main.js', before: 'print("hello")\n', after: 'print("hello world")\n' }],
  ],
  ['moves a submodule on', [{ path: 'vendor/x', modeBefore: '160000', mode: '160000' }]],
  [
    'makes a source executable',
    [{ path: 'bin/x.js', before: 'a', after: 'a', modeBefore: '100644', mode: '100755' }],
  ],
  [
    'writes documents',
    [{ path: 'docs/testing.md', before: 'use it.skip(x)', after: 'use it.only(x) and exit 0' }],
  ],
];

describe('honest changes in other languages and files', () => {
  it.each(honest)('finds nothing against whoever %s', (_what, changed) => {
    expect(violationsOf(anyTask, changed, rules, { targetTexts })).toEqual([]);
  });
});
