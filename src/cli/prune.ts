import {
  findPrunable,
  type Leftover,
  type Orphan,
  type Pruned,
  type RunFolder,
  removePrunable,
} from '../app/prune.ts';
import { fail, ok } from '../model/failure.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const all = call.options.flag('files');
    const found = await findPrunable(opened, { files: all });
    if (!found.ok) return found;
    const { leftovers, files, bytes, orphans } = found.value;
    if (!call.options.flag('apply')) {
      return print(call, { applied: false, leftovers, files, orphans }, () => [
        ...listed(leftovers, files),
        ...sizeOf(bytes, all),
        ...orphanLines(orphans),
      ]);
    }
    const discard = call.options.flag('discard');
    const pruned = await removePrunable(opened, found.value, { discard });
    if (!pruned.ok) return pruned;
    print(call, { applied: true, ...pruned.value, files, orphans }, () => [
      ...resultOf(pruned.value, files),
      ...orphanLines(orphans),
    ]);
    const failure = pruned.value.left.find((left) => left.failure !== undefined)?.failure;
    return failure === undefined || call.options.flag('json') ? ok(0) : fail(failure);
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

/** Reported from one megabyte on. */
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
