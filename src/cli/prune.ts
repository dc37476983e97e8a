import { findPrunable, removePrunable } from '../app/prune.ts';
import { fail, ok } from '../model/failure.ts';
import { prunableText, prunedText } from '../report/run/prune.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const all = call.options.flag('files');
    const found = await findPrunable(opened, { files: all });
    if (!found.ok) return found;
    const { leftovers, files, orphans } = found.value;
    if (!call.options.flag('apply')) {
      return print(call, { applied: false, leftovers, files, orphans }, ({ textWidth }) =>
        prunableText(found.value, all, textWidth),
      );
    }
    const discard = call.options.flag('discard');
    const pruned = await removePrunable(opened, found.value, { discard });
    print(call, { applied: true, ...pruned, files, orphans }, ({ textWidth }) =>
      prunedText(pruned, found.value, textWidth),
    );
    const failure = pruned.left.find((left) => left.failure !== undefined)?.failure;
    return failure === undefined || call.options.flag('json') ? ok(0) : fail(failure);
  });
}
