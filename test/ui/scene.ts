// A project with a bit of everything: landed, returned, failed, waiting for a person, and at work.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Action, type Child, commit, print, TestProject, touch, write } from '../rig.ts';

/** Text that would run as a script if it were taken for markup. */
export const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

/** A branch may be named like this. */
export const evilBranch = 'main-\u202e<img/src=x/onerror=alert(3)>';

const usage = (costUsd: number): Action => ({
  usage: { input: 1_200, cacheRead: 48_000, cacheWrite: 900, output: 2_100, costUsd },
});
const works = (path: string, text: string, message: string): readonly Action[] => [
  print(`Reading the code around ${path}.`),
  write(path, text),
  commit(message),
  print(message),
  usage(0.12),
];

const total = 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n';

/** `words` are in a title, in a file and in the output of an agent. */
export function sceneProject(words: string): TestProject {
  const y = new TestProject({
    files: { 'src/total.js': total, '.github/workflows/ci.yml': 'on: push\n' },
    config: { jobs: 3, retries: 1, budget: { cost: 20 } },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
    tasks: [
      { id: 'schema', title: 'Describe the schema of orders', priority: 1 },
      { id: 'seeds', title: 'Fill the test database', after: ['schema'] },
      { id: 'tax-rate', title: 'Tax rates by country', after: ['schema'] },
      {
        id: 'pay-retry',
        title: 'Retry failed payments',
        agent: 'asker',
        after: ['schema'],
        acceptance: ['A payment is tried three times', 'The user is told why it failed'],
      },
      { id: 'auth-cookie', title: `Secure cookies ${words}`, after: ['schema'] },
      { id: 'geo-lookup', title: 'Look up the country of a visitor' },
      { id: 'search-index', title: 'Build the search index', after: ['seeds'], priority: 1 },
      { id: 'checkout', title: 'Checkout in one page', after: ['pay-retry', 'tax-rate'] },
      { id: 'invoice', title: 'Invoices as PDF', after: ['checkout'] },
      {
        id: 'banner',
        title: 'Banner for the sale',
        after: ['schema'],
        attempts: { best_of: 2, choose: 'person' },
      },
      { id: 'footer', title: 'Footer with the address', after: ['tax-rate'] },
      { id: 'mail', title: 'Mail after an order', after: ['checkout', 'search-index'] },
    ],
    script: {
      schema: [works('src/schema.js', 'export const order = { id: 1 };\n', 'Describe orders')],
      seeds: [works('src/seeds.js', 'export const seeds = [1, 2, 3];\n', 'Add seeds')],
      'tax-rate': [
        [write('red', 'x'), commit('Break it'), usage(0.2)],
        [
          { delete: { path: 'red' } },
          ...works('src/tax.js', `// ${words}\nexport const tax = 0.19;\n`, 'Tax rates'),
        ],
      ],
      'pay-retry': [
        [
          print('The service answers 409 and 5xx.'),
          usage(0.05),
          { signal: { line: 'ASK: Retry on 409 too, or only on 5xx?' } },
        ],
        [
          ...works('src/pay.js', 'export const tries = 3;\n', 'Retry payments'),
          { signal: { line: 'COMPLETE_AND_READY_FOR_MERGE' } },
        ],
      ],
      'auth-cookie': [
        [
          print(`${words} \u001b[31mred\u001b[0m \u202eright`),
          write('src/cookie.js', `// ${words}\nexport const secure = true;\n`),
          ...works('.github/workflows/ci.yml', 'on: [push, pull_request]\n', 'Check pull requests'),
        ],
        works('src/cookie.js', 'export const session = { secure: true };\n', 'Name the cookie'),
      ],
      'geo-lookup': [[print('No network here.'), { exit: { code: 3 } }]],
      'search-index': [
        [
          print('Building an index of all products.'),
          touch('indexing'),
          { waitFor: { file: 'go', ms: 110_000 } },
          ...works('src/index.js', 'export const index = {};\n', 'Build the index'),
        ],
      ],
      footer: [works('src/footer.js', 'export const footer = 1;\n', 'Add the footer')],
      'banner.v1': [works('src/banner.js', "export const banner = 'Sale';\n", 'Add the banner')],
      'banner.v2': [
        works(
          'src/banner.js',
          "export const banner = 'SALE!';\nexport const days = 3;\n",
          'Banner',
        ),
      ],
      default: [[{ run: { shell: 'echo "$YARD_TASK" > "$YARD_TASK.txt"' } }, usage(0.01)]],
    },
  });
  // Only an agent that ends its turns with a signal can ask.
  const config = JSON.parse(y.read('yardmaster.yaml'));
  const asker = { ...config.agents.actor, done: 'signal' };
  y.write('yardmaster.yaml', JSON.stringify({ ...config, agents: { ...config.agents, asker } }));
  y.commit('An agent that asks');
  return y;
}

/** Plays the scene until only a person or the last agent can go on. It is the second run of the project. */
export async function played(y: TestProject): Promise<Child> {
  expect(await y.ym('run', y.plan, '--only', 'geo-lookup')).toMatchObject({ code: 1 });
  y.write('src/footer.js', 'mine\n');
  const run = y.start('run', '--scope', 'ready');
  await y.seen('indexing');
  await y.untilStatus(
    ({ tasks, train }) =>
      ['pay-retry', 'auth-cookie', 'banner'].every((id) =>
        tasks.some((task) => task.id === id && task.state === 'blocked'),
      ) && train.some(({ failure }) => failure?.kind === 'checkout-in-the-way'),
    'three decisions wait, and a file is in the way of a landing',
  );
  return run;
}

/** Lets the last agent end, and the run with it. */
export async function finished(y: TestProject, run: Child): Promise<void> {
  rmSync(join(y.root, 'src/footer.js'), { force: true });
  y.signal('go');
  await run.end();
}
