import { batchLimits } from '../model/batch.ts';

/** A changed file, and the names of functions and classes in which it changed. */
interface TouchedFile {
  readonly path: string;
  readonly symbols: readonly string[];
}

const modifiers =
  'export|default|public|private|protected|internal|static|async|abstract|final|sealed|override|open|inline|virtual|unsafe|extern|declare|data|pub(?:\\([a-z]+\\))?';
const heads =
  'function\\*?|class|interface|struct|enum|trait|impl|module|namespace|type|def|fn|func(?:\\s*\\([^()]*\\))?|fun|protocol|record|object|sub|proc';
/** A line that defines a function, a class or a type. */
const definition = new RegExp(`^(?:(?:${modifiers})\\s+)*(?:${heads})\\s+([A-Za-z_$][\\w$]*)`);
/** A function that is the value of a name. */
const assigned =
  /^(?:export\s+)?(?:const|let|var|val)\s+([A-Za-z_$][\w$]*)(?:\s*:.{1,120}?)?\s*=\s*(?:async\s*)?(?:function\b|\(|[A-Za-z_$][\w$]*\s*=>)/;
/** The head of a method, as git shows it after the line numbers of a hunk. */
const method = /([A-Za-z_$][\w$]*)\s*\(/;
const keywords = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'else',
  'await',
  'new',
]);
const hunk = /^@@ [-+\d, ]+ @@ ?(.*)$/;

/**
 * Files of a unified diff, with the names of what changed in them: from the heads of hunks and from changed lines that
 * define something. Reads names, not the language, so it may miss some. Bounded, whatever the diff holds.
 */
export function touchedIn(diff: string): readonly TouchedFile[] {
  const found = new Map<string, Set<string>>();
  let symbols: Set<string> | undefined;
  let before = '';
  for (const line of linesOf(diff.slice(0, batchLimits.touchedDiffChars))) {
    if (line.startsWith('diff --git ')) {
      symbols = undefined;
    } else if (line.startsWith('--- ') && symbols === undefined) {
      before = line.slice(4);
    } else if (line.startsWith('+++ ') && symbols === undefined) {
      const path = pathOf(line.slice(4)) ?? pathOf(before);
      if (path === undefined) continue;
      if (!found.has(path) && found.size >= batchLimits.touchedFiles) break;
      symbols = found.get(path) ?? new Set();
      found.set(path, symbols);
    } else {
      const name = symbols === undefined ? undefined : symbolIn(line);
      if (name !== undefined && (symbols?.size ?? 0) < batchLimits.touchedSymbols)
        symbols?.add(name);
    }
  }
  return [...found].map(([path, names]) => ({ path, symbols: [...names] }));
}

const lineChars = 300;

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const stop = end === -1 ? text.length : end;
    yield text.slice(at, Math.min(stop, at + lineChars));
    at = stop + 1;
  }
}

/** Undefined for `/dev/null`, the other side of an added or deleted file. */
function pathOf(name: string): string | undefined {
  const path = name.replace(/\t.*$/, '').replace(/^"(.*)"$/, '$1');
  return path === '/dev/null' ? undefined : path.replace(/^[ab]\//, '');
}

function symbolIn(line: string): string | undefined {
  const [, context] = hunk.exec(line) ?? [];
  if (context !== undefined) return definedIn(context.trim()) ?? methodIn(context);
  if (!line.startsWith('+') && !line.startsWith('-')) return undefined;
  return definedIn(line.slice(1).trim());
}

function definedIn(text: string): string | undefined {
  return definition.exec(text)?.[1] ?? assigned.exec(text)?.[1];
}

function methodIn(text: string): string | undefined {
  const [, name = ''] = method.exec(text) ?? [];
  return name === '' || keywords.has(name) ? undefined : name;
}
