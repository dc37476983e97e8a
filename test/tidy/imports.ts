// Import direction and dead files.
import { posix } from 'node:path';
import picomatch from 'picomatch';
import { isTestFile, lineAt, type Problem, type TextFile } from './files.ts';
import { ENTRIES, PORTS, TABLE, TEST_ONLY } from './import-table.ts';
import { mask } from './mask.ts';

export interface Row {
  readonly name: string;
  readonly kind: 'pure' | 'port' | 'shell';
  readonly may: readonly string[];
  readonly never: readonly string[];
  readonly packages: readonly string[];
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

export const rows: readonly Row[] = parseTable(TABLE);

export function parseTable(table: string): Row[] {
  return table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', kind = '', targets = '', packages = ''] = line
        .split('|')
        .map((cell) => cell.trim());
      if (kind !== 'pure' && kind !== 'port' && kind !== 'shell') {
        throw new Error(`import-table.ts: the kind of "${line.trim()}" is not pure, port or shell`);
      }
      const words = targets.replace('PORTS', PORTS).split(/\s+/);
      return {
        name,
        kind,
        may: words.filter((word) => !word.startsWith('!')),
        never: words.filter((word) => word.startsWith('!')).map((word) => word.slice(1)),
        packages: packages.split(/\s+/).filter((word) => word !== ''),
      };
    });
}

/** The row for a file such as `src/plan/fold.ts`: of those that fit, the one with the longest name. */
export function rowOf(path: string, table: readonly Row[] = rows): Row | undefined {
  const module = moduleOf(path);
  return table
    .filter((row) => covers(row.name, module))
    .sort((a, b) => b.name.length - a.name.length)[0];
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
    const why = forbids(row, file.path, specifier);
    return why === undefined ? [] : [{ file: file.path, line, say: why }];
  });
}

function forbids(row: Row, from: string, specifier: string): string | undefined {
  const told = `(row "${row.name}" of test/tidy/import-table.ts)`;
  if (specifier.startsWith('node:')) {
    if (row.kind === 'shell') return undefined;
    return `is ${row.kind} and imports ${specifier}; take the value as an argument or a port ${told}`;
  }
  if (!specifier.startsWith('.')) {
    const name = packageName(specifier);
    if (row.packages.includes(name)) return undefined;
    return `imports the package ${name}; do it where the package is allowed ${told}`;
  }
  const target = resolveImport(from, specifier);
  if (!target.startsWith('src/')) {
    if (target === 'package.json' && row.kind === 'shell') return undefined;
    return `imports ${target}, which is outside src; the product may only use src ${told}`;
  }
  if (allows(row, moduleOf(target))) return undefined;
  return `imports ${target}; turn the dependency round or go through a port ${told}`;
}

function allows(row: Row, module: string): boolean {
  if (row.never.some((name) => covers(name, module))) return false;
  return row.may.some((name) => {
    if (name === '*') return true;
    return covers(name === '.' ? row.name : name, module);
  });
}

/** Whether a name of the table (a folder or a file without its ending) takes in a module. */
function covers(name: string, module: string): boolean {
  return module === name || module.startsWith(`${name}/`);
}

function moduleOf(path: string): string {
  return path.replace(/^src\//, '').replace(/\.ts$/, '');
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
