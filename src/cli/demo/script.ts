/** Script of the demo's agents: two break each other's work, two conflict, one hangs, three form a chain. */
const test = (name: string, body: string): string =>
  `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${body.replace('NAME', name)}`;

const receipt = (add: string): string =>
  `import { ${add} } from './cart.js';\n\nexport function receipt(cart) {\n  return \`Total: \${${add}(cart)}\`;\n}\n`;

const write = (path: string, text: string) => ({ write: { path, text } });
const commit = (message: string) => ({ commit: { message } });
const think = (ms: number) => ({ sleep: { ms } });

const greet = (language: string, text: string) => ({
  replace: {
    path: 'src/greeting.js',
    from: "  en: 'Good morning',\n",
    to: `  en: 'Good morning',\n  ${language}: '${text}',\n`,
  },
});

export const script = {
  tasks: {
    'rename-total': {
      turns: [
        [
          think(300),
          { replace: { path: 'src/cart.js', from: 'total', to: 'sum' } },
          commit('Rename total to sum'),
        ],
      ],
    },
    'add-receipt': {
      turns: [
        [
          think(600),
          write('src/receipt.js', receipt('total')),
          write(
            'test/receipt.test.js',
            test(
              'receipt',
              "import { receipt } from '../src/receipt.js';\n\ntest('a NAME shows the sum', () => {\n  assert.equal(receipt([{ price: 2, count: 3 }]), 'Total: 6');\n});\n",
            ),
          ),
          commit('Add a receipt'),
        ],
        [
          { mergeTarget: { branch: 'main' } },
          write('src/receipt.js', receipt('sum')),
          { print: { text: 'The function has another name now; the receipt uses it.' } },
        ],
      ],
    },
    'greet-german': {
      turns: [[think(300), greet('de', 'Guten Morgen'), commit('Greet in German')]],
    },
    'greet-french': {
      turns: [
        [think(400), greet('fr', 'Bonjour')],
        [{ mergeTarget: { branch: 'main', resolve: 'union' } }],
      ],
    },
    'write-guide': {
      attempts: [
        { turns: [[{ print: { text: 'Reading everything first …' } }, { hang: {} }]] },
        { turns: [[write('GUIDE.md', '# Guide\n\nCome in, look around.\n')]] },
      ],
    },
    schema: {
      turns: [
        [think(300), write('src/order.js', 'export const order = (id, cart) => ({ id, cart });\n')],
      ],
    },
    store: {
      turns: [
        [
          think(300),
          write(
            'src/store.js',
            "import { order } from './order.js';\n\nconst orders = new Map();\nexport const keep = (id, cart) => orders.set(id, order(id, cart));\nexport const find = (id) => orders.get(id);\n",
          ),
        ],
      ],
    },
    api: {
      turns: [
        [
          think(300),
          write(
            'src/api.js',
            "import { sum } from './cart.js';\nimport { find } from './store.js';\n\nexport const owed = (id) => sum(find(id).cart);\n",
          ),
          write(
            'test/api.test.js',
            test(
              'order',
              "import { owed } from '../src/api.js';\nimport { keep } from '../src/store.js';\n\ntest('an NAME is kept and added up', () => {\n  keep(7, [{ price: 5, count: 2 }]);\n  assert.equal(owed(7), 10);\n});\n",
            ),
          ),
        ],
      ],
    },
  },
};
