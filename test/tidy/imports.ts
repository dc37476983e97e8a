// Import direction and dead files.
import { posix } from 'node:path';
import picomatch from 'picomatch';
import { isTestFile, lineAt, type Problem, type TextFile } from './files.ts';
import { ENTRIES, TABLE, TEST_ONLY } from './import-table.ts';
import { mask } from './mask.ts';

export interface Row {
  readonly name: string;
  readonly kind: 'pure' | 'shell';
  readonly may: readonly string[];
  readonly packages: readonly string[];
  /** Modules of a shell folder that are pure. */
  readonly pure: readonly string[];
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

export const rows: readonly Row[] = parseTable(TABLE);

export function parseTable(table: string): Row[] {
  const above: Row[] = [];
  for (const line of table.split('\n').filter((one) => one.trim() !== '')) {
    const [name = '', kind = '', may = '', packages = '', pure = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    if (kind !== 'pure' && kind !== 'shell') {
      throw new Error(`import-table.ts: the kind of "${line.trim()}" is neither pure nor shell`);
    }
    const known = above.map((row) => row.name);
    const named = may === '*' ? known : wordsOf(may);
    const later = named.find((one) => !known.includes(one));
    if (later !== undefined) {
      throw new Error(`import-table.ts: "${name}" may import only rows above it, not "${later}"`);
    }
    const files = wordsOf(pure).map((one) => `${name}/${one}`);
    above.push({ name, kind, may: named, packages: wordsOf(packages), pure: files });
  }
  return above;
}

function wordsOf(cell: string): readonly string[] {
  return cell.split(/\s+/).filter((word) => word !== '');
}

/** The row of the folder of a file such as `src/plan/fold.ts`. */
export function rowOf(path: string, table: readonly Row[] = rows): Row | undefined {
  const [folder] = moduleOf(path).split('/');
  return table.find((row) => row.name === folder);
}

/** True if a file is in a pure folder, or a pure file of a shell folder. */
export function isPure(path: string, table: readonly Row[] = rows): boolean {
  const row = rowOf(path, table);
  return row?.kind === 'pure' || row?.pure.includes(moduleOf(path)) === true;
}

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*(['"])/g;

/** Static, dynamic, type and side-effect imports, and re-exports, with their lines. */
export function importsOf({ text }: TextFile): Import[] {
  const { code } = mask(text);
  return [...code.matchAll(SPECIFIER)].flatMap((found) => {
    const start = found.index + found[0].length;
    const end = code.indexOf(found[1] ?? "'", start);
    if (end === -1) return [];
    return [{ specifier: text.slice(start, end), line: lineAt(text, start) }];
  });
}

/** The path from the root that a relative import means. */
export function resolveImport(from: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(from), specifier));
}

export function directionProblems(file: TextFile, table: readonly Row[] = rows): Problem[] {
  const row = rowOf(file.path, table);
  if (row === undefined) {
    const say =
      'is in no row of test/tidy/import-table.ts; add a line that says what it may import';
    return [{ file: file.path, line: 1, say }];
  }
  return importsOf(file).flatMap(({ specifier, line }) => {
    const why = forbids(row, file.path, specifier, table);
    return why === undefined ? [] : [{ file: file.path, line, say: why }];
  });
}

function forbids(
  row: Row,
  from: string,
  specifier: string,
  table: readonly Row[],
): string | undefined {
  const told = `(row "${row.name}" of test/tidy/import-table.ts)`;
  const pure = isPure(from, table);
  if (specifier.startsWith('node:')) {
    if (!pure || row.packages.includes(specifier)) return undefined;
    return `is pure and imports ${specifier}; take the value as an argument or a port ${told}`;
  }
  if (!specifier.startsWith('.')) {
    const name = packageName(specifier);
    if (row.packages.includes(name)) return undefined;
    return `imports the package ${name}; do it where the package is allowed ${told}`;
  }
  const target = resolveImport(from, specifier);
  if (!target.startsWith('src/')) {
    if (target === 'package.json' && !pure) return undefined;
    return `imports ${target}, which is outside src; the product may only use src ${told}`;
  }
  if (ENTRIES.includes(target)) return `imports ${target}, from which a program starts ${told}`;
  const folder = rowOf(target, table)?.name;
  if (folder !== row.name && (folder === undefined || !row.may.includes(folder))) {
    return `imports ${target}; turn the dependency round or go through a port ${told}`;
  }
  if (pure && !isPure(target, table)) return `is pure and imports ${target}, which is not ${told}`;
  return undefined;
}

function moduleOf(path: string): string {
  return path.replace(/^src\//, '').replace(/\.tsx?$/, '');
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Files of src that nothing starts from. Without an entry there is nothing to compare with. */
export function deadFileProblems(files: readonly TextFile[]): Problem[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  if (!ENTRIES.some((entry) => byPath.has(entry))) return [];
  const used = reach(ENTRIES, byPath);
  const tested = reach(
    files.map((file) => file.path).filter((path) => isTestFile(path)),
    byPath,
  );
  const testOnly = picomatch(TEST_ONLY);
  return files
    .map((file) => file.path)
    .filter((path) => path.startsWith('src/') && !isTestFile(path) && !used.has(path))
    .filter((path) => !(testOnly(path) && tested.has(path)))
    .map((file) => ({
      file,
      line: 1,
      say: testOnly(file)
        ? 'is reached neither by the product nor by a test; test it or delete it'
        : 'is not reached from an entry (ENTRIES of test/tidy/import-table.ts); use it or delete it',
    }));
}

function reach(starts: readonly string[], files: ReadonlyMap<string, TextFile>): Set<string> {
  const seen = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = files.get(path);
    if (file === undefined || seen.has(path)) continue;
    seen.add(path);
    for (const { specifier } of importsOf(file)) {
      if (specifier.startsWith('.')) waiting.push(resolveImport(path, specifier));
    }
  }
  return seen;
}

const EXPORT =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm;

/** Names that a file of src exports and no other file mentions. What the library exports is for its users. */
export function deadExportProblems(files: readonly TextFile[]): Problem[] {
  const mentions = new Map<string, number>();
  for (const { text } of files) {
    for (const word of new Set(text.match(/[\w$]+/g))) {
      mentions.set(word, (mentions.get(word) ?? 0) + 1);
    }
  }
  return files
    .filter(({ path }) => /^src\/(?!library\/)/.test(path) && !isTestFile(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORT)]
        .filter(([, name = '']) => (mentions.get(name) ?? 0) < 2)
        .map(({ 1: name = '', index }) => ({
          file: path,
          line: lineAt(text, index),
          say: `exports ${name}, which no other file mentions; do not export it, or delete it`,
        })),
    );
}
