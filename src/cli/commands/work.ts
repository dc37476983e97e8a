import { always, commandsIn, flag, list, number, text } from './row.ts';
import {
  budget,
  driving,
  jobs,
  json,
  narrowing,
  noPreflight,
  plain,
  probeModels,
  pruneRemoved,
  resumedBudget,
  run,
  sideBySide,
  sources,
  verification,
  yes,
} from './shared.ts';

/** Slots are numbered over all machines of a run, so there may be more than `jobs` allows. */
const slotMax = 9_999;

export const workCommands = commandsIn('Work', {
  run: {
    decides: always,
    load: async () => (await import('../run.ts')).run,
    line: 'Run agents on the tasks and land what passes the gate',
    args: [sources],
    options: [
      jobs,
      text('agent', 'NAME', 'Agent to start, such as claude or codex, or a profile in the config', {
        default: '`agent` in the config',
      }),
      text('fallback', 'NAME', 'Agent that takes over while the first one fails', {
        default: '`fallback.agent` in the config',
      }),
      text('model', 'MODEL', 'Default model, such as sonnet or codex:gpt-5:high', {
        default: '`model.default` in the config, else the agent’s own',
      }),
      text('mode', 'NAME', 'Set of config keys: quick, careful or one of `modes` in the config', {
        default: '`mode` in the config',
      }),
      text('target', 'BRANCH', 'Branch to land on', {
        default: '`target` in the config, else the checked-out branch',
      }),
      text(
        'scope',
        'SCOPE',
        'Tasks to work on: `ready` for every task, `epics` for those of `--epic`',
        {
          choices: ['ready', 'epics'],
          default: 'those that SOURCE or the options below name, else your choice on a terminal',
        },
      ),
      ...narrowing,
      ...budget,
      number('retries', [0, 100], 'Retries per task', { default: '3' }),
      ...sideBySide,
      number('gate-slots', [1, 16], 'Gates running at once', {
        default: '`gate.slots` in the config',
      }),
      text('deliver', 'HOW', 'How to deliver finished work', {
        choices: ['land', 'branch', 'pr', 'stack'],
        default: '`delivery.how` in the config',
      }),
      text('planner-agent', 'NAME', 'Agent that chooses which tasks start next', {
        default: '`planner.agent` in the config, else none',
      }),
      text('planner-budget', 'COUNT', 'Tokens of one planner prompt; 0 asks no planner', {
        default: '`planner.budget_tokens` in the config, else 10000',
      }),
      flag('no-planner', 'Ask no planner, even if the config names one'),
      noPreflight,
      probeModels,
      ...verification,
      pruneRemoved,
      flag('share', 'Start even if another run is active in this project'),
      yes,
      flag('force', 'Run although the plan has warnings; a blocking concern still stops it'),
      flag(
        'skip-plan',
        'Skip the critic and the check of commands; an invalid plan is still refused',
      ),
      flag('dry-run', 'Print the first commands of the run and exit', 'n'),
      ...driving,
      json,
      plain,
    ],
    examples: [
      ['ym run plan.yaml --jobs 4', 'Import a plan and work on its tasks'],
      ['ym run --label ui --except old-menu --budget-wall 2h', 'Some tasks, for at most two hours'],
    ],
  },
  resume: {
    decides: always,
    load: async () => (await import('../resume.ts')).resume,
    line: 'Resume a run that was stopped or killed',
    args: [run],
    options: [
      flag('retry-failed', 'Retry tasks that failed in this run'),
      flag(
        'standby',
        'Wait while another process drives the run, and take over if it dies; without one, resume at once',
      ),
      ...resumedBudget,
      noPreflight,
      probeModels,
      ...verification,
      ...driving,
      json,
      plain,
    ],
    examples: [
      ['ym resume', 'Resume the newest run'],
      ['ym resume --standby', 'Take over the run under way when its process dies'],
    ],
  },
  stop: {
    decides: always,
    load: async () => (await import('../decide.ts')).stop,
    line: 'Let running agents finish, then end the run',
    options: [flag('now', 'Stop the agents now; their work is kept')],
    examples: [
      ['ym stop', 'Start nothing new'],
      ['ym stop --now', 'Stop everything; continue later with `ym resume`'],
    ],
  },
  worker: {
    decides: always,
    load: async () => (await import('../worker.ts')).run,
    line: 'Run agents on this machine for runs on other machines',
    options: [
      text('store', 'URL', 'The Postgres store of the project', {
        default: 'the variable YARDMASTER_STORE',
      }),
      number('slots', [1, 16], 'Agents that run here at the same time', { default: '1' }),
      number('gates', [0, 16], 'Gates of the merge queue that run here at the same time', {
        default: '0',
      }),
      list(
        'label',
        'LABEL',
        'Label of this worker, such as gpu; tasks with the label needs:gpu start only on workers that have it',
      ),
      text('name', 'NAME', 'Name of the worker, unique in the project', {
        default: 'made from the host, the store and `--dir`',
      }),
      text('dir', 'DIR', 'Folder for its repository and worktrees', {
        default: 'in the state folder',
      }),
    ],
    examples: [
      ['ym worker --store postgres://build@db/yard --slots 4', 'Four more slots for every run'],
      [
        'ym worker --label gpu',
        'Also take tasks with the label needs:gpu; the store is in YARDMASTER_STORE',
      ],
    ],
  },
  workers: {
    load: async () => (await import('../workers.ts')).run,
    line: 'List the workers of the project',
    options: [json],
    examples: [
      ['ym workers', 'Slots, labels, and when each was last heard of'],
      ['ym workers --json', 'For programs'],
    ],
  },
  slots: {
    decides: ({ args, options }) =>
      args.length > 0 ||
      options.number('pause') !== undefined ||
      options.number('resume') !== undefined,
    load: async () => (await import('../slots.ts')).run,
    line: 'Show or change the slots of the run under way',
    args: [
      {
        name: 'COUNT',
        required: false,
        signed: true,
        doc: 'Slots that the run has from now on, such as 6, or a change, such as +1 or -1',
      },
    ],
    options: [
      number(
        'pause',
        [1, slotMax],
        'Let the agent in this slot finish its turn, then start nothing there',
      ),
      number('resume', [1, slotMax], 'Start work in this slot again'),
      text('run', 'RUN', 'Run to change', { default: 'the active run' }),
      json,
    ],
    examples: [
      ['ym slots +1', 'One more agent; the run keeps this number when it is resumed'],
      ['ym slots --pause 2', 'Other slots take over the next turn of its task'],
    ],
  },
  daemon: {
    decides: ({ args }) => args[0] !== 'status' && args[0] !== 'logs',
    load: async () => (await import('../daemon.ts')).run,
    line: 'Manage the process that drives runs of all projects in the background',
    args: [
      {
        name: 'ACTION',
        required: true,
        choices: ['status', 'start', 'stop', 'reload', 'logs', 'serve', 'install', 'uninstall'],
        doc: 'Action on the daemon; `serve` runs it in the foreground, `install` writes the unit that starts it at login',
      },
    ],
    options: [
      flag('now', 'With stop: stop the agents now; the next daemon resumes their runs'),
      flag('follow', 'With logs: keep showing new lines', 'f'),
      flag('print', 'With install: print the file instead of writing it'),
      json,
    ],
    examples: [
      ['ym daemon start', 'Hand the runs of all projects to one process from now on'],
      ['ym daemon stop', 'Let agents finish their turns; runs go on with the next start'],
    ],
  },
  schedule: {
    load: async () => (await import('../schedule.ts')).run,
    line: 'List the schedules of this project and when they fire next',
    options: [json],
    examples: [
      ['ym schedule', 'Next times, in your time zone'],
      ['ym schedule --json', 'The same for a program'],
    ],
  },
  verify: {
    load: async () => (await import('../verify.ts')).run,
    line: 'Run the gate on the target branch as it is now, or after each landing of a run',
    options: [
      text('history', 'RUN', 'Judge each value that the landings of this run gave the target'),
      json,
    ],
    examples: [
      ['ym verify', 'Exit 5 if the target is red'],
      [
        'ym verify --history last',
        'Exit 5 if the target was red after a landing of the newest run',
      ],
    ],
  },
  prune: {
    decides: ({ options }) => options.flag('apply'),
    load: async () => (await import('../prune.ts')).run,
    line: 'List or remove what ended runs left behind',
    options: [
      flag('apply', 'Remove it; work that exists nowhere else is kept under refs/yard/keep'),
      flag('discard', 'With --apply: also delete work that exists nowhere else, for good'),
      flag('files', 'Include prompts and outputs of every ended run, not only of old ones'),
      json,
    ],
    examples: [
      ['ym prune', 'See what can be removed'],
      ['ym prune --apply', 'Remove it, but keep work that none of your branches has'],
    ],
  },
});
