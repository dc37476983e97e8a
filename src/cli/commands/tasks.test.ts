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
  it('of add reads', () => {
    expect(help('add')).toMatchInlineSnapshot(`
      "Add one task

      Usage: ym add TITLE [OPTION…]

      Arguments
        TITLE  What to do, in one line

      Options
            --id ID           Name of the task (default: made from the title)
            --body TEXT       What done means; given to the agent word for word
            --body-file FILE  File with the body, or - for standard input
            --after ID        Tasks that must have landed before (repeatable)
            --priority N      Importance; 0 goes first (0 to 4; default: 2)
            --type WORD       Kind of work (default: task)
            --label LABEL     Labels, such as epic:search (repeatable)
            --path GLOB       Files it is expected to write (repeatable)
            --check COMMAND   Commands that judge this task beside the gate (repeatable)
            --agent NAME      Agent to work on it (default: the agent of the run)
            --json            Print JSON for programs

      Examples
        ym add "Add the search endpoint" --priority 1
            An id is made of the title
        ym add "Document search" --id search-docs --after add-the-search-endpoint
            It waits until the other has landed
      "
    `);
  });

  it('of edit reads', () => {
    expect(help('edit')).toMatchInlineSnapshot(`
      "Edit a task that no agent works on, in your editor or with options

      Usage: ym edit ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
            --title TEXT      New title
            --body TEXT       New body
            --body-file FILE  File with the new body, or - for standard input
            --after ID        Tasks it waits for, instead of those it has; \`none\` for none, as below (repeatable)
            --priority N      New importance; 0 goes first (0 to 4)
            --type WORD       New kind of work
            --label LABEL     Labels instead of those it has (repeatable)
            --path GLOB       Expected files instead of those it has (repeatable)
            --check COMMAND   Checks instead of those it has (repeatable)
            --agent NAME      Agent to work on it
            --json            Print JSON for programs

      Examples
        ym edit search-docs
            Opens it in $VISUAL or $EDITOR
        ym edit search-docs --priority 0 --after none
            It goes first
      "
    `);
  });

  it('of rm reads', () => {
    expect(help('rm')).toMatchInlineSnapshot(`
      "Cancel tasks and take them out of the lists

      Usage: ym rm ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --dependents   Also remove everything that waits for them
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym rm search-docs
            Refused while other tasks wait for it
        ym rm old-api --dependents
            With all that waits for it
      "
    `);
  });

  it('of import reads', () => {
    expect(help('import')).toMatchInlineSnapshot(`
      "Add the tasks of plan files, of checklists or of a folder of Markdown files

      Usage: ym import SOURCE… [OPTION…]

      Arguments
        SOURCE  Plan file (YAML, TOML, JSON), Markdown checklist, folder of Markdown files, or - for standard input

      Options
            --prune-removed  Cancel unfinished tasks that are no longer in their SOURCE
        -n, --dry-run        Check everything, store nothing
            --json           Print JSON for programs

      Examples
        ym import plan.yaml
            All tasks of the file, or none of them
        ym import tasks/ --dry-run
            Only say what would be added
      "
    `);
  });

  it('of tasks reads', () => {
    expect(help('tasks')).toMatchInlineSnapshot(`
      "List the open tasks with their states

      Usage: ym tasks [OPTION…]

      Options
        -a, --all          Also list what has landed or was delivered, skipped or cancelled
            --state STATE  Only tasks in these states, such as ready or failed (repeatable)
            --json         Print JSON for programs

      Examples
        ym tasks
            What is left to do, in order of arrival
        ym tasks --state failed,blocked
            Only those that need a person
      "
    `);
  });

  it('of show reads', () => {
    expect(help('show')).toMatchInlineSnapshot(`
      "Show one task whole

      Usage: ym show ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
            --json  Print JSON for programs

      Examples
        ym show search-docs
            Text, dependencies, state and attempts
        ym show search-docs --json
            The same for a program
      "
    `);
  });

  it('of plan reads', () => {
    expect(help('plan')).toMatchInlineSnapshot(`
      "Show the order of work and the critical path

      Usage: ym plan [SOURCE…] [OPTION…]

      Arguments
        SOURCE  Plan file (YAML, TOML, JSON), Markdown checklist, folder of Markdown files, or - for standard input

      Options
            --json  Print JSON for programs

      Examples
        ym plan
            The tasks of this project
        ym plan plan.yaml
            A plan file that is not imported yet
      "
    `);
  });
});
