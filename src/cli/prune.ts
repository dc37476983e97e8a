import { fail, ok } from '../model/failure.ts';
import { findLeftovers, type Leftover, type Pruned, removeLeftovers } from '../wire/leftovers.ts';
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
      else screen.lines(listed(found.value));
      return ok(0);
    }
    const pruned = await removeLeftovers(project, found.value, call.options.flag('discard'));
    if (json) screen.json({ applied: true, ...pruned });
    else screen.lines(told(pruned));
    const failure = pruned.left.find((left) => left.failure !== undefined)?.failure;
    return failure === undefined || json ? ok(0) : fail(failure);
  });
}

const forGood =
  '`ym prune --apply --discard` drops it for good, or `git update-ref -d REF` one by one.';

function listed(leftovers: readonly Leftover[]): string[] {
  if (leftovers.length === 0) return ['Nothing is left over.'];
  const lines = [...leftovers.map(lineOf), ''];
  const keeps = leftovers.some(isOnlyCopy);
  const goes = leftovers.some((leftover) => !isOnlyCopy(leftover) || leftover.kind === 'branch');
  if (goes) {
    const but = keeps
      ? '; branches whose work is nowhere else become refs under refs/yard/keep'
      : '';
    lines.push(`\`ym prune --apply\` removes it${but}.`);
  }
  if (leftovers.some((leftover) => leftover.kind === 'kept' && leftover.only)) {
    lines.push(`What is kept is work that no branch of yours has. ${forGood}`);
  }
  return lines;
}

/** Whether a ref alone holds some work. */
function isOnlyCopy(leftover: Leftover): boolean {
  return (leftover.kind === 'branch' || leftover.kind === 'kept') && leftover.only;
}

function told({ removed, saved, left }: Pruned): string[] {
  const lines = [
    ...removed.map((leftover) => `removed  ${lineOf(leftover)}`),
    ...saved.map(({ ref }) => `saved    ${ref}`),
    ...left.map(({ leftover }) => `stays    ${lineOf(leftover)}`),
  ];
  if (lines.length === 0) return ['Nothing is left over.'];
  return saved.length > 0 || left.some(({ leftover }) => isOnlyCopy(leftover))
    ? [...lines, '', `Work that no branch of yours has is kept. ${forGood}`]
    : lines;
}

function lineOf(leftover: Leftover): string {
  const what = 'ref' in leftover ? leftover.ref : leftover.dir;
  return `${leftover.kind.padEnd(8)}  ${leftover.run}  ${what}`;
}
