import { wrap } from '../format/layout.ts';
import { widthOf } from '../format/width.ts';

/** Something that an ended run left behind, as far as it is shown. */
type Leftover =
  | { readonly kind: 'prepared'; readonly dir: string; readonly bytes: number }
  | { readonly kind: 'resolution'; readonly task: string; readonly dir: string }
  | { readonly kind: 'worktree' | 'folder'; readonly run: string; readonly dir: string }
  | {
      readonly kind: 'branch' | 'kept';
      readonly run: string;
      readonly ref: string;
      readonly commit: string;
      readonly only: boolean;
    }
  | {
      readonly kind: 'held';
      readonly run: string;
      readonly ref: string;
      readonly commit: string;
    };

interface RunFolder {
  readonly run: string;
  readonly dir: string;
  readonly bytes: number;
}

type Orphan =
  | { readonly id: 'ref-without-record'; readonly ref: string; readonly commit: string }
  | { readonly id: 'folder-without-record'; readonly run: string; readonly dir: string };

interface Prunable {
  readonly leftovers: readonly Leftover[];
  readonly files: readonly RunFolder[];
  readonly bytes: number;
  readonly orphans: readonly Orphan[];
}

interface Pruned {
  readonly removed: readonly Leftover[];
  readonly saved: readonly { readonly ref: string }[];
  readonly left: readonly { readonly leftover: Leftover }[];
}

/** `ym prune`: what it would remove. `all` if that includes the files of all ended runs. */
export function prunableText(
  { leftovers, files, bytes, orphans }: Prunable,
  all: boolean,
  width: number,
): readonly string[] {
  const lines = [...listed(leftovers, files), ...sizeOf(bytes, all), ...orphanLines(orphans)];
  return lines.flatMap((line) => fitted(line, width));
}

/** `ym prune --apply`: what it removed, saved and kept. */
export function prunedText(
  pruned: Pruned,
  { files, orphans }: Pick<Prunable, 'files' | 'orphans'>,
  width: number,
): readonly string[] {
  const lines = [...resultOf(pruned, files), ...orphanLines(orphans)];
  return lines.flatMap((line) => fitted(line, width));
}

/** Parts of a row are two spaces apart; without room they go below each other, and stay whole for copying. */
function fitted(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const parts = line.split(/ {2,}/);
  return parts.flatMap((part, at) => {
    const indent = at === 0 ? '' : '  ';
    return wrap(part, width - indent.length).map((one) => indent + one);
  });
}

const forGood =
  'Delete it for good with `ym prune --apply --discard`, or one by one with `git update-ref -d REF`.';

function listed(leftovers: readonly Leftover[], files: readonly RunFolder[]): string[] {
  if (leftovers.length + files.length === 0) return ['Nothing to prune.'];
  const lines = [...leftovers.map(lineOf), ...files.map(folderLine), ''];
  const keeps = leftovers.some(isOnlyCopy);
  const goes =
    files.length > 0 ||
    leftovers.some((leftover) => !isOnlyCopy(leftover) || leftover.kind === 'branch');
  if (goes) {
    const but = keeps
      ? '; work that exists only on such a branch is kept under refs/yard/keep'
      : '';
    lines.push(`\`ym prune --apply\` removes it${but}.`);
  }
  if (leftovers.some((leftover) => leftover.kind === 'kept' && leftover.only)) {
    lines.push(`Kept refs hold work that none of your branches has. ${forGood}`);
  }
  return lines;
}

/** Entries without a record may be someone's work, so they are named and never removed. */
function orphanLines(orphans: readonly Orphan[]): string[] {
  if (orphans.length === 0) return [];
  const lines = orphans.map((one) =>
    one.id === 'ref-without-record'
      ? `unknown   ${one.ref}  ${one.commit}`
      : `unknown   ${one.run}  ${one.dir}`,
  );
  return [
    '',
    ...lines,
    'No record explains these, so they are never removed. Delete a ref with `git update-ref -d REF`, a folder by hand.',
  ];
}

/** True if the ref is the only copy of some work. */
function isOnlyCopy(leftover: Leftover): boolean {
  return (leftover.kind === 'branch' || leftover.kind === 'kept') && leftover.only;
}

function sizeOf(bytes: number, all: boolean): string[] {
  if (bytes < 1024 * 1024 || all) return [];
  const size = formatBytes(bytes);
  return [`Files of ended runs take ${size}; \`ym prune --files --apply\` removes all of them.`];
}

function folderLine({ run, dir, bytes }: RunFolder): string {
  return `${'files'.padEnd(8)}  ${run}  ${dir}  ${formatBytes(bytes)}`;
}

function formatBytes(bytes: number): string {
  const mega = bytes / 1024 / 1024;
  return mega < 1 ? `${Math.ceil(bytes / 1024)} KB` : `${mega.toFixed(mega < 10 ? 1 : 0)} MB`;
}

function resultOf({ removed, saved, left }: Pruned, files: readonly RunFolder[]): string[] {
  const lines = [
    ...files.map((folder) => `removed  ${folderLine(folder)}`),
    ...removed.map((leftover) => `removed  ${lineOf(leftover)}`),
    ...saved.map(({ ref }) => `saved    ${ref}`),
    ...left.map(({ leftover }) => `stays    ${lineOf(leftover)}`),
  ];
  if (lines.length === 0) return ['Nothing to prune.'];
  return saved.length > 0 || left.some(({ leftover }) => isOnlyCopy(leftover))
    ? [...lines, '', `Work that none of your branches has is kept. ${forGood}`]
    : lines;
}

function lineOf(leftover: Leftover): string {
  if (leftover.kind === 'prepared') {
    const size = `${Math.ceil(leftover.bytes / 1024 ** 2)} MB`;
    return `prepared  ${size} of installed dependencies for the next run  ${leftover.dir}`;
  }
  const what = 'ref' in leftover ? `${leftover.ref}  ${leftover.commit}` : leftover.dir;
  return `${leftover.kind.padEnd(8)}  ${leftover.kind === 'resolution' ? leftover.task : leftover.run}  ${what}`;
}
