// How long files and functions are. Functions are found by their heads and measured to the closing
// brace; an arrow without braces is one expression and is not measured.
import { countLines, lineAt, type Problem, type TextFile } from './files.ts';
import { mask } from './mask.ts';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;

export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** `function name(` and `name(` at the start of a line or after a brace, as methods are written. */
const HEAD =
  /\bfunction\b\s*\*?\s*([\w$]*)\s*(?:<[^()]*>)?\s*\(|(?<=^|[\n{};,])[ \t]*(?:(?:public|private|protected|static|async|override|get|set)\s+|\*\s*)*([#\w$]+)\s*(?:<[^()\n]*>)?\(/g;
const NOT_A_METHOD = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'with',
  'return',
  'function',
]);
const ARROW = /=>\s*\{/g;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export function fileSizeProblems({ path, text }: TextFile): Problem[] {
  const lines = countLines(text);
  if (lines <= FILE_LINES_MAX) return [];
  const say = `has ${lines} lines, at most ${FILE_LINES_MAX}; split it where a noun appears`;
  return [{ file: path, line: FILE_LINES_MAX + 1, say }];
}

export function functionSizeProblems(file: TextFile): Problem[] {
  return functionsOf(file.text)
    .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
    .map(({ name, line, lines }) => ({
      file: file.path,
      line,
      say: `${name} has ${lines} lines, at most ${FUNCTION_LINES_MAX}; give its parts names`,
    }));
}

export function functionsOf(text: string): MeasuredFunction[] {
  const { code } = mask(text);
  const measure = (name: string, start: number, body: number): MeasuredFunction => {
    const line = lineAt(code, start);
    return { name, line, lines: lineAt(code, closeOf(code, body)) - line + 1 };
  };
  const named = [...code.matchAll(HEAD)].flatMap((head) => {
    const name = head[1] || head[2] || 'function';
    const open = head.index + head[0].length - 1;
    if (NOT_A_METHOD.has(name)) return [];
    const body = bodyAfter(code, closeOf(code, open) + 1);
    const start = head.index + (head[0].length - head[0].trimStart().length);
    return body === undefined ? [] : [measure(name, start, body)];
  });
  const arrows = [...code.matchAll(ARROW)].map((arrow) => {
    const start = arrowStart(code, arrow.index);
    return measure(arrowName(code, start), start, arrow.index + arrow[0].length - 1);
  });
  return [...named, ...arrows].sort((a, b) => a.line - b.line);
}

/** Offset of the brace that closes the one at `open`; the end of the text if none does. */
function closeOf(code: string, open: number): number {
  const opening = code[open] ?? '';
  const closing = CLOSING[opening];
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === opening) depth += 1;
    if (code[at] === closing) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

/** Where the body starts, given the offset after the parameters; undefined for a mere signature or a call. */
function bodyAfter(code: string, after: number): number | undefined {
  let at = skipSpace(code, after);
  if (code[at] === '{') return at;
  if (code[at] !== ':') return undefined;
  // A return type: braces in it are types where a type is still awaited, else the body.
  let awaited = true;
  let angles = 0;
  for (at += 1; at < code.length; at += 1) {
    const char = code[at] ?? '';
    if (/\s/.test(char)) continue;
    if (code.startsWith('=>', at)) {
      at += 1;
      awaited = true;
    } else if (char === '{' && !awaited && angles === 0) return at;
    else if (char in CLOSING) {
      at = closeOf(code, at);
      awaited = false;
    } else if (char === ';' || char === '}' || char === ')') return undefined;
    else {
      if (char === '<') angles += 1;
      if (char === '>') angles -= 1;
      awaited =
        '|&<,:'.includes(char) || /\b(?:is|keyof|extends)$/.test(code.slice(at - 8, at + 1));
    }
  }
  return undefined;
}

/** Start of an arrow function's parameters, or the arrow itself where a return type hides them. */
function arrowStart(code: string, arrow: number): number {
  let at = arrow - 1;
  while (/\s/.test(code[at] ?? '')) at -= 1;
  if (code[at] !== ')') return arrow;
  let depth = 0;
  for (; at >= 0; at -= 1) {
    if (code[at] === ')') depth += 1;
    if (code[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return arrow;
}

function arrowName(code: string, start: number): string {
  const before = code.slice(code.lastIndexOf('\n', start) + 1, start);
  return /(?:const|let)\s+([\w$]+)|([\w$]+)\s*[:=]/.exec(before)?.slice(1).find(Boolean) ?? 'arrow';
}

function skipSpace(code: string, from: number): number {
  let at = from;
  while (/\s/.test(code[at] ?? '')) at += 1;
  return at;
}
