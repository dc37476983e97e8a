import { describe, expect, it } from 'vitest';
import { commandNamed } from '../commands.ts';
import { commandHelp } from '../help.ts';

describe('help', () => {
  it('of agent says that it is for agents', () => {
    const row = commandNamed('agent');
    expect(
      row === undefined ? '' : commandHelp(row).split('\nOptions of every')[0],
    ).toMatchInlineSnapshot(`
      "Say how a turn goes; for agents that a run has started, not for people

      Usage: ym agent CALL [WORD…] [OPTION…]

      Arguments
        CALL  What it is about: done, give-up, ask, claim, report, next
        WORD  Ids for claim and next; the question for ask; for report a subject and the text

      Options
        -m, --message TEXT  What was done, or why it is given up; - for standard input
            --body TEXT     What done means, of a task that \`report follow-up TITLE\` files; - for standard input
            --type WORD     Kind of that task (default: task)
            --priority N    Importance of that task; 0 goes first (0 to 4; default: 2)
            --after ID      Tasks that must have landed before that one (repeatable)
            --json          Print JSON for programs
      "
    `);
  });
});
