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
  it('of init reads', () => {
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

  it('of doctor reads', () => {
    expect(help('doctor')).toMatchInlineSnapshot(`
      "Check git, identity, gate, agents, store and disk, and say how to fix each

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

  it('of config reads', () => {
    expect(help('config')).toMatchInlineSnapshot(`
      "Show or set values of the config, with where each comes from

      Usage: ym config ACTION [KEY] [VALUE…] [OPTION…]

      Arguments
        ACTION  What to do: list, get, set
        KEY     Key with dots, such as gate.timeout; for set also KEY=VALUE,KEY=VALUE
        VALUE   New value, for set; an empty one ("") clears the key. Further keys, for get

      Options
            --json  Print JSON for programs

      Examples
        ym config list
            Every key, its value and its origin
        ym config set model.default=sonnet,model.by_priority.P0=opus
            Write values to yardmaster.yaml, all or none
      "
    `);
  });

  it('of completions reads', () => {
    expect(help('completions')).toMatchInlineSnapshot(`
      "Print a completion script for a shell

      Usage: ym completions SHELL

      Arguments
        SHELL  Shell to write a script for; tasks, runs and keys print the words that a script offers: bash, zsh, fish, tasks, runs, keys

      Examples
        ym completions bash > ~/.local/share/bash-completion/completions/ym
            bash
        ym completions fish > ~/.config/fish/completions/ym.fish
            fish
      "
    `);
  });

  it('of demo reads', () => {
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

  it('of help reads', () => {
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
});
