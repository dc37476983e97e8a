import { limits } from '../model/limits.ts';
import { assertionsOf } from './asserts.ts';
import type { ChangedText } from './changed.ts';
import { countsOf, without } from './changed.ts';
import { codeOf, languageOf } from './code.ts';
import { bareLines } from './skips.ts';

/** Assertion vocabulary; never taken for names of the product. */
const vocabulary =
  /^(?:true|false|null|undefined|None|True|False|nil|not|never|to[A-Z]\w*|to|be\w*|is\w*|eq\w*|ne|assert\w*|expect\w*|should\w*|any\w*|some|all|in|and|or|await|async)$/;

/** Names removed from or added to the changed sources. A test that follows a rename asserts the same as before. */
export function renamedWords(sources: readonly ChangedText[]): ReadonlySet<string> {
  const before = new Set<string>();
  const after = new Set<string>();
  for (const { path, before: was = '', after: is = '' } of sources) {
    const language = languageOf(path);
    if (language === undefined) continue;
    for (const [word] of codeOf(language, was).code.matchAll(/[A-Za-z_$][\w$]*/g)) before.add(word);
    for (const [word] of codeOf(language, is).code.matchAll(/[A-Za-z_$][\w$]*/g)) after.add(word);
  }
  const gone = [...before].filter((word) => !after.has(word));
  const come = [...after].filter((word) => !before.has(word));
  if (gone.length === 0 || come.length === 0) return new Set();
  return new Set([...gone, ...come].filter((word) => !vocabulary.test(word)));
}

const definitions = [
  /\b(?:function|def|func|fn|fun)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/,
  /\b(?:const|let)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:\(|\w+\s*=>|function\b)/,
  /\b(?:private|public|protected|static|void)\s+(?:[\w<>[\]]+\s+){0,4}([A-Za-z_$][\w$]*)\s*\(/,
  /^([A-Za-z_][\w]*)\s*\(\)\s*\{/,
];

/** New function with its assertions and the number of calls to it. */
export interface Extracted {
  readonly asserts: ReadonlySet<string>;
  readonly calls: number;
}

/** New functions that hold assertions. Several tests may call one instead of repeating its assertion. */
export function extractedFunctions(changed: readonly ChangedText[]): readonly Extracted[] {
  const read = changed.map(({ path, before = '', after = '' }) => {
    const language = languageOf(path) ?? 'other';
    const code = codeOf(language, after);
    return { code, added: without(bareLines(code), bareLines(codeOf(language, before))) };
  });
  const words = countsOf(
    read.flatMap(({ added }) => added.flatMap((line) => line.match(/[A-Za-z_$][\w$]*/g) ?? [])),
  );
  return read.flatMap(({ code, added }) => {
    const functions = functionsIn(code.text, new Set(added));
    const claims = functions.length === 0 ? [] : assertionsOf(code);
    return functions.flatMap(({ name, start, end }): Extracted[] => {
      const inside = claims.filter(({ at }) => at > start && at < end);
      const calls = (words.get(name) ?? 0) - 1;
      if (inside.length === 0 || calls < 1) return [];
      return [{ asserts: new Set(inside.map(({ key }) => key)), calls }];
    });
  });
}

function functionsIn(
  text: string,
  heads: ReadonlySet<string>,
): readonly { readonly name: string; readonly start: number; readonly end: number }[] {
  const lines = text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  return lines.flatMap((line, at) => {
    const name = heads.has(line.trim()) ? definedBy(line.trim()) : undefined;
    if (name === undefined) return [];
    const depth = line.length - line.trimStart().length;
    const rest = lines.slice(at + 1, at + 1 + limits.functionLines);
    const length = rest.findIndex(
      (next) => next.trim() !== '' && next.length - next.trimStart().length <= depth,
    );
    const last = at + (length === -1 ? rest.length : length) + 1;
    return [{ name, start: starts[at] ?? 0, end: starts[last] ?? text.length }];
  });
}

function definedBy(line: string): string | undefined {
  if (line.length > limits.statementChars) return undefined;
  for (const pattern of definitions) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}
