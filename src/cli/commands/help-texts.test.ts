import { describe, expect, it } from 'vitest';
import { commands } from '../commands.ts';
import { commandHelp } from '../help.ts';

describe('help', () => {
  it.each(commands)('of $name', (row) => {
    // The options of every command are covered by the test of the overview.
    const [own, rest = ''] = commandHelp(row).split('\nOptions of every command\n');
    expect(`${own}${rest.slice(rest.indexOf('\nExamples'))}`).toMatchSnapshot();
  });
});
