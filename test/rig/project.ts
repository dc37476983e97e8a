// A small shop in JavaScript with real tests, as a person would have it: the gate is found in its package file.

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type Action,
  type Ended,
  type StatusTask,
  TestProject,
  type TestProjectOptions,
  testProject,
} from '../rig.ts';
import { need } from './need.ts';

export const shell = (line: string): Action => ({ run: { shell: line } });
export const replace = (path: string, from: string, to: string): Action => ({
  replace: { path, from, to },
});

const files = {
  'package.json': packageText(),
  'scripts/lint.sh': 'test ! -e src/forbidden.js\n',
  'src/total.js': `export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}
`,
  'src/receipt.js': "export const receipt = (name) => [name, 'thank you'];\n",
  'src/money.js': 'export const euros = (cents) => (cents / 100).toFixed(2);\n',
  'test/total.test.js': testText(
    'total',
    ['adds prices', 'assert.equal(total([1, 2]), 3);'],
    ['of nothing it is nothing', 'assert.equal(total([]), 0);'],
  ),
  'test/receipt.test.js': testText('receipt', [
    'a receipt is polite',
    "assert.deepEqual(receipt('Ann'), ['Ann', 'thank you']);",
  ]),
  'test/money.test.js': testText(
    'euros',
    ['cents are written as euros', "assert.equal(euros(1234), '12.34');"],
    ['a cent is not lost', "assert.equal(euros(1), '0.01');"],
  ).replace('euros.js', 'money.js'),
  '.github/workflows/ci.yml': 'on: push\n',
  '.gitignore': 'node_modules\n',
} as const;

/** A test file for one function of the shop; each case is its name and its line. */
export function testText(name: string, ...cases: readonly (readonly [string, string])[]): string {
  const head = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${name} } from '../src/${name}.js';
`;
  const bodies = cases.map(([what, line]) => `\ntest('${what}', () => {\n  ${line}\n});\n`);
  return head + bodies.join('');
}

/** The package file, with some of its keys as a test wants them. */
export function packageText(keys: Readonly<Record<string, unknown>> = {}): string {
  const scripts = { test: 'sh scripts/lint.sh && node --test' };
  const all = { name: 'shop', private: true, type: 'module', scripts, ...keys };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function shopOptions(options: TestProjectOptions): TestProjectOptions {
  return {
    ...options,
    files: { ...files, ...options.files },
    config: { gate: undefined, retries: 0, ...options.config },
  };
}

/** A project whose repository is the shop. No gate is configured, and nothing is tried twice unless the test wants it. */
export function shop(options: TestProjectOptions): TestProject {
  return withOriginals(testProject(shopOptions(options)));
}

/** Keeps the test of the sums beyond the reach of whoever edits tests. */
function withOriginals(y: TestProject): TestProject {
  const kept = join(y.base, 'original');
  mkdirSync(join(kept, 'test'), { recursive: true });
  cpSync(join(y.root, 'scripts'), join(kept, 'scripts'), { recursive: true });
  cpSync(join(y.root, 'test/total.test.js'), join(kept, 'test/total.test.js'));
  return y;
}

/** The values that main has had and that the tests of the first commit call wrong. It must be empty. */
export function wrongBy(y: TestProject): readonly string[] {
  const kept = join(y.base, 'original');
  const original = `cp -r '${kept}/.' . && sh scripts/lint.sh && node --test test/total.test.js`;
  return y.reflogGreen('main', original).red;
}

/** What most cheats want to land: prices are not added any more. */
export const bug = replace('src/total.js', 'sum + price', 'sum');

/** What work that waits for a person leaves: it stays where it is. */
export const waiting = ['branches', 'kept', 'worktrees', 'state'] as const;

/** What `ym why` and `ym status` say of a task, on one line. */
export async function said(y: TestProject, id: string): Promise<string> {
  const why = await y.ym('why', id);
  const status = await y.ym('status', '--json', '--all');
  return flat(why.stdout + status.stdout);
}

/** Without the line breaks that a narrow screen makes. */
export const flat = (text: string): string => text.replace(/\s+/g, ' ');

/** One way to cheat, or to work honestly where a cheat would look alike. */
export interface Deed {
  readonly does: readonly Action[];
  /** All of this is said about it; nothing of honest work. */
  readonly says?: readonly string[];
  readonly task?: Readonly<Record<string, unknown>>;
}

export interface Played {
  readonly y: TestProject;
  readonly run: Ended;
  task(id: string): StatusTask & { readonly failure?: { readonly details?: readonly string[] } };
}

/** Plays all deeds in one run of the shop, each as a task, before the tests of this file or block. */
export function playedOnce(
  deeds: Readonly<Record<string, Deed>>,
  options: TestProjectOptions = {},
): () => Played {
  let played: Played | undefined;
  beforeAll(async () => {
    const y = withOriginals(
      new TestProject(
        shopOptions({
          leaves: waiting,
          ...options,
          // What waits for a person keeps its worktree.
          config: { worktree: { pool: 32 }, ...options.config },
          tasks: Object.entries(deeds).map(([title, { task }]) => ({
            id: idOf(title),
            title,
            ...task,
          })),
          script: Object.fromEntries(
            Object.entries(deeds).map(([title, { does }]) => [idOf(title), [does]]),
          ),
        }),
      ),
    );
    const run = await y.ym('run', y.plan, '--jobs', '4');
    const { tasks } = await y.status();
    played = {
      y,
      run,
      task: (title) => {
        const found = need(tasks.find(({ id }) => id === idOf(title)));
        return found;
      },
    };
  });
  afterAll(async () => {
    expect(await played?.y.dispose()).toEqual([]);
  });
  return () => {
    if (played === undefined) throw new Error('The run has not been played');
    return played;
  };
}

export const idOf = (title: string): string => title.replaceAll(' ', '-');
