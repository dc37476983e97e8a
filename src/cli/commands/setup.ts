import type { CommandRow } from './row.ts';
import { jobs, json, plain, yes } from './shared.ts';

export const setUpCommands: readonly CommandRow[] = [
  {
    name: 'init',
    group: 'Set up',
    line: 'Write yardmaster.yaml with the gate and the agents found here',
    args: [],
    options: [
      { ...yes, doc: 'Take what was found without asking' },
      { long: 'force', type: 'boolean', doc: 'Replace a yardmaster.yaml that is there' },
    ],
    examples: [
      { line: 'ym init', says: 'Look around, ask, write the file' },
      { line: 'ym init --yes', says: 'Write what was found' },
    ],
  },
  {
    name: 'doctor',
    group: 'Set up',
    line: 'Check git, identity, gate, agents, store and disk, and say how to fix each',
    args: [],
    options: [json],
    examples: [
      { line: 'ym doctor', says: 'See what is missing before the first run' },
      { line: 'ym doctor --json', says: 'The same for a program' },
    ],
  },
  {
    name: 'config',
    group: 'Set up',
    line: 'Show or set values of the config, with where each comes from',
    args: [
      { name: 'ACTION', required: true, choices: ['list', 'get', 'set'], doc: 'What to do' },
      {
        name: 'KEY',
        required: false,
        doc: 'Key with dots, such as gate.timeout; for set also KEY=VALUE,KEY=VALUE',
      },
      {
        name: 'VALUE',
        required: false,
        repeatable: true,
        doc: 'New value, for set; an empty one ("") clears the key. Further keys, for get',
      },
    ],
    options: [json],
    examples: [
      { line: 'ym config list', says: 'Every key, its value and its origin' },
      {
        line: 'ym config set model.default=sonnet,model.by_priority.P0=opus',
        says: 'Write values to yardmaster.yaml, all or none',
      },
    ],
  },
  {
    name: 'completions',
    group: 'Set up',
    line: 'Print a completion script for a shell',
    args: [
      {
        name: 'SHELL',
        required: true,
        choices: ['bash', 'zsh', 'fish', 'tasks', 'runs', 'keys'],
        doc: 'Shell to write a script for; tasks, runs and keys print the words that a script offers',
      },
    ],
    options: [],
    examples: [
      { line: 'ym completions bash > ~/.local/share/bash-completion/completions/ym', says: 'bash' },
      { line: 'ym completions fish > ~/.config/fish/completions/ym.fish', says: 'fish' },
    ],
  },
  {
    name: 'demo',
    group: 'Set up',
    line: 'Run scripted agents on a small project made for the purpose',
    args: [],
    options: [
      { long: 'keep', type: 'string', value: 'DIR', doc: 'Make the project here and leave it' },
      { ...jobs, default: '3' },
      plain,
    ],
    examples: [
      { line: 'ym demo', says: 'See a conflict, a hang and a red pair end in a green branch' },
      { line: 'ym demo --keep demo-project --jobs 2', says: 'Keep the project to look around in' },
    ],
  },
  {
    name: 'help',
    group: 'Set up',
    line: 'Explain the commands, or one of them',
    args: [{ name: 'COMMAND', required: false, doc: 'Command to explain' }],
    options: [],
    examples: [
      { line: 'ym help', says: 'All commands' },
      { line: 'ym help run', says: 'One command with its options' },
    ],
  },
];
