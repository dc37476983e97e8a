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
  it('of status reads', () => {
    expect(help('status')).toMatchInlineSnapshot(`
      "Show the run, the slots, the train and the tasks in trouble

      Usage: ym status [OPTION…]

      Options
            --json     Print JSON for programs
        -w, --watch    Keep showing it until interrupted
        -a, --all      Show every task
        -v, --verbose  Also show branches and worktrees, and explain every task in trouble
            --run RUN  Run to show (default: one that is alive, else the newest)

      Examples
        ym status
            One screen
        ym status --json
            Everything, for a program
      "
    `);
  });

  it('of why reads', () => {
    expect(help('why')).toMatchInlineSnapshot(`
      "Explain why a task is where it is and what to do about it

      Usage: ym why ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
            --json  Print JSON for programs

      Examples
        ym why search-docs
            What happened, why, what to do, and every attempt
        ym why search-docs --json
            The same for a program
      "
    `);
  });

  it('of log reads', () => {
    expect(help('log')).toMatchInlineSnapshot(`
      "Show what the agents and reviewers of a task printed

      Usage: ym log ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
        -f, --follow     Keep showing what comes
            --attempt N  Attempt to show (default: the newest)
            --turn N     Turn of the attempt, or round of a review or critique (default: the newest)
            --gate       Show what the gate printed instead
            --review     Show what its reviewers printed
            --critique   Show what was printed about what it asks for, before the work
            --bytes N    How much of the end to show, 0 for all; the stream of an agent is shown whole unless this is given (default: 65536)
            --raw        Show the stored stream of an agent as it is
            --json       Print JSON for programs

      Examples
        ym log search-docs -f
            Follow the agent at work
        ym log search-docs --review --turn 1
            What reviewers said in round 1
      "
    `);
  });

  it('of diff reads', () => {
    expect(help('diff')).toMatchInlineSnapshot(`
      "Show what a task changed

      Usage: ym diff ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
            --attempt N  Attempt to show (default: the newest)
            --stat       Only the files, with the lines added and removed
            --json       Print JSON for programs

      Examples
        ym diff search-docs
            The newest attempt against its base
        ym diff search-docs --stat
            How much of each file changed
      "
    `);
  });

  it('of runs reads', () => {
    expect(help('runs')).toMatchInlineSnapshot(`
      "List the runs: when, how they ended, what landed and what needs you

      Usage: ym runs [OPTION…]

      Options
        -a, --all   Also list runs older than the last 50
            --json  Print JSON for programs

      Examples
        ym runs
            The newest first; a part of an id is enough for other commands
        ym runs --json
            The same for a program
      "
    `);
  });

  it('of summary reads', () => {
    expect(help('summary')).toMatchInlineSnapshot(`
      "Sum up a run: outcomes, slots, gate, time, what did not land and why

      Usage: ym summary [RUN] [OPTION…]

      Arguments
        RUN  Id of a run, or its beginning or end; the newest if absent

      Options
            --json  Print JSON for programs

      Examples
        ym summary
            The newest run
        ym summary 3f2a --json
            One run, for a program
      "
    `);
  });

  it('of graph reads', () => {
    expect(help('graph')).toMatchInlineSnapshot(`
      "Draw the task graph, or the attempts of a run

      Usage: ym graph [RUN] [OPTION…]

      Arguments
        RUN  Run whose attempts to draw; \`last\` is the newest. Tasks if absent

      Options
            --format FORMAT  What to draw with (ascii, mermaid, dot; default: ascii, else by the ending of --out)
        -o, --out FILE       Where to write; a .md file gets a fenced block (default: standard output)
        -a, --all            Draw landed and skipped tasks as well
            --json           Print JSON for programs

      Examples
        ym graph --all
            Every task, in the terminal
        ym graph last --out run.md
            The newest run as Mermaid in Markdown
      "
    `);
  });
});
