// Runs of lines that stand in two places.
import type { Problem, TextFile } from './files.ts';

/** So many telling lines in a row are one piece of code too many. */
const RUN_LINES = 8;

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Pairs of places with the same run of lines. Imports, blank lines and lone brackets do not count. */
export function duplicates(files: readonly TextFile[]): (readonly [Place, Place])[] {
  const first = new Map<string, Place>();
  const found: (readonly [Place, Place])[] = [];
  for (const { path, text } of files) {
    const lines = tellingLines(text);
    let until = 0;
    for (let index = 0; index + RUN_LINES <= lines.length; index += 1) {
      const run = lines.slice(index, index + RUN_LINES);
      const key = run.map(({ text }) => text).join('\n');
      const place = { path, line: run[0]?.line ?? 1 };
      const other = first.get(key);
      if (other === undefined) first.set(key, place);
      else if (index >= until) {
        found.push([other, place]);
        until = index + RUN_LINES;
      }
    }
  }
  return found;
}

function tellingLines(text: string): readonly { readonly text: string; readonly line: number }[] {
  const body = text.replace(/^import [^;]*;$/gm, (whole) => whole.replace(/[^\n]/g, ''));
  return body
    .split('\n')
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => /\w.*\w/.test(line.text));
}

export function duplicateProblems(files: readonly TextFile[]): Problem[] {
  return duplicates(files).map(([first, { path, line }]) => ({
    file: path,
    line,
    say: `repeats ${RUN_LINES} lines of ${first.path}:${first.line}; let one piece of code serve both`,
  }));
}
