import { compareVariants, variantPatches } from '../app/compare.ts';
import { ok } from '../model/failure.ts';
import { compareSchema, compareText } from '../report/task/compare.ts';
import { withStore } from './open.ts';
import { printRaw } from './output.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const compared = await compareVariants(opened, call.args[0] ?? '');
    if (!compared.ok) return compared;
    const withDiffs = call.options.flag('diff');
    const patches = withDiffs ? await variantPatches(opened, compared.value) : ok([]);
    if (!patches.ok) return patches;
    const value = { schema: compareSchema, ...compared.value };
    const diffs = withDiffs ? { patches: patches.value } : {};
    const shown = print(call, { ...value, ...diffs }, ({ style, width }) =>
      compareText(compared.value, style, width),
    );
    if (!call.options.flag('json')) {
      for (const { id, patch } of patches.value) printRaw(`\n# ${id}\n${patch}`);
    }
    return shown;
  });
}
