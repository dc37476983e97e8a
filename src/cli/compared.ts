import { compareVariants, variantPatches } from '../app/compare.ts';
import { ok, type Result } from '../model/failure.ts';
import { textLines } from '../report/format/layout.ts';
import { plain } from '../report/format/style.ts';
import { compareText } from '../report/task/compare.ts';

/** The output of `ym compare ID --diff`: the variants of a task, then the change of each. */
export async function comparedLines(
  ports: Parameters<typeof variantPatches>[0],
  task: string,
  width: number,
): Promise<Result<readonly string[]>> {
  const compared = await compareVariants(ports, task);
  if (!compared.ok) return compared;
  const patches = await variantPatches(ports, compared.value);
  if (!patches.ok) return patches;
  const diffs = patches.value.flatMap(({ id, patch }) => ['', `# ${id}`, ...textLines(patch)]);
  return ok([...compareText(compared.value, plain, width), ...diffs]);
}
