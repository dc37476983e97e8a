import { firstOf } from '../app/lookup.ts';
import { type ImportOptions, type Incoming, readSources } from '../app/tasks.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { Import } from '../source/merge.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { warn } from './screen.ts';
import { readStdin } from './stdin.ts';

/** Reads the sources that the call names, and prints their notes. */
export async function sourcesOf(
  call: Call,
  root: string,
): Promise<Result<Incoming, readonly Failure[]>> {
  const read = await readSources(call.args, { cwd: folderOf(call), root, readStdin });
  if (!read.ok) return read;
  warn(read.value.notes);
  return ok(read.value);
}

/** Warnings about landed tasks whose new text is ignored, and about tasks that are no longer in their source. */
export function importWarnings(
  { landed, removed }: Pick<Import, 'landed' | 'removed'>,
  options: ImportOptions = {},
): readonly string[] {
  const warnings: string[] = [];
  if (landed.length > 0) {
    const has = landed.length === 1 ? 'has' : 'have';
    warnings.push(
      `${landed.join(', ')} ${has} already landed, so the new text is ignored. Add a new task for further work.`,
    );
  }
  for (const source of new Set(removed.map((one) => one.source))) {
    const ids = removed.filter((one) => one.source === source).map(({ id }) => id);
    warnings.push(
      `no longer in ${source}: ${firstOf(ids)}; ${effectOf(ids.length === 1, options)}.`,
    );
  }
  return warnings;
}

function effectOf(one: boolean, { dryRun = false, pruneRemoved = false }: ImportOptions): string {
  const [they, are, stay, them] = one
    ? ['it', 'is', 'stays', 'it']
    : ['they', 'are', 'stay', 'them'];
  if (!pruneRemoved) return `${they} ${stay} open; \`--prune-removed\` cancels ${them}`;
  return `${they} ${dryRun ? 'would be' : are} canceled`;
}
