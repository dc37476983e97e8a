import { describe, expect, it } from 'vitest';
import { commandNamed } from '../commands.ts';
import { commandHelp } from '../help.ts';

describe('help', () => {
  it('of ledger reads', () => {
    const row = commandNamed('ledger');
    if (row === undefined) throw new Error('no such command');
    expect(commandHelp(row).split('\nOptions of every command\n')[0]).toMatchInlineSnapshot(`
      "Account for every commit that agents handed in, checked against git

      Usage: ym ledger [RUN] [OPTION…]

      Arguments
        RUN  Id of a run, or its beginning or end; all runs if absent

      Options
            --json  Print JSON for programs
      "
    `);
  });
});
