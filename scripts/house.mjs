// Prints how large the house is: lines and files of each room, tests, the pure core, cycles, duplicates, words.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { load } from './load.mjs';
import { root } from './steps.mjs';

/** The entry of the pure core: all that it imports, directly or not, belongs to it. */
const CORE = 'src/plan/decide.ts';
const SECONDS = 'node_modules/.cache/npm-test-seconds';

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const isTest = (path) => /\.test\.tsx?$/.test(path) || path.startsWith('test/');

function files(...patterns) {
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns);
  const paths = [...new Set(listed.split('\n'))].filter((path) => existsSync(join(root, path)));
  return paths
    .filter(Boolean)
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const linesOf = (list) => list.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);

/** The paths that a file imports with values; types are gone when the program runs. */
function importsOf({ path, text }) {
  const found = text.matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
  );
  return [...found].map(([, a, b]) => normalize(join(dirname(path), a ?? b)));
}

function closure(start, byPath) {
  const seen = new Set();
  for (const waiting = [start]; waiting.length > 0; ) {
    const path = waiting.pop();
    const file = byPath.get(path);
    if (file === undefined || seen.has(path)) continue;
    seen.add(path);
    waiting.push(...importsOf(file).filter((one) => !seen.has(one)));
  }
  return [...seen].map((path) => byPath.get(path));
}

const roomOf = (path) => path.split('/').slice(1, -1)[0] ?? '.';

/** Pairs of folders that import each other, types included. */
function cycles(source) {
  const edges = new Set();
  for (const { path, text } of source) {
    for (const [, to] of text.matchAll(/from '(\.[^']+)'/g)) {
      const target = roomOf(normalize(join(dirname(path), to)));
      if (target !== roomOf(path)) edges.add(`${roomOf(path)} ${target}`);
    }
  }
  return [...edges].filter((edge) => edges.has(edge.split(' ').reverse().join(' '))).length / 2;
}

/** Lines that only hand on the failure of a `Result`. */
const guards = (source) =>
  source.reduce(
    (sum, { text }) => sum + (text.match(/if \(!\w[\w.]*\.ok\)\s*\{?\s*return\b/g)?.length ?? 0),
    0,
  );

async function table() {
  const { duplicates } = await load('test/tidy/duplicates.ts');
  const typescript = files('src/*.ts', 'src/*.tsx');
  const source = typescript.filter(({ path }) => !isTest(path));
  const tests = [
    ...typescript.filter(({ path }) => isTest(path)),
    ...files('test/*.ts', 'test/*.tsx'),
  ];
  const core = closure(CORE, new Map(source.map((file) => [file.path, file])));
  const words = files('*.md').reduce((sum, { text }) => sum + text.split(/\s+/).length - 1, 0);
  const seconds = existsSync(join(root, SECONDS)) ? readFileSync(join(root, SECONDS), 'utf8') : '?';
  const rooms = grouped(source);
  const rows = [
    ['source lines / files', `${linesOf(source)} / ${source.length}`],
    ['test lines / files', `${linesOf(tests)} / ${tests.length}`],
    ['pure core, closure of its entry', `${linesOf(core)} / ${core.length}`],
    ['guards `if (!x.ok) return`', guards(source)],
    ['folders of src', rooms.size - 1],
    ['pairs of folders in a cycle', cycles(source)],
    ['runs of lines that stand twice', duplicates(source).length],
    ['words of Markdown', words],
    ['seconds of the last `npm test`', seconds.trim()],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const sizes = [...rooms].map(([name, list]) => [name, linesOf(list), list.length]);
  const largest = sizes.sort((a, b) => b[1] - a[1]).map(([name, n, of]) => `${name} ${n}/${of}`);
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...inLines(['rooms, lines/files:', ...largest], 110),
  ];
}

function grouped(list) {
  const rooms = new Map();
  for (const file of list) {
    const name = roomOf(file.path);
    rooms.set(name, [...(rooms.get(name) ?? []), file]);
  }
  return rooms;
}

function inLines(words, width) {
  const lines = [''];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

console.log((await table()).join('\n'));
