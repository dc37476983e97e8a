import { compareVariants, variantPatches } from '../app/compare.ts';
import { compareRuns } from '../app/compare-runs.ts';
import { ok } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { comparisonText } from '../report/compare/run-comparison.ts';
import { compareSchema, compareText } from '../report/task/compare.ts';
import { withStore } from './open.ts';
import { printRaw } from './output.ts';
import type { Call } from './parse.ts';
import { complain, print } from './screen.ts';

/** One name is a task with variants; two are runs. */
export async function run(call: Call): Promise<number> {
  const [first = '', second] = call.args;
  if (second === undefined) return variants(call, first);
  if (!call.options.flag('diff')) return runs(call, [first, second]);
  const remedy = `Type \`ym compare ${first} ${second}\`, or \`ym compare TASK --diff\`.`;
  return complain([
    { kind: 'usage', problem: '--diff shows variants of a task, and two runs have none', remedy },
  ]);
}

function runs(call: Call, names: readonly [string, string]): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const compared = await compareRuns(opened, names);
    if (!compared.ok) return compared;
    return print(call, compared.value, ({ style, width }) =>
      comparisonText(compared.value, style, width),
    );
  });
}

function variants(call: Call, task: string): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const compared = await compareVariants(opened, task);
    if (!compared.ok) return compared;
    const withDiffs = call.options.flag('diff');
    const patches = withDiffs ? await settled(variantPatches(opened, compared.value)) : ok([]);
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
