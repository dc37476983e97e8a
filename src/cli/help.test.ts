import { describe, expect, it } from 'vitest';
import { globalOptions } from './commands/shared.ts';
import { commands } from './commands.ts';
import { commandHelp, helpText, overview, usageLine } from './help.ts';

describe('the overview', () => {
  it('reads', () => {
    expect(overview(commands)).toMatchInlineSnapshot(`
      "Many coding agents, one repository, a branch that is always green

      Usage: ym COMMAND [ARGUMENT…] [OPTION…]

      Set up
        init         Write yardmaster.yaml with the detected gate and agents
        doctor       Check git, gate, agents, store and disk, and suggest fixes
        config       Show or set config values, with the origin of each
        hooks        List hooks with their last deliveries, or send them a sample
        store        Show where the records are, or move them
        completions  Print a shell completion script
        demo         Run scripted agents on a small generated project
        help         Explain all commands, or one of them

      Tasks
        add          Add one task
        edit         Edit a task that no agent is working on, in your editor or with options
        split        Replace an open task with several; tasks that wait for it wait for all of them
        rm           Cancel tasks and hide them from lists
        import       Import tasks from files, folders or issue trackers
        export       Write tasks as a plan file, a checklist or a graph
        tasks        List open tasks and their states
        show         Show one task in full
        notes        Show or change the notes that people and agents left for later work
        plan         Show the order of work, or let an agent propose tasks for a goal

      Work
        run          Run agents on the tasks and land what passes the gate
        resume       Resume a run that was stopped or killed
        stop         Let running agents finish, then end the run
        worker       Run agents on this machine for runs on other machines
        workers      List the workers of the project
        slots        Show or change the slots of the run under way
        daemon       Manage the process that drives runs of all projects in the background
        schedule     List the schedules of this project and when they fire next
        verify       Run the gate on the target branch as it is now, or after each landing of a run
        prune        List or remove what ended runs left behind

      See
        status       Show the run, its slots, the merge queue and tasks in trouble
        watch        Watch and steer a run on the full screen
        ui           Serve the web dashboard on this machine
        why          Explain why a task is in its state and what to do about it
        log          Show the output of a task's agents and reviewers
        events       Print the event log
        diff         Show what a task changed
        compare      Compare the variants of a task, or two runs: outcome, gate, cost and time
        runs         List runs with their outcome, what landed and what needs you
        summary      Summarize a run: outcomes, slots, gate, time, what did not land and why
        report       Write a run as one HTML file: summary, graph, timeline, every attempt
        failures     List the most frequent failures of all runs, and what to do about them
        graph        Draw the task graph, or the attempts of a run
        ledger       List all work of agents, committed or not, and where it is
        where        Show where the store, the run files and the worktrees are

      Decide
        review       Go through everything that needs your decision, then continue the run
        retry        Retry failed, blocked or quarantined tasks
        cancel       Cancel tasks; tasks that depend on them keep waiting
        skip         Mark tasks as done without work, so that their dependents can start
        block        Hold tasks back until they are unblocked; a running agent is stopped
        unblock      Release blocked tasks
        answer       Answer a question from a task's agent
        tell         Send a message to a task's agent, to be read in its next turn
        attach       Pause a task's agent and work in its worktree yourself
        approve      Approve work that waits for you, or a proposed revision of the plan
        reject       Reject work or a proposed revision of the plan, and tell the agent why
        choose       Choose one of the finished variants of a task; it goes on to the merge queue
        try          Show a task's work in your own checkout, and restore the checkout
        resolve      Resolve a merge conflict by hand and hand in the result

      For agents
        mcp          Serve this project to coding agents over the Model Context Protocol, on stdio
        skill        Teach your coding agent to plan work for Yardmaster
        agent        Report on the current turn; for agents started by a run, not for people

      Options of every command
        -h, --help      Explain the command
        -V, --version   Print the version
        -C, --cwd DIR   Folder to work in (default: here)
            --no-color  Print without colors, as NO_COLOR does
        -q, --quiet     Print only results and failures

      Exit status
         0  Done
         1  Some tasks did not land, or the command found a problem
         2  Wrong usage or invalid config
         3  Git, agent or store is not usable, or the target is red before or during the work
         4  Stopped by a budget or by a person
         5  The target is red at the end of a run, or in \`ym verify\`
        70  Internal error

      \`ym help COMMAND\` explains one command.
      "
    `);
  });

  it('names every command', () => {
    for (const { name, line } of commands)
      expect(overview(commands)).toMatch(`  ${name.padEnd(11)}  ${line}`);
  });

  it('is what an unknown name or none gives', () => {
    expect(helpText(commands, undefined)).toBe(overview(commands));
    expect(helpText(commands, 'nonsense')).toBe(overview(commands));
    expect(helpText(commands, 'help')).toBe(overview(commands));
  });
});

describe('every help text', () => {
  it.each(commands)('of $name names its arguments, options and examples', (row) => {
    const text = commandHelp(row);
    if (row.name !== 'help') expect(helpText(commands, row.name)).toBe(text);
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
