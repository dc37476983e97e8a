// Who may import whom, as data. A row is a folder of src or a single file (without `.ts`); of the
// rows that fit a file, the longest name counts. Columns:
//
//   kind       pure: no node:*, no clock, no randomness, no process
//              port: an interface; no node:*
//              shell: may touch the world
//   may import folders or files of src; `.` is the row's own folder, PORTS the list below,
//              `*` everything; `!x` takes x out again
//   packages   what it may import from npm
//
// Test files are free: they may import anything.

export const PORTS =
  'source/source git/git agent/agent record/store process/processes process/clock delivery/forge guard/guard mailbox/mailbox';

export const TABLE = `
  model             | pure  | .                                                           |
  graph             | pure  | . model                                                     |
  plan              | pure  | . model graph train/queue train/move train/candidates train/fold-train train/target|
  report            | pure  | . model graph plan train/candidates evidence           |
  train/candidates  | pure  | model                               |
  train/target      | pure  | model                               |
  train/fold-train  | pure  | model plan/task-status plan/co-claims plan/conflict train/candidates train/target|
  train/queue       | pure  | model plan/returned-work            |
  train/move        | pure  | model plan/gates train/candidates train/queue train/policy|
  train/policy      | pure  | model                                           |
  gate/gate         | pure  | model                                                       |
  gate/flaky        | pure  | model                                           |
  evidence          | pure  | . model                                         |
  inspection        | pure  | . model gate/gate                               | picomatch
  inspection/inspect| shell | inspection model PORTS                          |
  review            | pure  | . model protocol prompt document/fences         |
  ledger            | shell | . model plan PORTS                          |
  delivery          | shell | . model process PORTS                           |
  delivery/body     | pure  | model delivery/markdown report/format/amount         |
  delivery/markdown | pure  |                                                             |
  guard             | shell | . model PORTS                                   |
  guard/tampering-list| pure  | model guard/guard                               |
  guard/settings    | pure  |                                                             |
  guard/status      | pure  |                                                             |
  protocol          | pure  | . model document/fences                         |
  protocol/token    | shell | model                                                       |
  prompt            | pure  | . model protocol                                            |
  prompt/prefix     | shell | prompt/prompt                                               |
  prompt/prompt-file | shell | model prompt/template                                       |

  source/source     | port  | model                                                       |
  git/git           | port  | model                                                       |
  agent/agent       | port  | model process/processes                                     |
  record/store      | port  | model plan                                                  |
  process/processes | port  | model                                                       |
  process/clock     | port  | model                                                       |
  delivery/forge    | port  | model                                                       |
  guard/guard       | port  | model                                                       |

  mailbox/mailbox   | port  | model                                                       |
  mailbox           | shell | . model                                         | zod
  process           | shell | . model                                         |
  git               | shell | . model process                                 |
  record            | shell | . model process plan graph                                  | @photostructure/sqlite zod
  document/fences   | pure  |                                                             |
  document          | shell | . model graph                                               | zod yaml smol-toml
  source            | shell | . model process graph document                  | zod yaml smol-toml picomatch
  agent             | shell | . model protocol process !agent/scripted/main !agent/acp/main|
  agent/classify    | pure  | model agent/harness agent/stream agent/wait                 |
  agent/stream      | pure  | model agent/harness                                         |
  agent/wait        | pure  | model agent/harness agent/stream                            |
  agent/scripted    | shell | . model process agent/agent agent/command agent/turn-end     |
  agent/acp         | shell | . model process agent/action agent/agent agent/cli-agent agent/harness agent/stream agent/classify|
  config            | shell | . model graph document                          | zod yaml

  worktree          | shell | . model plan process PORTS                                  |
  gate              | shell | . model plan process evidence PORTS                         | picomatch
  train             | shell | . model plan process PORTS                                  |
  engine            | shell | . model graph plan worktree gate train prompt protocol inspection review ledger delivery guard process/run-to-completion PORTS|

  wire              | shell | * !cli !main                                                |
  cli               | shell | . wire report config model graph plan source record gate mailbox/ask engine/journal| @clack/prompts
  main              | shell | cli                                                         |
`;

/** What the product starts from; every other file of src must be reached from here. */
export const ENTRIES = ['src/main.ts', 'src/agent/scripted/main.ts', 'src/agent/acp/main.ts'];

/** Files that only tests reach, by intent. */
export const TEST_ONLY = [
  // Makes the published schemas; the product itself writes these files and never checks them.
  'src/record/*shapes.ts',
];
