// A small project with a real test suite, which the branches of the corpus work on. Its parts come in families, one
// for each kind of planted conflict, so that a corpus has as many of a kind as it wants.

export type Files = Readonly<Record<string, string>>;

/**
 * The suite: every test file is imported and run by Node's own runner, in one process. Where there is a stage, a run is
 * noted there, and any half-done merge that it meets; `GATE_MS` makes it as slow as suites are.
 */
const suite = `import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const { STAGE: stage, CHECKOUT: checkout, GATE_MS: ms = '0' } = process.env;
const states = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];
const gitDir = (dir) => {
  const own = join(dir, '.git');
  return statSync(own).isDirectory() ? own : readFileSync(own, 'utf8').slice('gitdir: '.length).trim();
};
if (stage !== undefined) {
  appendFileSync(join(stage, 'gate-runs'), \`\${process.env.YARD_TASK ?? ''}\\n\`);
  const found = [checkout, process.cwd()]
    .flatMap((dir) => states.map((name) => join(gitDir(dir), name)))
    .filter((path) => existsSync(path));
  if (found.length > 0) appendFileSync(join(stage, 'half-done'), \`\${found.join('\\n')}\\n\`);
  appendFileSync(join(stage, 'gates-at-once'), 'begins\\n');
  await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  appendFileSync(join(stage, 'gates-at-once'), 'ends\\n');
}
const here = new URL('.', import.meta.url);
for (const file of readdirSync(here).sort()) {
  if (file.endsWith('.test.mjs')) await import(new URL(file, here).href);
}
`;

const testHead = `import assert from 'node:assert/strict';
import test from 'node:test';
`;

export const gateCommand = 'node test/all.mjs';

/** A function with a test, which somebody renames while somebody else calls it. */
export function sums(k: number, name = 'total'): Files {
  return {
    [`src/sums/${k}.mjs`]: `export function ${name}${k}(items) {
  return items.reduce((sum, item) => sum + item, 0);
}
`,
    [`test/sums${k}.test.mjs`]: `${testHead}import { ${name}${k} } from '../src/sums/${k}.mjs';

test('sums ${k} adds up', () => {
  assert.equal(${name}${k}([1, 2, 3]), 6);
});
`,
  };
}

export function receipt(k: number, name = 'total'): Files {
  return {
    [`src/receipts/${k}.mjs`]: `import { ${name}${k} } from '../sums/${k}.mjs';

export const receipt = (items) => \`to pay: \${${name}${k}(items)}\`;
`,
    [`test/receipt${k}.test.mjs`]: `${testHead}
test('receipt ${k} says what is to be paid', async () => {
  const { receipt } = await import('../src/receipts/${k}.mjs');
  assert.equal(receipt([2, 3]), 'to pay: 5');
});
`,
  };
}

/** A function whose parameters somebody changes while somebody else calls it the old way. */
export function areas(k: number, way: 'old' | 'new' = 'old'): Files {
  const [parameters, call] = way === 'old' ? ['w, h', '2, 3'] : ['{ w, h }', '{ w: 2, h: 3 }'];
  return {
    [`src/areas/${k}.mjs`]: `export const area${k} = (${parameters}) => w * h;\n`,
    [`test/areas${k}.test.mjs`]: `${testHead}import { area${k} } from '../src/areas/${k}.mjs';

test('area ${k} multiplies', () => {
  assert.equal(area${k}(${call}), 6);
});
`,
  };
}

export function room(k: number, way: 'old' | 'new' = 'old'): Files {
  const call = way === 'old' ? '4, 5' : '{ w: 4, h: 5 }';
  return {
    [`src/rooms/${k}.mjs`]: `import { area${k} } from '../areas/${k}.mjs';

export const room = () => area${k}(${call});
`,
    [`test/room${k}.test.mjs`]: `${testHead}import { room } from '../src/rooms/${k}.mjs';

test('room ${k} has a floor', () => {
  assert.equal(room(), 20);
});
`,
  };
}

/** Pages that are compared with what they looked like when somebody last said that this is right. */
export function pages(k: number): Files {
  return {
    [`src/pages/${k}/render.mjs`]: renderer('plain'),
    ...page(k, 'home', 'plain'),
    [`test/pages${k}.test.mjs`]: `${testHead}import { readdirSync, readFileSync } from 'node:fs';
import { render } from '../src/pages/${k}/render.mjs';

const here = new URL('./snapshots/${k}/', import.meta.url);
for (const file of readdirSync(here)) {
  test(\`page \${file} of ${k} looks as it did\`, async () => {
    const { page } = await import(\`../src/pages/${k}/\${file.replace('.txt', '.mjs')}\`);
    assert.equal(render(page), readFileSync(new URL(file, here), 'utf8'));
  });
}
`,
  };
}

export type Look = 'plain' | 'fancy';

export function renderer(look: Look): string {
  const head = look === 'plain' ? '${title}' : '== ${title} ==';
  return `export const render = ({ title, lines }) => \`${head}\\n\${lines.join('\\n')}\\n\`;\n`;
}

export function page(k: number, name: string, look: Look): Files {
  return {
    [`src/pages/${k}/${name}.mjs`]: `export const page = { title: '${name}', lines: ['one', 'two'] };\n`,
    ...snapshot(k, name, look),
  };
}

export function snapshot(k: number, name: string, look: Look): Files {
  const head = look === 'plain' ? name : `== ${name} ==`;
  return { [`test/snapshots/${k}/${name}.txt`]: `${head}\none\ntwo\n` };
}

/** Changes of a database, which have to be numbered one after the other. */
export function migrations(k: number): Files {
  return {
    ...migration(k, 1, 'start'),
    [`test/db${k}.test.mjs`]: `${testHead}import { readdirSync } from 'node:fs';

test('migrations of ${k} are numbered one after the other', () => {
  const files = readdirSync(new URL('../db/${k}/', import.meta.url)).sort();
  assert.deepEqual(files.map((file) => Number.parseInt(file, 10)), files.map((_, at) => at + 1));
});
`,
  };
}

export function migration(k: number, number: number, name: string): Files {
  return { [`db/${k}/00${number}-${name}.sql`]: `create table ${name} (id integer);\n` };
}

/** Something new that has nothing to do with anything else. `says` is what its test expects it to say. */
export function feature(name: string, says = name): Files {
  return {
    [`src/features/${name}.mjs`]: `export const feature = () => '${name}';\n`,
    [`test/feature-${name}.test.mjs`]: `${testHead}import { feature } from '../src/features/${name}.mjs';

test('feature ${name} says its name', () => {
  assert.equal(feature(), '${says}');
});
`,
  };
}

/** The project with so many of each family. */
export function projectFiles(families: number): Files {
  const all: Record<string, string> = { 'test/all.mjs': suite, ...feature('first') };
  for (let k = 0; k < families; k += 1) {
    Object.assign(all, sums(k), areas(k), pages(k), migrations(k));
  }
  return all;
}
