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
  it('of run reads', () => {
    expect(help('run')).toMatchInlineSnapshot(`
      "Let agents work on the tasks and land what passes the gate

      Usage: ym run [SOURCE…] [OPTION…]

      Arguments
        SOURCE  Plan file (YAML, TOML, JSON), Markdown checklist, folder of Markdown files, or - for standard input

      Options
        -j, --jobs N                  Agents at work at once (1 to 16; default: \`jobs\` of the config, else 4)
            --agent NAME              Agent to start, such as claude or codex, or a profile of the config (default: \`agent\` of the config)
            --fallback NAME           Agent that takes over while the first one fails (default: \`fallback.agent\` of the config)
            --model MODEL             Model where nothing else names one, such as sonnet or codex:gpt-5:high (default: \`model.default\` of the config, else the agent’s own)
            --target BRANCH           Branch to land on (default: \`target\` of the config, else the branch checked out)
            --scope SCOPE             Tasks to work on where neither a source nor --only names them (ready, epics)
            --epic NAME               Epics to work on, with --scope epics (repeatable)
            --only ID                 Work on these tasks and no others (repeatable)
            --max-attempts N          Agent starts in the whole run (default: no limit)
            --max-new-tasks N         Tasks filed during the run that the same run works on (default: no limit)
            --budget-wall DURATION    Time for the whole run, such as 90m or 4h (default: no limit)
            --budget-tokens COUNT     Tokens for the whole run, such as 2M or 500k (default: no limit)
            --budget-cost AMOUNT      US dollars for the whole run, such as 20USD (default: no limit)
            --retries N               Retries per task: further agent starts after the first (0 to 100; default: 3)
            --gate-slots N            Gates that run at once (1 to 16; default: \`gate.slots\` of the config)
            --deliver HOW             What becomes of finished work (land, branch, pr, stack; default: \`delivery.how\` of the config)
            --no-preflight            Start agents without running the gate on the target first
            --verify-tests            Look at the whole target when the run has ended; exit status 5 where that fails
            --no-verify-tests         Do not, whatever else says so
            --verify-command COMMAND  What to look with, started without a shell; means --verify-tests (default: \`verify.command\` of the config, else the gate)
            --prune-removed           Cancel unfinished tasks that are no longer in their SOURCE
            --share                   Start although another run is alive here
        -y, --yes                     Ask nothing
        -n, --dry-run                 Print the commands decided first, and do nothing
            --json                    Print JSON for programs
            --plain                   Print one line for each thing that happens, also on a terminal

      Examples
        ym run plan.yaml --jobs 4
            Import a plan and work on its tasks
        ym run --scope ready --budget-wall 2h
            All tasks, for two hours at most
      "
    `);
  });

  it('of resume reads', () => {
    expect(help('resume')).toMatchInlineSnapshot(`
      "Go on with a run that was stopped or killed

      Usage: ym resume [RUN] [OPTION…]

      Arguments
        RUN  Id of a run, or its beginning or end; the newest if absent

      Options
            --retry-failed            Try tasks again that failed in this run
            --max-attempts N          Agent starts in the whole run (default: as the run was started)
            --max-new-tasks N         Tasks filed during the run that the same run works on (default: as the run was started)
            --budget-wall DURATION    Time for the whole run, such as 90m or 4h (default: as the run was started)
            --budget-tokens COUNT     Tokens for the whole run, such as 2M or 500k (default: as the run was started)
            --budget-cost AMOUNT      US dollars for the whole run, such as 20USD (default: as the run was started)
            --no-preflight            Start agents without running the gate on the target first
            --verify-tests            Look at the whole target when the run has ended; exit status 5 where that fails
            --no-verify-tests         Do not, whatever else says so
            --verify-command COMMAND  What to look with, started without a shell; means --verify-tests (default: \`verify.command\` of the config, else the gate)
            --json                    Print JSON for programs
            --plain                   Print one line for each thing that happens, also on a terminal

      Examples
        ym resume
            Go on where the newest run stands
        ym resume --retry-failed
            And give failed tasks another chance
      "
    `);
  });

  it('of stop reads', () => {
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

  it('of verify reads', () => {
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

  it('of prune reads', () => {
    expect(help('prune')).toMatchInlineSnapshot(`
      "List what ended runs left over, or remove it

      Usage: ym prune [OPTION…]

      Options
            --apply    Remove it; work that is nowhere else is kept under refs/yard/keep
            --discard  With --apply: also drop work that is nowhere else, for good
            --files    Also the prompts and outputs of every ended run, not only of old ones
            --json     Print JSON for programs

      Examples
        ym prune
            See what could go
        ym prune --apply
            Remove it, and keep what no branch of yours has
      "
    `);
  });
});
