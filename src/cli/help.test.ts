import { describe, expect, it } from 'vitest';
import { commandNamed, commands, globalOptions } from './commands.ts';
import { commandHelp, helpText, overview, usageLine } from './help.ts';

const help = (name: string): string => {
  const row = commandNamed(name);
  if (row === undefined) throw new Error(name);
  // What is the same in every text is shown once, with the overview.
  const [own, rest = ''] = commandHelp(row).split('\nOptions of every command\n');
  return `${own}${rest.slice(rest.indexOf('\nExamples'))}`;
};

describe('the overview', () => {
  it('reads', () => {
    expect(overview()).toMatchInlineSnapshot(`
      "Many coding agents, one repository, a branch that is always green

      Usage: ym COMMAND [ARGUMENT…] [OPTION…]

      Set up
        init         Write yardmaster.yaml with the gate and the agents found here
        doctor       Check git, identity, gate, agents, store and disk, and say how to mend each
        config       Show or set values of the config, with where each comes from
        completions  Print a completion script for a shell
        demo         Run scripted agents on a small project made for the purpose
        help         Explain the commands, or one of them

      Tasks
        add          Add one task
        import       Add the tasks of plan files or of a folder of Markdown files
        tasks        List the tasks with their states
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
        log          Show what the agent of a task printed
        diff         Show what a task changed
        summary      Sum up a run: outcomes, slots, gate, time, what did not land and why
        graph        Draw the task graph, or the attempts of a run

      Decide
        retry        Let failed, blocked or quarantined tasks be tried again
        cancel       Give tasks up; what depends on them waits
        skip         Count tasks as done without work, so that what depends on them may start
        block        Hold tasks back until they are unblocked
        unblock      Let blocked tasks go on

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

describe('help of a command', () => {
  it('reads: init', () => {
    expect(help('init')).toMatchInlineSnapshot(`
      "Write yardmaster.yaml with the gate and the agents found here

      Usage: ym init [OPTION…]

      Options
        -y, --yes    Take what was found without asking
            --force  Replace a yardmaster.yaml that is there

      Examples
        ym init
            Look around, ask, write the file
        ym init --yes
            Write what was found
      "
    `);
  });

  it('reads: doctor', () => {
    expect(help('doctor')).toMatchInlineSnapshot(`
      "Check git, identity, gate, agents, store and disk, and say how to mend each

      Usage: ym doctor [OPTION…]

      Options
            --json  Print JSON for programs

      Examples
        ym doctor
            See what is missing before the first run
        ym doctor --json
            The same for a program
      "
    `);
  });

  it('reads: config', () => {
    expect(help('config')).toMatchInlineSnapshot(`
      "Show or set values of the config, with where each comes from

      Usage: ym config ACTION [KEY] [VALUE] [OPTION…]

      Arguments
        ACTION  What to do: list, get, set
        KEY     Key with dots, such as gate.timeout
        VALUE   New value, for set

      Options
            --json  Print JSON for programs

      Examples
        ym config list
            Every key, its value and its origin
        ym config set jobs 8
            Write one value to yardmaster.yaml
      "
    `);
  });

  it('reads: completions', () => {
    expect(help('completions')).toMatchInlineSnapshot(`
      "Print a completion script for a shell

      Usage: ym completions SHELL

      Arguments
        SHELL  Shell to write for: bash, zsh, fish

      Examples
        ym completions bash > ~/.local/share/bash-completion/completions/ym
            bash
        ym completions fish > ~/.config/fish/completions/ym.fish
            fish
      "
    `);
  });

  it('reads: demo', () => {
    expect(help('demo')).toMatchInlineSnapshot(`
      "Run scripted agents on a small project made for the purpose

      Usage: ym demo [OPTION…]

      Options
            --keep DIR  Make the project here and leave it
        -j, --jobs N    Agents at work at once (1 to 16; default: 3)
            --plain     Print one line for each thing that happens, also on a terminal

      Examples
        ym demo
            See a conflict, a hang and a red pair end in a green branch
        ym demo --keep demo-project --jobs 2
            Keep the project to look around in
      "
    `);
  });

  it('reads: help', () => {
    expect(help('help')).toMatchInlineSnapshot(`
      "Explain the commands, or one of them

      Usage: ym help [COMMAND]

      Arguments
        COMMAND  Command to explain

      Examples
        ym help
            All commands
        ym help run
            One command with its options
      "
    `);
  });

  it('reads: add', () => {
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

  it('reads: import', () => {
    expect(help('import')).toMatchInlineSnapshot(`
      "Add the tasks of plan files or of a folder of Markdown files

      Usage: ym import SOURCE… [OPTION…]

      Arguments
        SOURCE  Plan file (YAML, TOML, JSON), folder of Markdown files, or - for standard input

      Options
        -n, --dry-run  Check everything, store nothing
            --json     Print JSON for programs

      Examples
        ym import plan.yaml
            All tasks of the file, or none of them
        ym import tasks/ --dry-run
            Only say what would be added
      "
    `);
  });

  it('reads: tasks', () => {
    expect(help('tasks')).toMatchInlineSnapshot(`
      "List the tasks with their states

      Usage: ym tasks [OPTION…]

      Options
            --state STATE  Only tasks in these states, such as ready or failed (repeatable)
            --json         Print JSON for programs

      Examples
        ym tasks
            All tasks in order of arrival
        ym tasks --state failed,blocked
            Only those that need a person
      "
    `);
  });

  it('reads: show', () => {
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

  it('reads: plan', () => {
    expect(help('plan')).toMatchInlineSnapshot(`
      "Show the order of work and the critical path

      Usage: ym plan [SOURCE…] [OPTION…]

      Arguments
        SOURCE  Plan file (YAML, TOML, JSON), folder of Markdown files, or - for standard input

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

  it('reads: run', () => {
    expect(help('run')).toMatchInlineSnapshot(`
      "Let agents work on the tasks and land what passes the gate

      Usage: ym run [SOURCE…] [OPTION…]

      Arguments
        SOURCE  Plan file (YAML, TOML, JSON), folder of Markdown files, or - for standard input

      Options
        -j, --jobs N                Agents at work at once (1 to 16; default: \`jobs\` of the config, else 4)
            --agent NAME            Agent to start (default: \`agent\` of the config)
            --target BRANCH         Branch to land on (default: \`target\` of the config, else the branch checked out)
            --scope SCOPE           Tasks to work on where neither a source nor --only names them (ready, epics)
            --epic NAME             Epics to work on, with --scope epics (repeatable)
            --only ID               Work on these tasks and no others (repeatable)
            --max-attempts N        Agent starts in the whole run (default: no limit)
            --budget-wall DURATION  Time for the whole run, such as 90m or 4h (default: no limit)
            --retries N             Further agent starts a task may have (0 to 100; default: 2)
            --share                 Start although another run is alive here
        -y, --yes                   Ask nothing
        -n, --dry-run               Print the commands decided first, and do nothing
            --json                  Print JSON for programs
            --plain                 Print one line for each thing that happens, also on a terminal

      Examples
        ym run plan.yaml --jobs 4
            Import a plan and work on its tasks
        ym run --scope ready --budget-wall 2h
            All tasks, for two hours at most
      "
    `);
  });

  it('reads: resume', () => {
    expect(help('resume')).toMatchInlineSnapshot(`
      "Go on with a run that was stopped or killed

      Usage: ym resume [RUN] [OPTION…]

      Arguments
        RUN  Run to go on with; the newest if absent

      Options
            --retry-failed  Try tasks again that failed in this run
            --json          Print JSON for programs
            --plain         Print one line for each thing that happens, also on a terminal

      Examples
        ym resume
            Go on where the newest run stands
        ym resume --retry-failed
            And give failed tasks another chance
      "
    `);
  });

  it('reads: stop', () => {
    expect(help('stop')).toMatchInlineSnapshot(`
      "Let the agents at work finish, then end the run

      Usage: ym stop [OPTION…]

      Options
            --now  End the agents at once; their work is kept

      Examples
        ym stop
            Start nothing new
        ym stop --now
            End everything; \`ym resume\` goes on later
      "
    `);
  });

  it('reads: verify', () => {
    expect(help('verify')).toMatchInlineSnapshot(`
      "Run the gate on the target as it is now

      Usage: ym verify [OPTION…]

      Options
            --json  Print JSON for programs

      Examples
        ym verify
            Exit status 5 where the target is red
        ym verify --json
            The verdict for a program
      "
    `);
  });

  it('reads: prune', () => {
    expect(help('prune')).toMatchInlineSnapshot(`
      "List what ended runs left over, or remove it

      Usage: ym prune [OPTION…]

      Options
            --apply  Remove it; without this, only list
            --json   Print JSON for programs

      Examples
        ym prune
            See what could go
        ym prune --apply
            Remove it
      "
    `);
  });

  it('reads: status', () => {
    expect(help('status')).toMatchInlineSnapshot(`
      "Show the run, the slots, the train and the tasks in trouble

      Usage: ym status [OPTION…]

      Options
            --json   Print JSON for programs
        -w, --watch  Keep showing it until interrupted
        -a, --all    Show every task

      Examples
        ym status
            One screen
        ym status --json
            Everything, for a program
      "
    `);
  });

  it('reads: why', () => {
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

  it('reads: log', () => {
    expect(help('log')).toMatchInlineSnapshot(`
      "Show what the agent of a task printed

      Usage: ym log ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
        -f, --follow     Keep showing what comes
            --attempt N  Attempt to show (default: the newest)
            --turn N     Turn of the attempt (default: the newest)
            --gate       Show what the gate printed instead
            --bytes N    How much of the end to show; 0 shows all (default: 65536)

      Examples
        ym log search-docs -f
            Follow the agent at work
        ym log search-docs --gate --attempt 1
            What the gate said of attempt 1
      "
    `);
  });

  it('reads: diff', () => {
    expect(help('diff')).toMatchInlineSnapshot(`
      "Show what a task changed

      Usage: ym diff ID [OPTION…]

      Arguments
        ID  Id of a task, as \`ym tasks\` lists it

      Options
            --attempt N  Attempt to show (default: the newest)
            --stat       Only the files and how many lines of each

      Examples
        ym diff search-docs
            The newest attempt against its base
        ym diff search-docs --stat
            Only the files
      "
    `);
  });

  it('reads: summary', () => {
    expect(help('summary')).toMatchInlineSnapshot(`
      "Sum up a run: outcomes, slots, gate, time, what did not land and why

      Usage: ym summary [OPTION…]

      Options
            --run RUN  Run to show (default: the newest)
            --json     Print JSON for programs

      Examples
        ym summary
            The newest run
        ym summary --run r1 --json
            One run, for a program
      "
    `);
  });

  it('reads: graph', () => {
    expect(help('graph')).toMatchInlineSnapshot(`
      "Draw the task graph, or the attempts of a run

      Usage: ym graph [OPTION…]

      Options
            --format FORMAT  What to draw with (ascii, mermaid, dot; default: ascii, else by the ending of --out)
        -o, --out FILE       Where to write; a .md file gets a fenced block (default: standard output)
            --run RUN        Draw the attempts of this run; \`last\` is the newest
        -a, --all            Draw landed and skipped tasks as well
            --json           Print JSON for programs

      Examples
        ym graph --all
            Every task, in the terminal
        ym graph --run last --out run.md
            The newest run as Mermaid in Markdown
      "
    `);
  });

  it('reads: retry', () => {
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

  it('reads: cancel', () => {
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

  it('reads: skip', () => {
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

  it('reads: block', () => {
    expect(help('block')).toMatchInlineSnapshot(`
      "Hold tasks back until they are unblocked

      Usage: ym block ID… [OPTION…]

      Arguments
        ID  Ids of tasks, as \`ym tasks\` lists them

      Options
            --reason TEXT  Why, for whoever reads the record later

      Examples
        ym block search-docs
            No attempt starts
        ym block search-docs --reason "Waits for the wording"
            With a reason
      "
    `);
  });

  it('reads: unblock', () => {
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
