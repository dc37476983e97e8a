import type { CommandRow } from './row.ts';
import { json } from './shared.ts';

export const ledgerCommands: readonly CommandRow[] = [
  {
    name: 'ledger',
    group: 'See',
    line: 'Account for every commit that agents handed in, checked against git',
    args: [{ name: 'RUN', required: false, doc: 'Run to account for; all of them where absent' }],
    options: [json],
    examples: [
      { line: 'ym ledger', says: 'Every commit of every run; exit status 1 when one is lost' },
      { line: 'ym ledger last --json', says: 'The newest run, for a program' },
    ],
  },
];
