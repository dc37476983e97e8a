// Who may import whom, as data: one row per folder of src. A folder imports only folders of rows above its own, so no
// two folders depend on each other. Columns:
//
//   kind        pure: no node:*, no clock, no randomness, no process, and nothing that is not pure itself
//               shell: may touch the world
//   may import  folders; `*` is every row above
//   packages    packages of npm; in a pure folder also modules of Node that only compute
//   pure files  files of a shell folder that keep to the rules of a pure one
//
// Nobody imports an entry. Test files are free: they may import anything.

export const TABLE = `
  model      | pure  |                                    |                                |
  port       | pure  | model                              |                                |
  graph      | pure  | model                              |                                |
  task       | pure  | model                              |                                |
  evidence   | pure  | model                              |                                |
  document   | pure  | model graph                        | zod yaml smol-toml             |
  protocol   | pure  | model document                     | node:crypto                    |
  prompt     | pure  | model protocol                     | node:crypto node:path          |
  review     | pure  | model document prompt              |                                |
  inspection | pure  | model port                         | picomatch                      |
  history    | pure  | model                              |                                |
  train      | pure  | model history task                 |                                |
  merge      | pure  | model port train                   |                                |
  plan       | pure  | model graph history task train     |                                |
  report     | pure  | model graph history task train plan evidence |                              |
  ledger     | pure  | model port merge                   |                                |

  process    | shell | model port                         |                                |
  git        | shell | model port process                 |                                |
  guard      | shell | model port git                     |                                | settings status tampering-list
  mailbox    | shell | model port                         | zod                            |
  agent      | shell | model port process protocol        |                                | action classify harness stream wait
  sandbox    | shell | model port process                 |                                | arguments terminal-filter
  gate       | shell | model port evidence                |                                | gate
  worktree   | shell | model port process                 |                                |
  telemetry  | shell | model port                         |                                |
  hook       | shell | model port process                 |                                |
  delivery   | shell | model port process report          |                                | body
  files      | shell | model history process              |                                |
  record     | shell | model port history task plan       | @photostructure/sqlite pg zod  |
  job        | shell | model port record                  | pg pg-boss                     |
  source     | shell | model port graph document process  | zod                            | schema issues mapping merge
  config     | shell | model graph document               | zod yaml                       |
  engine     | shell | model port task plan train merge prompt protocol inspection review guard gate worktree delivery | |

  app        | shell | model port graph task plan report prompt protocol review inspection ledger gate worktree files source config engine | |
  wire       | shell | *                                  |                                |
  daemon     | shell | model port plan report process files record config app wire | croner |
  web        | shell | model port report app              | hono @hono/node-server         | action comment contract query view-text
  ui         | shell | model graph report web             | preact                         | diff route stream window
  library    | shell | model report app wire               |                                |
  mcp        | shell | model report library               | @modelcontextprotocol/server zod |
  cli        | shell | model graph report config app wire daemon web library mcp | @clack/prompts |
  main       | shell |                                    |                                |
  program    | shell | cli                                |                                |
`;

/** What the product starts from; every other file of src must be reached from here. */
export const ENTRIES = [
  'src/main.ts',
  'src/program.ts',
  'src/library/index.ts',
  'src/agent/scripted/main.ts',
  'src/agent/acp/main.ts',
  'src/agent/chat/main.ts',
  'src/sandbox/proxy/main.ts',
  'src/ui/main.tsx',
];

/** Files that only tests reach, by intent. */
export const TEST_ONLY = [
  // Makes the published schemas; the product itself writes these files and never checks them.
  'src/files/schemas.ts',
];
