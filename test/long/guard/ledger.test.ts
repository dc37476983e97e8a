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

test('reports work whose branch was deleted as lost, with exit status 1', async () => {
  const y = testProject({ ...mixed, loses: ['never'] });
  await y.ym('run', y.plan);
  for (const branch of y.leftovers().branches) y.git('update-ref', '-d', branch);
  const told = await y.ym('ledger');
  expect(told.code).toBe(1);
  expect(told.stdout).toMatch(/Lost: [0-9a-f]{7} of never, attempt 1: it was returned/);
  expect(await unaccounted(y.root)).not.toEqual([]);
});

test('still has all of it after pruning, and misses what was discarded', async () => {
  const y = testProject({ ...mixed, leaves: ['branches', 'kept'], loses: ['never'] });
  await y.ym('run', y.plan);
  await y.ym('prune', '--apply');
  expect(await ledgerOf(y)).toMatchObject({ code: 0, balanced: true });
  expect(await unaccounted(y.root)).toEqual([]);
  await y.ym('prune', '--apply', '--discard');
  expect(await ledgerOf(y)).toMatchObject({ code: 1, balanced: false });
});

test('reports landed work as dropped by a person if the target was reset', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    loses: ['a'],
  });
  const before = y.tip();
  await y.ym('run', y.plan);
  expect(await ledgerOf(y)).toMatchObject({ code: 0, counts: { landed: 1 } });
  y.git('reset', '-q', '--hard', before);
  const counts = { landed: 0, dropped: 1, lost: 0 };
  expect(await ledgerOf(y)).toMatchObject({ code: 0, balanced: true, counts });
});
