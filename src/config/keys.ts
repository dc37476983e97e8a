import { batchLimits } from '../model/batch.ts';
import { limits, poolSize } from '../model/limits.ts';
import { daemonKeys } from './daemon-keys.ts';
import { hooks } from './hook.ts';
import { key, keysOf, targetKey } from './key.ts';
import { modes } from './mode.ts';
import { agentNames, profile } from './profile.ts';
import { sourceMappings } from './source-mapping.ts';
import {
  address,
  agentName,
  attemptsOfType,
  autoOr,
  boolean,
  choice,
  duration,
  durationOrOff,
  hosts,
  mapOf,
  model,
  modelsByPriority,
  money,
  paths,
  patterns,
  pipelines,
  prices,
  promptFiles,
  reviewers,
  size,
  someAgents,
  someTexts,
  storePlace,
  text,
  texts,
  tokens,
  tokensOrNone,
  variableName,
  whole,
} from './values.ts';

/** Variants of a task that agents work on side by side. */
const sideBySide = {
  best_of: key('attempts.best_of', whole(1, limits.variantsMax), {
    default: 1,
    doc: `Variants of each task that agents work on side by side, 1 to ${limits.variantsMax}; one of them lands`,
  }),
  agents: key('attempts.agents', someAgents, {
    default: [],
    shown: 'the agent of the task',
    doc: 'Agents of the variants, in turn',
  }),
  choose: key('attempts.choose', choice(['auto', 'person']), {
    default: 'auto',
    doc: 'Who chooses between finished variants: `auto` is `attempts.chooser`, else the first reviewer, else the smallest change; `person` is you, with `ym choose`',
  }),
  chooser: key('attempts.chooser', agentName, {
    shown: 'the first of `review.agent`',
    doc: 'Agent that compares finished variants',
  }),
  waitMs: key('attempts.wait', duration, {
    shown: 'until all have ended',
    doc: 'Longest wait for the other variants after the first one has finished',
  }),
  byType: key(
    'attempts.by_type',
    mapOf(attemptsOfType, {
      map: 'Give a map of task types to numbers of variants, such as { bug: 3 }.',
    }),
    {
      default: {},
      doc: 'Variants by task type: a number, or `{ best_of, agents, choose }`',
    },
  ),
} as const;

/** Keys about attempts at tasks; see `keys.ts`. */
const attemptKeys = {
  attempts: sideBySide,
  ask: {
    timeoutMs: key('ask.timeout', durationOrOff, {
      default: 0,
      doc: 'Time that a question of an agent waits for your answer; `off` keeps it open, and a run without a terminal that has nothing else to do ends after 10 minutes',
    }),
    onTimeout: key('ask.on_timeout', choice(['decide', 'block']), {
      default: 'decide',
      doc: 'After that time: `decide` lets the agent decide itself and say what it assumed, `block` saves its work and blocks the task',
    }),
  },
  retries: key('retries', whole(0, limits.retriesMax), {
    default: limits.retriesDefault,
    doc: 'Retries per task in one run',
  }),
  quarantine: key('quarantine', whole(1, limits.quarantineAfterMax), {
    default: limits.quarantineAfterDefault,
    doc: 'Failed attempts in a row, across runs, after which a task is no longer started',
  }),
  retry: {
    returns: key('retry.returns', whole(0, limits.retriesMax), {
      default: limits.returnsDefault,
      doc: 'Times that failed work goes back to the same conversation before a fresh attempt starts; a turn that changes nothing starts one immediately',
    }),
    provider: key('retry.provider', whole(0, limits.providerRetriesMax), {
      default: limits.providerRetriesDefault,
      doc: 'Retries in a row of a turn that the agent’s service cut short',
    }),
    silent: key('retry.silent', whole(1, limits.silentTurnsMax), {
      default: limits.silentTurnsDefault,
      doc: 'Turns in a row without an end signal before the agent is asked for one a last time',
    }),
  },
} as const;

export const secretPlaces = [
  '~/.ssh',
  '~/.gnupg',
  '~/.aws',
  '~/.azure',
  '~/.config/gcloud',
  '~/.config/gh',
  '~/.config/hub',
  '~/.docker',
  '~/.kube',
  '~/.netrc',
  '~/.git-credentials',
  '~/.config/git/credentials',
  '~/.pgpass',
  '~/.vault-token',
  '~/.password-store',
  '~/.local/share/keyrings',
  '~/.mozilla',
  '~/.thunderbird',
  '~/.config/google-chrome',
  '~/.config/chromium',
  '~/.config/BraveSoftware',
  '~/.config/microsoft-edge',
];

/** Caches of common package managers and build tools. */
export const cachePlaces = [
  '~/.cache',
  '~/.npm',
  '~/.local/share/pnpm',
  '~/.bun/install/cache',
  '~/.cargo/registry',
  '~/.cargo/git',
  '~/go/pkg',
  '~/.gradle/caches',
  '~/.m2/repository',
  '~/.nuget/packages',
];

const placesHint = 'Give a path or a list of paths; "~" is your home.';

const stageKeys = {
  review: {
    reviewers: targetKey('review.agent', reviewers, {
      default: [],
      doc: 'Agent or agents that review work before it queues; all of them must approve',
    }),
    person: targetKey('review.person', boolean, {
      default: false,
      doc: '`true` requires your approval of all work, with `ym approve`',
    }),
    rounds: targetKey('review.rounds', whole(1, limits.reviewRoundsMax), {
      default: limits.reviewRoundsDefault,
      doc: `Rounds of review and fixes before you are asked, 1 to ${limits.reviewRoundsMax}`,
    }),
    retries: targetKey('review.retries', whole(0, limits.verdictRetriesMax), {
      default: limits.verdictRetriesDefault,
      doc: `Retries of a reviewer that returns no verdict, 0 to ${limits.verdictRetriesMax}`,
    }),
  },
  critique: {
    critic: targetKey('critique.agent', agentName, {
      doc: 'Agent that checks the description of each task before work on it starts',
    }),
    improver: targetKey('critique.improver', agentName, {
      shown: 'the agent of the task',
      doc: 'Agent that rewrites descriptions that are not clear',
    }),
    rounds: targetKey('critique.rounds', whole(1, limits.critiqueRoundsMax), {
      default: limits.critiqueRoundsDefault,
      doc: `Rounds of critique and rewriting, 1 to ${limits.critiqueRoundsMax}`,
    }),
    retries: targetKey('critique.retries', whole(0, limits.verdictRetriesMax), {
      default: limits.verdictRetriesDefault,
      doc: `Retries of a critic that returns no verdict, 0 to ${limits.verdictRetriesMax}`,
    }),
  },
  tests: {
    agent: targetKey('tests.agent', agentName, {
      shown: 'the agent of the task',
      doc: 'Agent that writes the failing tests in the stage `tests` of a `pipeline`; the agent of the task makes them pass',
    }),
  },
  pipelines: targetKey('pipeline', pipelines, {
    default: {},
    shown: 'every stage that is set up',
    doc: 'Stages by task type, or `default` for all other types: some of `critique`, `tests`, `work`, `gate`, `review`, `land`, in this order',
  }),
} as const;

/** Keys of planning: who proposes, reviews and revises plans, and who chooses the next tasks. */
const planKeys = {
  plan: {
    agent: key('plan.agent', agentName, { doc: 'Agent that proposes tasks; else the default one' }),
    critic: key('plan.critic', agentName, {
      doc: 'Agent that reviews a plan before it runs and reports concerns, for `ym plan` and `ym run SOURCE`',
    }),
    revise: key('plan.revise', choice(['off', 'propose', 'apply']), {
      default: 'off',
      doc: 'Ask `plan.agent` to revise the plan when an agent gives up: `propose` waits for `ym approve`, `apply` stores the changes at once',
    }),
  },
  planner: {
    enabled: key('planner.enabled', boolean, {
      default: true,
      doc: '`false` never asks the planner; the suggestions of agents count in any case',
    }),
    agent: key('planner.agent', agentName, {
      doc: 'Agent that chooses the tasks to start next with two or more `jobs`, when agents suggest none; without it there is no planner',
    }),
    budgetTokens: key('planner.budget_tokens', tokensOrNone, {
      default: batchLimits.plannerTokensDefault,
      doc: 'Most tokens of one planner prompt; with a larger one the planner is not asked. 0 never asks it',
    }),
  },
};

export const projectFile = 'yardmaster.yaml';

export const gateHint =
  'Write gate: { commands: ["npm test"] } with your commands, or "gate: none" to disable the gate.';

const codingAgents = agentNames.map((name) => `\`${name}\``).join(', ');

/**
 * Everything a user may set, each key once. A key ends up in the settled config where it stands in this table. The
 * schema of config files, the JSON Schema for editors, `ym config` and docs/configuration.md are made from it.
 */
export const keys = {
  target: key('target', text, {
    shown: 'the branch checked out',
    doc: 'Branch that finished work lands on',
  }),
  jobs: key('jobs', whole(limits.jobsMin, limits.jobsMax), {
    default: limits.jobsDefault,
    doc: `Agents that run at the same time, ${limits.jobsMin} to ${limits.jobsMax}`,
  }),
  store: key('store', storePlace, {
    default: 'sqlite',
    doc: 'Where the records are: `sqlite`, a file in the git folder, or `postgres://USER@HOST/DATABASE`. A password belongs in the variable `YARDMASTER_STORE`, your own config file or `~/.pgpass`, never into the project’s file',
  }),
  agent: key('agent', agentName, { doc: `Default agent: ${codingAgents}, or one of \`agents\`` }),
  agents: key(
    'agents',
    mapOf(profile, {
      map: 'Give the agents as a map of names.',
      name: 'Name agents with letters, digits, "_" and "-".',
      names: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
    }),
    {
      default: {},
      doc: `Agents by name, each with \`use:\` and ${codingAgents}, \`acp\`, \`command\`, \`scripted\` or \`http\``,
    },
  ),
  models: {
    default: key('model.default', model, {
      shown: 'the agent’s own',
      doc: 'Default model, written as `model`, `agent:model` or `agent:model:reasoning`',
    }),
    byPriority: key('model.by_priority', modelsByPriority, { doc: 'Model by priority, P0 to P4' }),
    byType: key('model.by_type', mapOf(model, { map: 'Give a map of task types to models.' }), {
      doc: 'Model by task type',
    }),
  },
  fallback: {
    agent: key('fallback.agent', agentName, {
      doc: 'Agent that takes over while the default agent fails',
    }),
    cooldown: key('fallback.cooldown', whole(1, limits.cooldownMax), {
      default: limits.cooldownDefault,
      doc: 'Successes of the fallback agent before the default agent is tried again',
    }),
  },
  prompts: key('prompts', promptFiles, {
    default: [],
    doc: 'Files with your own instructions, added to every prompt',
  }),
  keepRaw: key('keep_raw', boolean, {
    default: false,
    doc: 'Keep the output of agents and gates as they wrote it, secrets included, instead of redacting it when they end',
  }),
  sandbox: key(
    'sandbox',
    choice(['auto', 'write', 'strict', 'none'], 'Write auto, write, strict or none.'),
    {
      default: 'auto',
      doc: 'Sandbox around agents, gates and set-up commands: `write` lets them write only their worktree, a private temporary folder and `sandbox_writable`; `strict` also hides your home and turns the network off, except for `sandbox_hosts`; `auto` is `write` where bubblewrap works, else each agent’s own sandbox; `none` uses no sandbox',
    },
  ),
  sandboxHidden: key('sandbox_hidden', texts(placesHint), {
    default: secretPlaces,
    doc: 'Files and folders that are hidden in the sandbox; logins of other agents always are',
  }),
  sandboxWritable: key('sandbox_writable', texts(placesHint), {
    default: cachePlaces,
    doc: 'Folders outside the worktree that may be written in the sandbox, such as caches; missing ones are created directly in the home, and left out elsewhere',
  }),
  sandboxHosts: key('sandbox_hosts', hosts, {
    default: [],
    doc: 'Hosts that agents may reach with `sandbox: strict`, such as `api.example.com`, `*.example.com` for all below it, or `example.com:8443`; the default port is 443. None: no network',
  }),
  sandboxEnv: key('sandbox_env', texts('Give a variable or a list of variables.'), {
    default: [],
    doc: 'Names of additional environment variables that agents and gates get with `sandbox: strict`',
  }),
  gate: {
    off: targetKey('gate', choice(['none'], gateHint), {
      shown: 'detected',
      doc: '`none` disables the gate: work lands untested',
    }),
    commands: targetKey('gate.commands', someTexts(gateHint), {
      shown: 'detected',
      doc: 'Shell commands that must all pass before work may land',
    }),
    timeoutMs: targetKey('gate.timeout', duration, {
      default: limits.gateWallMs,
      doc: 'Time limit of one gate run, all commands together; each rerun of a command has the same limit',
    }),
    branch: targetKey('gate.branch', choice(['auto', 'always', 'never']), {
      default: 'auto',
      doc: 'When a branch is tested alone before it queues: `always`, `never`, or `auto` (if it failed before, if similar work often fails, or if `gate.quick` or a review is set up)',
    }),
    quick: targetKey('gate.quick', someTexts('Give at least one command, or remove the key.'), {
      default: [],
      doc: 'Faster commands for testing a branch alone; what lands is always tested by `gate.commands`',
    }),
    reruns: targetKey('gate.reruns', whole(0, limits.gateRerunsMax), {
      default: limits.gateRerunsDefault,
      doc: `Reruns of a failed command to find out whether it is flaky, 0 to ${limits.gateRerunsMax}`,
    }),
    slots: targetKey('gate.slots', autoOr(1, limits.gateSlotsMax), {
      default: 'auto',
      shown: 'auto (half the cores)',
      doc: `Gates that run at the same time, for branches, candidates and the target together: \`auto\` or 1 to ${limits.gateSlotsMax}`,
    }),
    cache: targetKey('gate.cache', patterns(), {
      default: [],
      doc: 'Patterns, as in `.gitignore`, of untracked files that gate worktrees keep between gate runs, such as `target/`',
    }),
    network: targetKey('gate.network', boolean, {
      default: true,
      doc: '`false` turns the network off for gates in the sandbox; with `sandbox: strict` it always is',
    }),
    userns: targetKey('gate.userns', boolean, {
      default: false,
      doc: '`true` lets gates in the sandbox create user namespaces, as tests with Chromium do',
    }),
    recheckMs: targetKey('gate.recheck', duration, {
      default: limits.gateRecheckMs,
      doc: 'If the last passed gate run is older than this, the target is tested again before a failure counts against an agent',
    }),
    environment: targetKey(
      'gate.environment',
      someTexts('Give at least one command, such as node --version.'),
      {
        default: [],
        doc: 'Commands such as `node --version`; a gate result is reused only while their output stays the same',
      },
    ),
  },
  protect: targetKey('protect', patterns(projectFile), {
    default: ['.github/**', '.gitlab-ci.yml', '.circleci/**', projectFile],
    doc: `Patterns of paths whose changes need your approval; \`${projectFile}\` is always protected`,
  }),
  rules: {
    tests: targetKey('rules.tests', choice(['guard', 'off']), {
      default: 'guard',
      doc: '`guard` returns work that deletes, empties, skips or weakens tests; `off` allows it',
    }),
    maxFiles: targetKey('rules.max_files', whole(1, limits.ruleCountMax), {
      doc: 'Most files that one task may change',
    }),
    maxLines: targetKey('rules.max_lines', whole(1, limits.ruleCountMax), {
      doc: 'Most lines that one task may add and remove, together',
    }),
  },
  ...stageKeys,
  ...planKeys,
  mode: targetKey('mode', text, {
    doc: 'Mode of runs: `quick`, `careful` or one of `modes`; its keys replace those of config files. See [Modes](modes.md)',
  }),
  modes: targetKey('modes', modes, {
    default: {},
    shown: '`quick` and `careful` are built in',
    doc: 'Named sets of keys for `ym run --mode NAME`, written as in this file',
  }),
  sources: key('sources', sourceMappings, {
    default: {},
    shown: '`jira` and `linear` are built in',
    doc: 'How columns of exports of issue trackers become tasks, by the name before the colon in `ym import NAME:FILE`: `{ fields, priorities, types, done, id_prefix }`',
  }),
  writeBack: key('write_back', boolean, {
    default: false,
    doc: 'Write the states of imported tasks back to Beads and oompa: claimed, closed or opened again',
  }),
  preflight: key('preflight', boolean, {
    default: true,
    doc: 'Run `run.before` and the gate on the target before the first agent of a run starts',
  }),
  run: {
    before: targetKey('run.before', texts('Give a command or a list of commands.'), {
      default: [],
      doc: 'Commands that run in a clean worktree of the target before the first agent of a new or resumed run starts; if one fails, the run ends. `preflight: false` skips them',
    }),
  },
  probeModels: key('probe_models', boolean, {
    default: false,
    doc: 'Ask each agent of a run, with each model it may get, one tiny question before the run starts, and refuse the run if one does not answer; `ym doctor --models` does it at any time',
  }),
  worktree: {
    setup: targetKey('worktree.setup', texts('Give a command or a list of commands.'), {
      default: [],
      doc: 'Commands that prepare a new worktree, such as `npm ci`',
    }),
    finish: targetKey('worktree.finish', texts('Give a command or a list of commands.'), {
      default: [],
      doc: 'Commands that run after each turn of an agent that changed something, before its changes are committed, such as a formatter; if one fails, the agent gets its work back',
    }),
    copy: key('worktree.copy', paths, {
      default: [],
      doc: 'Untracked files to copy into each worktree, such as `.env`',
    }),
    pool: key('worktree.pool', autoOr(1, limits.poolMax), {
      default: 'auto',
      shown: `auto (${poolSize(limits.jobsDefault)} for ${limits.jobsDefault} jobs)`,
      doc: 'Most worktrees to keep, not counting those of work that waits for you: `auto` or a number',
    }),
  },
  ...attemptKeys,
  quotaWaitMs: key('quota.wait', durationOrOff, {
    default: limits.quotaWaitDefaultMs,
    doc: 'Longest time that a run waits for a quota; `off` does not wait',
  }),
  spawnRate: key('spawn_rate', whole(1, limits.spawnRateMax), {
    default: limits.spawnRateDefault,
    doc: 'Agents that may start within one second',
  }),
  waitForTasksMs: key('wait_for_tasks', durationOrOff, {
    shown: 'off (10m with executors)',
    doc: 'Time that a run with nothing left to do waits for new tasks, and for the waits of its tasks',
  }),
  limits: {
    agentWallMs: key('limits.agent_wall', duration, {
      default: limits.agentWallMs,
      doc: 'Time limit of one agent process',
    }),
    agentIdleMs: key('limits.agent_idle', durationOrOff, {
      default: limits.agentIdleMs,
      doc: 'Longest time without output of an agent; `off` for no limit',
    }),
    agentStartMs: key('limits.agent_start', durationOrOff, {
      default: limits.agentStartMs,
      doc: 'Time limit for the first output of an agent; `off` for no limit',
    }),
    agentLingerMs: key('limits.agent_linger', duration, {
      default: limits.agentLingerMs,
      doc: 'Time that an agent process may stay alive after its last message',
    }),
    setupWallMs: key('limits.setup_wall', duration, {
      default: limits.setupWallMs,
      doc: 'Time limit of one command of `worktree.setup` or `worktree.finish`',
    }),
    outputBytes: key('limits.output', size, {
      default: limits.outputBytes,
      doc: 'Most output of one process',
    }),
  },
  budget: {
    attempts: key('budget.attempts', whole(1, limits.attemptsMax), {
      doc: 'Most agent starts in one run',
    }),
    newTasks: key('budget.new_tasks', whole(0, limits.attemptsMax), {
      doc: 'Most tasks filed during a run that the same run works on; further ones stay open',
    }),
    wallMs: key('budget.wall', duration, { doc: 'Time limit of one run' }),
    tokens: key('budget.tokens', tokens, {
      doc: 'Most tokens, of all kinds, that one run may use, such as `2M` or `500k`',
    }),
    costUsd: key('budget.cost', money, {
      doc: 'Most US dollars that one run may cost, such as `20USD`',
    }),
  },
  prices: key('prices', prices, {
    default: {},
    doc: 'US dollars per million tokens by model: `{ input, output, cache_read, cache_write }`; `default` for any other model',
  }),
  telemetry: {
    endpoint: key(
      'telemetry.endpoint',
      address('Give the address of a collector, such as http://127.0.0.1:4318.'),
      { doc: 'OTLP/HTTP endpoint that traces and metrics of runs are sent to, as JSON' },
    ),
    headersEnv: key(
      'telemetry.headers_env',
      variableName('Give the name of a variable, such as OTEL_EXPORTER_OTLP_HEADERS.'),
      { doc: 'Environment variable with headers for that endpoint, as `name=value,name=value`' },
    ),
    file: key('telemetry.file', text, {
      doc: 'File that traces and metrics of runs are appended to; relative to the repository',
    }),
  },
  hooks: targetKey('hooks', hooks, {
    default: {},
    doc: 'Commands, webhooks, desktop notices and bells that are told what happens, by name; see [Hooks](hooks.md)',
  }),
  train: {
    batch: key('train.batch', autoOr(1, limits.trainBatchMax), {
      default: 'auto',
      shown: `auto (up to ${limits.trainBatchDefault})`,
      doc: `Most branches in one candidate: \`auto\` or 1 to ${limits.trainBatchMax}`,
    }),
    style: key('train.style', choice(['merge', 'squash', 'rebase']), {
      default: 'merge',
      doc: 'How work lands: `merge` creates one merge commit per task, `squash` one plain commit, `rebase` keeps the commits of the branch',
    }),
  },
  delivery: {
    how: key('delivery.how', choice(['land', 'branch', 'pr', 'stack']), {
      default: 'land',
      doc: 'How finished work is delivered: `land` on the target, `branch`, `pr` for a pull request, or `stack` for branches on top of each other',
    }),
    remote: key('delivery.remote', text, {
      default: 'origin',
      doc: 'Remote that branches of pull requests are pushed to',
    }),
    waitMs: key('delivery.wait', durationOrOff, {
      default: 0,
      doc: 'Time that a run waits for open pull requests',
    }),
  },
  verify: {
    enabled: key('verify.enabled', boolean, {
      default: false,
      doc: 'Test the target after the last landing of a run',
    }),
    command: key('verify.command', text, {
      shown: 'the last command of the gate',
      doc: 'Command of that test: a program and its arguments, started without a shell',
    }),
    timeoutMs: key('verify.timeout', duration, {
      default: limits.verifyWallMs,
      doc: 'Time limit of that test',
    }),
    onFailure: key('verify.on_failure', choice(['report', 'fix', 'bisect']), {
      default: 'report',
      doc: 'If that test fails: `report`, `fix` to file a task, or `bisect` to find the landing that caused it',
    }),
  },
  ...daemonKeys,
} as const;

export const settableKeys = keysOf(keys);
