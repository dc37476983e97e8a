// A small shop in JavaScript with real tests, as a person would have it: the gate is found in its package file.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Yard, type YardOptions, yard } from '../rig.ts';

const totalTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receipt, total } from '../src/total.js';

test('adds prices', () => {
  assert.equal(total([1, 2]), 3);
});

test('of nothing it is nothing', () => {
  assert.equal(total([]), 0);
});

test('a receipt names every price and the sum', () => {
  assert.deepEqual(receipt([1, 2]), ['1', '2', 'total 3']);
});
`;

const moneyTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { euros } from '../src/money.js';

test('cents are written as euros', () => {
  assert.equal(euros(1234), '12.34');
});
`;

export const shopFiles = {
  'package.json': packageText(),
  'scripts/lint.sh': 'test ! -e src/forbidden.js\n',
  'src/total.js': `export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

export function receipt(prices) {
  return [...prices.map(String), \`total \${total(prices)}\`];
}
`,
  'src/money.js': 'export const euros = (cents) => (cents / 100).toFixed(2);\n',
  'test/total.test.js': totalTest,
  'test/money.test.js': moneyTest,
  '.github/workflows/ci.yml': 'on: push\n',
  '.gitignore': 'node_modules\n',
} as const;

/** The package file, with some of its keys as a test wants them. */
export function packageText(keys: Readonly<Record<string, unknown>> = {}): string {
  const scripts = { test: 'sh scripts/lint.sh && node --test' };
  return `${JSON.stringify({ name: 'shop', private: true, type: 'module', scripts, ...keys }, null, 2)}\n`;
}

/** A yard whose repository is the shop. No gate is configured, and nothing is tried twice unless the test wants it. */
export function shop({ files, config, ...rest }: YardOptions): Yard {
  const y = yard({
    files: { ...shopFiles, ...files },
    config: { gate: undefined, retries: 0, ...config },
    ...rest,
  });
  // Beyond the reach of whoever edits tests.
  const kept = join(y.base, 'original');
  mkdirSync(kept);
  for (const name of ['test', 'scripts']) {
    cpSync(join(y.root, name), join(kept, name), { recursive: true });
  }
  return y;
}

/** The values that main has had and that the tests of the first commit call wrong. It must be empty. */
export function wrongBy(y: Yard): readonly string[] {
  const original = `cp -r '${join(y.base, 'original')}/.' . && sh scripts/lint.sh && node --test test/`;
  return y.reflogGreen('main', original).red;
}
