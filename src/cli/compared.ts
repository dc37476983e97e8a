import { compareVariants, variantPatches } from '../app/compare.ts';
import { ok, type Result } from '../model/failure.ts';
import { textLines } from '../report/format/layout.ts';
import { plain } from '../report/format/style.ts';
import { compareText } from '../report/task/compare.ts';
import type { PageText } from '../report/watch/scene.ts';

/** The output of `ym compare ID --diff`, and the change of each variant by itself. */
export async function comparedLines(
  ports: Parameters<typeof variantPatches>[0] & Parameters<typeof compareVariants>[0],
  task: string,
  width: number,
): Promise<Result<Pick<PageText, 'lines' | 'sides'>>> {
  const compared = await compareVariants(ports, task);
  if (!compared.ok) return compared;
  const patches = await variantPatches(ports, compared.value);
  if (!patches.ok) return patches;
  const changes = new Map(patches.value.map(({ id, patch }) => [id, textLines(patch)]));
  const diffs = [...changes].flatMap(([id, lines]) => ['', `# ${id}`, ...lines]);
  const sides = compared.value.variants.map((variant) => {
    return { variant, patch: changes.get(variant.id) ?? [] };
  });
  return ok({ lines: [...compareText(compared.value, plain, width), ...diffs], sides });
}
