// A run whose commits have several fates, and what `ym ledger` says of them.
import { exit, remove, type TestProject, type TestProjectOptions, write } from '../rig.ts';

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

export async function ledgerOf(
  y: TestProject,
  ...args: string[]
): Promise<Ledger & { readonly code: number }> {
  const told = await y.ym('ledger', ...args, '--json');
  return { ...JSON.parse(told.stdout), code: told.code };
}

/** `fixed` comes back once and lands; `never` stays red and is given up. */
export const mixed = {
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
