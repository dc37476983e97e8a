// `ym ledger`: every commit that an agent handed in is accounted for, while a run is under way and after it.
import { expect, test } from 'vitest';
import { unaccounted } from '../../rig/ledger.ts';
import {
  exit,
  remove,
  type TestProject,
  type TestProjectOptions,
  testProject,
  write,
} from '../../rig.ts';

interface Ledger {
  readonly balanced: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly entries: readonly {
    readonly task: string;
    readonly attempt: number;
    readonly commit: string;
    readonly fate: { readonly id: string; readonly by?: string; readonly ref?: string };
  }[];
}

async function ledgerOf(
  y: TestProject,
  ...args: string[]
): Promise<Ledger & { readonly code: number }> {
  const told = await y.ym('ledger', ...args, '--json');
  return { ...JSON.parse(told.stdout), code: told.code };
}

/** `fixed` comes back once and lands; `never` stays red and is given up. */
const mixed = {
  tasks: [{ id: 'fixed' }, { id: 'never' }],
  config: { retries: 1 },
  script: {
    fixed: [[write('red', ''), write('a.txt', 'a\n')], [remove('red')]],
    never: [
      [write('red', ''), write('b.txt', 'b\n')],
      [write('b.txt', 'again\n'), exit(1)],
    ],
  },
  leaves: ['branches'],
} as const satisfies TestProjectOptions;

test('still has all of it after pruning, and misses what was discarded', async () => {
  const y = testProject({ ...mixed, leaves: ['branches', 'kept'], loses: ['never'] });
  await y.ym('run', y.plan);
  await y.ym('prune', '--apply');
  expect(await ledgerOf(y)).toMatchObject({ code: 0, balanced: true });
  expect(await unaccounted(y.root)).toEqual([]);
  await y.ym('prune', '--apply', '--discard');
  expect(await ledgerOf(y)).toMatchObject({ code: 1, balanced: false });
});
