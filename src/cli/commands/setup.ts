import { run as help } from '../help.ts';
import { commandsIn, flag, text } from './row.ts';
import { jobs, json, plain, yes } from './shared.ts';

export const setUpCommands = commandsIn('Set up', {
  init: {
    load: async () => (await import('../init.ts')).run,
    line: 'Write yardmaster.yaml with the detected gate and agents',
    options: [
      { ...yes, doc: 'Accept what was detected without asking' },
      flag('force', 'Replace an existing yardmaster.yaml'),
    ],
    examples: [
      ['ym init', 'Detect, ask, write the file'],
      ['ym init --yes', 'Write what was detected'],
    ],
  },
  doctor: {
    load: async () => (await import('../doctor.ts')).run,
    // A probe spends tokens.
    decides: ({ options }) => options.flag('repair') || options.flag('models'),
    line: 'Check git, gate, agents, store and disk, and suggest fixes',
    options: [
      flag('repair', 'Restore a missing or damaged store from its newest copy, git and run files'),
      flag(
        'models',
        'Send one short question to each agent and model in use; exit 3 if one does not answer',
      ),
      json,
    ],
    examples: [
      ['ym doctor', 'See what is missing before the first run'],
      ['ym doctor --models', 'See whether every model answers, and what the question cost'],
    ],
  },
  config: {
    decides: ({ args }) => args[0] === 'set',
    load: async () => (await import('../config.ts')).run,
    line: 'Show or set config values, with the origin of each',
    args: [
      { name: 'ACTION', required: true, choices: ['list', 'get', 'set'], doc: 'What to do' },
      {
        name: 'KEY',
        required: false,
        doc: 'Dotted key, such as gate.timeout; for set also KEY=VALUE,KEY=VALUE',
      },
      {
        name: 'VALUE',
        required: false,
        repeatable: true,
        doc: 'New value for set; an empty one ("") clears the key. More keys for get',
      },
    ],
    options: [json],
    examples: [
      ['ym config list', 'Every key, its value and its origin'],
      [
        'ym config set model.default=sonnet,model.by_priority.P0=opus',
        'Write values to yardmaster.yaml, all or none',
      ],
    ],
  },
  hooks: {
    // A test starts commands and sends messages.
    decides: ({ args }) => args[0] === 'test',
    load: async () => (await import('../hooks.ts')).run,
    line: 'List hooks with their last deliveries, or send them a sample',
    args: [
      { name: 'ACTION', required: false, choices: ['list', 'test'], doc: 'What to do' },
      { name: 'POINT', required: false, doc: 'Point to send a sample of, such as task-landed' },
    ],
    options: [
      text('hook', 'NAME', 'Hook to send the sample to', { default: 'all that report the point' }),
      json,
    ],
    examples: [
      ['ym hooks', 'Show what each hook delivered, and its last failure'],
      [
        'ym hooks test question-asked',
        'Send a sample; exit 1 if a hook did not deliver it, or there is none',
      ],
    ],
  },
  store: {
    decides: ({ args }) => args[0] === 'migrate',
    load: async () => (await import('../store.ts')).run,
    line: 'Show where the records are, or move them',
    args: [{ name: 'ACTION', required: false, choices: ['show', 'migrate'], doc: 'What to do' }],
    options: [text('to', 'STORE', 'New place for migrate: sqlite, or postgres://…'), json],
    examples: [
      ['ym store', 'Address, format, number of events and size'],
      [
        'ym store migrate --to postgres://ada@db.example.com/yard',
        'Copy, compare, then use the new store',
      ],
    ],
  },
  completions: {
    load: async () => (await import('../completions.ts')).run,
    line: 'Print a shell completion script',
    args: [
      {
        name: 'SHELL',
        required: true,
        choices: ['bash', 'zsh', 'fish', 'tasks', 'runs', 'keys'],
        doc: 'Shell to write a script for; tasks, runs and keys print the candidates that a script offers',
      },
    ],
    examples: [
      ['ym completions bash > ~/.local/share/bash-completion/completions/ym', 'bash'],
      ['ym completions fish > ~/.config/fish/completions/ym.fish', 'fish'],
    ],
  },
  demo: {
    load: async () => (await import('../demo.ts')).run,
    line: 'Run scripted agents on a small generated project',
    options: [
      text('keep', 'DIR', 'Create the project here and keep it'),
      { ...jobs, default: '3' },
      plain,
    ],
    examples: [
      ['ym demo', 'See a conflict, a hang and a red pair end in a green branch'],
      ['ym demo --keep demo-project --jobs 2', 'Keep the project to explore it'],
    ],
  },
  help: {
    load: async () => help,
    line: 'Explain all commands, or one of them',
    args: [{ name: 'COMMAND', required: false, doc: 'Command to explain' }],
    examples: [
      ['ym help', 'All commands'],
      ['ym help run', 'One command with its options'],
    ],
  },
});
