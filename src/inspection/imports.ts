import { type ChangedText, existed, exists } from './changed.ts';
import { within } from './commands.ts';
import { isTestPath } from './read-test.ts';

/** Module that a test no longer imports although it still exists. */
interface Redirected {
  readonly path: string;
  readonly from: string;
}

const specifier = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const scripts = /\.[cm]?[jt]sx?$/;
const endings = [
  '',
  '.js',
  '.ts',
  '.mjs',
  '.cjs',
  '.mts',
  '.jsx',
  '.tsx',
  '/index.js',
  '/index.ts',
];

/**
 * Tests whose imports were redirected to a stand-in among the tests. A module that was moved in the same change does
 * not count.
 */
export function redirectedImports(
  tests: readonly ChangedText[],
  changed: readonly ChangedText[],
): readonly Redirected[] {
  const gone = new Set(changed.filter((file) => !exists(file)).map(({ path }) => path));
  return tests.flatMap((test) => {
    if (!scripts.test(test.path) || !existed(test) || !exists(test)) return [];
    const [before, after] = [specifiersIn(test.before), specifiersIn(test.after)];
    const fresh = [...after].filter((one) => !before.has(one));
    if (!fresh.some((one) => isAmongTests(placeOf(test.path, one)))) return [];
    return [...before]
      .filter((one) => !after.has(one) && !isGone(test.path, one, gone))
      .map((from) => ({ path: test.path, from }));
  });
}

function specifiersIn(text = ''): ReadonlySet<string> {
  return new Set([...text.matchAll(specifier)].map(([, , name = '']) => name));
}

function isAmongTests(path: string): boolean {
  return isTestPath(scripts.test(path) ? path : `${path}.js`);
}

function placeOf(test: string, name: string): string {
  const folder = test.includes('/') ? test.slice(0, test.lastIndexOf('/')) : '';
  return within(folder, name) ?? '';
}

function isGone(test: string, name: string, gone: ReadonlySet<string>): boolean {
  const bare = placeOf(test, name);
  const stem = bare.replace(scripts, '');
  return [bare, stem].some((path) => endings.some((ending) => gone.has(`${path}${ending}`)));
}
