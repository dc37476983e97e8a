import { describe, expect, it } from 'vitest';
import { commands, globalOptions } from './commands.ts';
import { commandHelp, helpText, overview, usageLine } from './help.ts';

describe('the overview', () => {
  it('reads', () => {
    expect(overview()).toMatchInlineSnapshot(`
      "Many coding agents, one repository, a branch that is always green

      Usage: ym COMMAND [ARGUMENT…] [OPTION…]

      Set up
        init         Write yardmaster.yaml with the gate and the agents found here
        doctor       Check git, identity, gate, agents, store and disk, and say how to fix each
        config       Show or set values of the config, with where each comes from
        completions  Print a completion script for a shell
        demo         Run scripted agents on a small project made for the purpose
        help         Explain the commands, or one of them

      Tasks
        add          Add one task
        edit         Edit a task that no agent works on, in your editor or with options
        rm           Cancel tasks and take them out of the lists
        import       Add the tasks of plan files, of checklists or of a folder of Markdown files
        tasks        List the open tasks with their states
        show         Show one task whole
        plan         Show the order of work and the critical path

      Work
        run          Let agents work on the tasks and land what passes the gate
        resume       Go on with a run that was stopped or killed
        stop         Let the agents at work finish, then end the run
        verify       Run the gate on the target as it is now
        prune        List what ended runs left over, or remove it

      See
        status       Show the run, the slots, the train and the tasks in trouble
        why          Explain why a task is where it is and what to do about it
        log          Show what the agents and reviewers of a task printed
        diff         Show what a task changed
        runs         List the runs: when, how they ended, what landed and what needs you
        summary      Sum up a run: outcomes, slots, gate, time, what did not land and why
        graph        Draw the task graph, or the attempts of a run
        ledger       Account for every commit that agents handed in, checked against git

      Decide
        review       Walk through what waits for you, decide, and go on with the run
        retry        Let failed, blocked or quarantined tasks be tried again
        cancel       Give tasks up; what depends on them waits
        skip         Count tasks as done without work, so that what depends on them may start
        block        Hold tasks back until they are unblocked; an agent at work is ended
        unblock      Let blocked tasks go on
        answer       Answer what the agent of a task asked, so that it can go on
        tell         Write to the agent of a task; it reads the message with its next turn
        attach       Pause the agent of a task and work in its worktree yourself
        approve      Let work land that waits for a person
        reject       Send work back that waits for a person, and tell its agent why
        resolve      Resolve a conflict by hand and hand the result in

      For agents
        agent        Say how a turn goes; for agents that a run has started, not for people

      Options of every command
        -h, --help      Explain the command
        -V, --version   Print the version
        -C, --cwd DIR   Folder to work in (default: here)
            --no-color  Print without colours, as NO_COLOR does
        -q, --quiet     Print only results and failures

      Exit status
         0  Done
         1  Some tasks did not land
         2  Wrong usage or config
         3  Git, agent or store is not fit
         4  Stopped by a budget or by a person
         5  The gate is red at the end
        70  Internal error

      \`ym help COMMAND\` explains one command.
      "
    `);
  });

  it('names every command', () => {
    for (const { name, line } of commands)
      expect(overview()).toMatch(`  ${name.padEnd(11)}  ${line}`);
  });

  it('is what an unknown name or none gives', () => {
    expect(helpText(undefined)).toBe(overview());
    expect(helpText('nonsense')).toBe(overview());
    expect(helpText('help')).toBe(overview());
  });
});

describe('every help text', () => {
  it.each(commands)('of $name names its arguments, options and examples', (row) => {
    const text = commandHelp(row);
    if (row.name !== 'help') expect(helpText(row.name)).toBe(text);
    expect(text).toContain(`Usage: ${usageLine(row)}`);
    for (const { name, doc } of row.args) {
      expect(text).toMatch(new RegExp(`^  ${name} +${doc.slice(0, 4)}`, 'm'));
    }
    for (const { long, doc } of [...row.options, ...globalOptions]) {
      expect(text).toContain(`--${long}`);
      expect(text).toContain(doc);
    }
    for (const { line } of row.examples) expect(text).toContain(`  ${line}\n`);
  });

  it.each(commands)('of $name aligns its options and ends in one line break', (row) => {
    const text = commandHelp(row);
    expect(text).toMatch(/[^\n]\n$/);
    expect(text).not.toMatch(/ +\n/);
    if (row.options.length === 0) return;
    const block = text.split('\nOptions\n')[1]?.split('\n\n')[0]?.split('\n') ?? [];
    const docs = block.map((line) => line.search(/(?<=\S {2,})[A-Z]/));
    expect(new Set(docs).size).toBe(1);
  });
});
