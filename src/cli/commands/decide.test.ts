import { describe, expect, it } from 'vitest';
import { commandNamed } from '../commands.ts';
import { commandHelp } from '../help.ts';

const help = (name: string): string => {
  const row = commandNamed(name);
  if (row === undefined) throw new Error(name);
  // What is the same in every text is shown once, with the overview.
  const [own, rest = ''] = commandHelp(row).split('\nOptions of every command\n');
  return `${own}${rest.slice(rest.indexOf('\nExamples'))}`;
};

describe('help', () => {
  it('of review reads', () => {
    expect(help('review')).toMatchInlineSnapshot(`
      "Walk through what waits for you, decide, and go on with the run

      Usage: ym review [OPTION…]

      Options
            --list    Only print the list, as without a terminal; exit status 1 if anything waits
            --no-run  Store the decisions, and start or resume nothing
            --json    Print JSON for programs

      Examples
        ym review
            Approvals, questions, conflicts and failures, one by one
        ym review --list
            What waits, with the command for each
      "
    `);
  });

  it('of retry reads', () => {
    expect(help('retry')).toMatchInlineSnapshot(`
      "Let failed, blocked or quarantined tasks be tried again

      Usage: ym retry ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym retry search-docs
            Its failures count from nothing again
        ym retry api docs --reason "Agent was offline"
            Several, with a reason
      "
    `);
  });

  it('of cancel reads', () => {
    expect(help('cancel')).toMatchInlineSnapshot(`
      "Give tasks up; what depends on them waits

      Usage: ym cancel ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym cancel search-docs
            Its agent, if any, is ended; its work is kept
        ym cancel old-api --reason "Not wanted any more"
            With a reason
      "
    `);
  });

  it('of skip reads', () => {
    expect(help('skip')).toMatchInlineSnapshot(`
      "Count tasks as done without work, so that what depends on them may start

      Usage: ym skip ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym skip schema
            Its dependants may start
        ym skip schema --reason "Done by hand"
            With a reason
      "
    `);
  });

  it('of block reads', () => {
    expect(help('block')).toMatchInlineSnapshot(`
      "Hold tasks back until they are unblocked; an agent at work is ended

      Usage: ym block ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym block search-docs
            No attempt starts; the work of one under way is kept
        ym block search-docs --reason "Waits for the wording"
            With a reason
      "
    `);
  });

  it('of unblock reads', () => {
    expect(help('unblock')).toMatchInlineSnapshot(`
      "Let blocked tasks go on

      Usage: ym unblock ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym unblock search-docs
            It may start again
        ym unblock api docs --reason "Wording is settled"
            Several, with a reason
      "
    `);
  });

  it('of answer reads', () => {
    expect(help('answer')).toMatchInlineSnapshot(`
      "Answer what the agent of a task asked, so that it can go on

      Usage: ym answer ID TEXT

      Arguments
        ID    Id of a task, as \`ym tasks\` lists it
        TEXT  The answer, in quotes, or - for standard input

      Examples
        ym answer search-docs "Yes, in English only"
            \`ym why\` shows the question
        ym answer search-docs -
            A long answer from standard input
      "
    `);
  });

  it('of tell reads', () => {
    expect(help('tell')).toMatchInlineSnapshot(`
      "Write to the agent of a task; it reads the message with its next turn

      Usage: ym tell ID TEXT

      Arguments
        ID    Id of a task, as \`ym tasks\` lists it
        TEXT  The message, in quotes, or - for standard input

      Examples
        ym tell search-docs "Leave the old index alone"
            Prints when it will be read; \`ym why\` shows whether it was
        ym tell search-docs -
            A long message from standard input
      "
    `);
  });

  it('of attach reads', () => {
    expect(help('attach')).toMatchInlineSnapshot(`
      "Pause the agent of a task and work in its worktree yourself

      Usage: ym attach ID

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Examples
        ym attach search-docs
            The agent's own session, or your shell; the agent goes on when you leave
        ym attach search-docs -C ../site
            In the project of another folder
      "
    `);
  });

  it('of approve reads', () => {
    expect(help('approve')).toMatchInlineSnapshot(`
      "Let work land that waits for a person

      Usage: ym approve ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym approve ci-cache
            \`ym why\` shows what waits, \`ym diff\` the work
        ym approve ci-cache --reason "CI change is wanted"
            With a reason
      "
    `);
  });

  it('of reject reads', () => {
    expect(help('reject')).toMatchInlineSnapshot(`
      "Send work back that waits for a person, and tell its agent why

      Usage: ym reject ID WHY

      Arguments
        ID   Id of a task, as \`ym tasks\` lists it
        WHY  What is wrong, in quotes, or - for standard input

      Examples
        ym reject ci-cache "Leave the CI files alone"
            Its agent fixes it
        ym reject ci-cache -
            A long reason from standard input
      "
    `);
  });

  it('of resolve reads', () => {
    expect(help('resolve')).toMatchInlineSnapshot(`
      "Resolve a conflict by hand and hand the result in

      Usage: ym resolve ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
            --no-shell  Only prepare the folder and say where it is
            --done      Take what is in the folder by now

      Examples
        ym resolve search-docs
            A shell where the two sides are merged
        ym resolve search-docs --done
            After \`--no-shell\` and an editor of your own
      "
    `);
  });
});
