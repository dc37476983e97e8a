import type { CommandRow } from './row.ts';
import { json, run } from './shared.ts';

export const ledgerCommands: readonly CommandRow[] = [
  {
    name: 'ledger',
    group: 'See',
    line: 'Account for every commit that agents handed in, checked against git',
    args: [{ ...run, doc: 'Id of a run, or its beginning or end; all runs if absent' }],
    options: [json],
    examples: [
      { line: 'ym ledger', says: 'Every commit of every run; exit status 1 when one is lost' },
      { line: 'ym ledger last --json', says: 'The newest run, for a program' },
    ],
  },
];
