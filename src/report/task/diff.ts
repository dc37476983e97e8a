import { amount } from '../format/amount.ts';
import { textLines } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';

/** A changed file; `lines` is absent for binary files. */
export interface ChangedFile {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly lines?: LineCounts;
}

interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** The paths that differ, with the lines that their patch adds and removes. */
export function changedFiles(
  changes: readonly {
    readonly path: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[],
  patch: string,
): readonly ChangedFile[] {
  const counts = linesByFile(patch);
  return changes.map(({ path, before, after }) => {
    const lines = counts.get(path);
    return {
      path,
      change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      lines,
    };
  });
}

/** Lines added and removed in each file of a patch, by its path. */
function linesByFile(patch: string): ReadonlyMap<string, LineCounts> {
  const counts = new Map<string, LineCounts>();
  let path: string | undefined;
  let inHunk = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      path = undefined;
      inHunk = false;
    } else if (!inHunk && /^(?:---|\+\+\+) /.test(line)) {
      path = pathOf(line.slice(4)) ?? path;
      if (path !== undefined) counts.set(path, { added: 0, removed: 0 });
    } else if (line.startsWith('@@ ')) inHunk = true;
    else if (inHunk && path !== undefined) count(counts, path, line);
  }
  return counts;
}

/** `a/x` or `b/x` as `x`; none for `/dev/null`. Git ends a path with a space in it by a tab. */
function pathOf(text: string): string | undefined {
  const name = text.replace(/\t$/, '');
  return /^[ab]\//.test(name) ? name.slice(2) : undefined;
}

function count(counts: Map<string, LineCounts>, path: string, line: string): void {
  const { added, removed } = counts.get(path) ?? { added: 0, removed: 0 };
  if (line.startsWith('+')) counts.set(path, { added: added + 1, removed });
  if (line.startsWith('-')) counts.set(path, { added, removed: removed + 1 });
}

/** Lines of a patch, those that it adds and removes in color. */
export function patchLines(patch: string, style: Style): readonly string[] {
  return textLines(patch).map((line) => {
    if (line.startsWith('+')) return style.green(line);
    if (line.startsWith('-')) return style.red(line);
    return line.startsWith('@@ ') ? style.cyan(line) : line;
  });
}

/** `ym diff --stat`: a line for each file, and the sums. */
export function diffStatText(
  files: readonly ChangedFile[],
  style: Style,
  width: number,
): readonly string[] {
  const rows = files.map(({ path, change, lines }) => [
    path,
    { text: lines === undefined ? '' : `+${lines.added}`, paint: style.green },
    { text: lines === undefined ? '' : `-${lines.removed}`, paint: style.red },
    change === 'changed' ? '' : change,
  ]);
  const columns = [
    { title: '', gives: true },
    { title: '', align: 'right' as const },
    { title: '', align: 'right' as const },
    '',
  ];
  const { added, removed } = sumOf(files);
  const all = files.length === 1 ? '1 file' : `${amount(files.length)} files`;
  return [...table(columns, rows, width), `${all} changed, +${amount(added)} -${amount(removed)}`];
}

export function sumOf(files: readonly ChangedFile[]): LineCounts {
  return files.reduce(
    (sum, { lines }) => ({
      added: sum.added + (lines?.added ?? 0),
      removed: sum.removed + (lines?.removed ?? 0),
    }),
    { added: 0, removed: 0 },
  );
}
