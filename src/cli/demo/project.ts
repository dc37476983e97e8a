/** The project of the demo: real code with real tests, no dependencies. */
export const files: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify(
    { name: 'corner-shop', type: 'module', private: true, scripts: { test: 'node --test' } },
    null,
    2,
  )}\n`,
  'README.md': '# Corner shop\n',
  'src/cart.js': `export function total(cart) {
  return cart.reduce((sum, item) => sum + item.price * item.count, 0);
}
`,
  'src/greeting.js': `export const greetings = {
  en: 'Good morning',
};
`,
  'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as cart from '../src/cart.js';

test('a cart adds up', () => {
  const add = cart.total ?? cart.sum;
  assert.equal(add([{ price: 2, count: 3 }]), 6);
});
`,
  'test/greeting.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greetings } from '../src/greeting.js';

test('every greeting says something', () => {
  for (const text of Object.values(greetings)) assert.ok(text.length > 3);
});
`,
  'yardmaster.yaml': `# The demo: scripted agents, the tests of package.json as the gate.
agent: scripted
agents:
  scripted: { use: scripted, script: ../script.json }
limits: { agent_idle: 2s }
train: { batch: 1 } # one branch at a time, so that each landing is seen by itself
`,
};

export const plan = `tasks:
  - id: rename-total
    title: Rename total() to sum()
    body: One name for one thing. Rename it everywhere.
    priority: 1
  - id: add-receipt
    title: Add a receipt that prints the total
    body: Use the function that adds up a cart.
  - id: greet-german
    title: Greet in German
  - id: greet-french
    title: Greet in French
  - id: write-guide
    title: Write a guide for customers
    type: docs
  - id: schema
    title: Describe what an order is
  - id: store
    title: Keep orders
    after: [schema]
  - id: api
    title: Serve orders
    after: [store, rename-total]
`;
