import { fail, ok } from '../model/failure.ts';
import { findLeftovers, removeLeftovers } from '../wire/leftovers.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ project, store }) => {
    const found = await findLeftovers(project, store);
    if (!found.ok) return found;
    const screen = screenOf(call);
    const json = call.options.flag('json');
    if (!call.options.flag('apply')) {
      if (json) screen.json({ applied: false, leftovers: found.value });
      else if (found.value.length === 0) screen.lines(['Nothing is left over.']);
      else screen.lines([...found.value.map(lineOf), '', '`ym prune --apply` removes it.']);
      return ok(0);
    }
    const pruned = await removeLeftovers(project, found.value);
    if (json) {
      screen.json({ applied: true, ...pruned });
      return ok(0);
    }
    screen.lines([
      ...pruned.removed.map((leftover) => `removed  ${lineOf(leftover)}`),
      ...pruned.saved.map((saved) => `saved    ${saved.ref}`),
      ...pruned.left.map(({ leftover }) => `kept     ${lineOf(leftover)}`),
    ]);
    const failure = pruned.left.find((left) => left.failure !== undefined)?.failure;
    return failure === undefined ? ok(0) : fail(failure);
  });
}

function lineOf(
  leftover: { readonly kind: string; readonly run: string } & ({ ref: string } | { dir: string }),
): string {
  const what = 'ref' in leftover ? leftover.ref : leftover.dir;
  return `${leftover.kind.padEnd(8)}  ${leftover.run}  ${what}`;
}
