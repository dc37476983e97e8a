import { compareVariants, variantPatches } from '../app/compare.ts';
import type { Opened } from '../app/ports.ts';
import { ok, type Result } from '../model/failure.ts';
import { textLines } from '../report/format/layout.ts';
import { plain } from '../report/format/style.ts';
import { compareText } from '../report/task/compare.ts';

/** The output of `ym compare ID --diff`: the variants of a task, then the change of each. */
export async function comparedLines(
  opened: Opened,
  task: string,
  width: number,
): Promise<Result<readonly string[]>> {
  const compared = await compareVariants(opened, task);
  if (!compared.ok) return compared;
  const patches = await variantPatches(opened, compared.value);
  if (!patches.ok) return patches;
  const diffs = patches.value.flatMap(({ id, patch }) => ['', `# ${id}`, ...textLines(patch)]);
  return ok([...compareText(compared.value, plain, width), ...diffs]);
}
