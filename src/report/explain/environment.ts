import type { EnvironmentFailure, RepositoryFailure } from '../../model/failure.ts';
import { binarySize } from '../format/amount.ts';
import { shortCommit, span } from '../format/time.ts';
import {
  inline,
  machineCauseText,
  machineRemedy,
  type Sentences,
  type SentencesOf,
} from './explanation.ts';

/** Failures of the repository, git, the store, the disk, or caused by another run. */
export const environmentSentences: SentencesOf<RepositoryFailure | EnvironmentFailure> = {
  'git-missing': (failure) => ({
    what: `Could not start git: ${inline(failure.cause)}.`,
    why: 'All work is kept in git.',
    do: 'Install git, then check with `ym doctor`.',
  }),
  'git-too-old': (failure) => ({
    what: `git ${inline(failure.found)} is too old; ${failure.needed} or newer is needed.`,
    why: 'Branches are merged without a checkout, which older versions cannot do.',
    do: 'Install a newer git, then check with `ym doctor`.',
  }),
  'not-a-repository': ({ dir, missing }) =>
    missing === true
      ? {
          what: `The folder ${dir} does not exist.`,
          why: '',
          do: 'Go to your repository, or name it with `ym -C DIR`.',
          exit: 2,
        }
      : {
          what: `${dir} is not in a git repository.`,
          why: 'Every agent works in a worktree of a repository.',
          do: 'Go to your repository, or name it with `ym -C DIR`; `git init` creates a new one.',
        },
  'bare-repository': (failure) => ({
    what: `${failure.dir} is a bare repository.`,
    why: 'Yardmaster needs a checkout with the project’s files and config.',
    do: 'Clone it, and go there or name the clone with `ym -C DIR`.',
  }),
  'no-commits': (failure) => ({
    what: `The repository in ${failure.dir} has no commit yet.`,
    why: 'Agents start from a commit of the target branch.',
    do: 'Make a first commit: `git commit --allow-empty -m "First commit"`.',
  }),
  'detached-head': (failure) => ({
    what: `No branch is checked out; HEAD is at ${failure.commit.slice(0, 12)}.`,
    why: 'Work lands on a branch, and none is selected.',
    do: 'Name it with `ym run --target BRANCH`, or check out a branch.',
  }),
  'target-missing': (failure) => ({
    what: `There is no branch "${failure.branch}" to land on.`,
    why: 'The target must exist before a run starts.',
    do:
      failure.nearest === undefined
        ? `Create it with \`git branch ${failure.branch}\`, or name another with \`ym run --target BRANCH\`. Work that was done for ${failure.branch} waits until it is there again.`
        : `Did you mean ${failure.nearest}? Create it with \`git branch ${failure.branch}\`, or name another with \`ym run --target BRANCH\`.`,
    exit: 2,
  }),
  'shallow-repository': (failure) => ({
    what: `The repository in ${failure.dir} is shallow.`,
    why: 'Merging needs the history that was left out.',
    do: 'Fetch the rest with `git fetch --unshallow`.',
  }),
  'operation-in-progress': (failure) => ({
    what: `A ${failure.operation} is in progress in ${failure.dir}.`,
    why: 'The target must not move while you are in the middle of something.',
    do: `Finish or abort it (\`git ${failure.operation} --abort\`), then start again.`,
  }),
  'no-identity': (failure) => ({
    what: `Git identity is missing: \`${failure.missing}\` is not set.`,
    why: 'Commits and merges need an author.',
    do: 'Type `git config user.name "Your Name"` and `git config user.email you@example.com`.',
  }),
  'branch-exists': (failure) => ({
    what: `The branch ${failure.branch} already exists and was not created by Yardmaster.`,
    why: `Run ${failure.run} needs this name for an attempt, and Yardmaster never overwrites a branch.`,
    do: `Rename it with \`git branch -m ${failure.branch} NEW-NAME\`, then start again.`,
  }),
  'git-failed': (failure) => ({
    what: `\`git ${inline(failure.args.join(' '))}\` failed: ${machineCauseText(failure.stderr) ?? `exit ${failure.exit}`}.`,
    why:
      inline(failure.stderr) === ''
        ? 'Git printed nothing.'
        : `Git printed: ${inline(failure.stderr)}.`,
    do:
      machineRemedy(failure.stderr) ??
      'Fix what git complains about, then type `ym resume`; `ym doctor` checks the rest.',
  }),
  'commit-elsewhere': ({ task, attempt, commit, run }) => ({
    what: `Commit ${shortCommit(commit)} of attempt ${attempt} at ${task} is not in this clone.`,
    why: `Clones share the records, not the commits: another clone or a worker of run ${run} has it.`,
    do: `Type the command in that clone, or get the commit from there: \`git fetch PATH-OR-URL ${commit}\`.`,
  }),
  'state-unwritable': (failure) => ({
    what: `Cannot write to ${failure.dir}: ${inline(failure.cause)}.`,
    why: 'Yardmaster records each step before it acts.',
    do: 'Make the folder writable and free some disk space. For a new run you can also set YARDMASTER_STATE_DIR to another folder; a run that has begun stays in its own.',
  }),
  'surroundings-broken': ({ problem, remedy }) => ({ what: problem, why: '', do: remedy }),
  'sandbox-missing': (failure) => ({
    what: `\`sandbox: ${failure.wanted}\` does not work here: ${inline(failure.cause)}.`,
    why: 'Agents and gates would run without a sandbox, which this setting forbids.',
    do: `${failure.advice}, or set \`sandbox\` to auto. \`ym doctor\` checks it.`,
  }),
  'no-space': (failure) => ({
    what:
      failure.unit === 'bytes'
        ? `The disk of ${failure.dir} is nearly full: ${binarySize(failure.free)} are free.`
        : `The disk of ${failure.dir} has room for only ${failure.free} more files.`,
    why:
      failure.unit === 'bytes'
        ? `New work needs ${binarySize(failure.needed)}; what is finished is still captured and landed.`
        : `New work needs room for ${failure.needed}; what is finished is still captured and landed.`,
    do: 'Free some disk space; `ym prune` lists what can be deleted. The run continues by itself, or with `ym resume`.',
  }),
  'store-corrupt': (failure) => ({
    what: `The store ${failure.file} is damaged: ${inline(failure.detail)}.`,
    why: 'It was truncated or changed by another program; Yardmaster left it as it is.',
    do: 'Type `ym doctor --repair`: it restores the newest copy, adds what git and run files contain, and deletes nothing.',
  }),
  'store-missing': (failure) => ({
    what: `The store ${failure.file} is missing.`,
    why: 'Copies of it exist, so it was deleted; an empty store would hide the records in them.',
    do: 'Type `ym doctor --repair` to restore it. To start from nothing, delete the folder of the store.',
  }),
  'store-newer': (failure) => ({
    what: `The store ${failure.file} has format ${failure.found}; this version knows up to ${failure.known}.`,
    why: 'A newer Yardmaster has written to it.',
    do: 'Update Yardmaster: `npm install --global yardmaster`.',
  }),
  'store-busy': (failure) => ({
    what: `The store ${failure.file} was busy for ${span(failure.waitedMs)}.`,
    why: 'Another process kept it locked.',
    do: 'Try again; if it keeps happening, `ym status` shows which run is active.',
  }),
  'store-failed': (failure) => ({
    what: `The store ${failure.file} failed: ${inline(failure.detail)}.`,
    why: failure.file.startsWith('postgres')
      ? 'The server refused a statement; its log says more.'
      : 'The disk may be full, or the file may belong to another user.',
    do: 'Check with `ym doctor`, then type `ym resume`.',
  }),
  'store-unavailable': ({ store, problem, detail }) => ({
    what: `${storeProblems[problem].what(store)}: ${inline(detail)}.`,
    ...storeProblems[problem].advice,
  }),
  'store-moved': (failure) => ({
    what:
      failure.to === 'sqlite'
        ? 'The records of this project are in SQLite now, in the git folder of the clone that moved them.'
        : `The records of this project are in ${failure.to} now.`,
    why: `What is left in ${failure.file} is a copy, and what is written there would be lost.`,
    do:
      failure.to === 'sqlite'
        ? 'In that clone, set `store`: `ym config set store sqlite`. Other clones and workers cannot use the records until `ym store migrate` there moves them back to Postgres.'
        : `Set \`store\` to the new address: \`ym config set store ${failure.to}\`. \`ym store migrate\` moves the records.`,
  }),
  'records-deleted': (failure) => ({
    what: `The records in ${failure.dir} were ${failure.how} during the run, so it cannot continue.`,
    why:
      failure.branches.length === 0
        ? 'No unfinished work was left to save; what landed is safe in git.'
        : `Unfinished work is saved on ${inline(failure.branches.join(', '))}; what landed is safe in git.`,
    do: 'Type `ym doctor --repair` to restore the records, then `ym run`.',
  }),
  'run-alive': (failure) => ({
    what: `Run ${failure.run} is already running (process ${failure.pid} on ${failure.host}).`,
    why: 'Two runs on one project would interfere with each other.',
    do: 'Watch it with `ym watch`, end it with `ym stop`, or start a second one with `ym run --share`. `ym resume --standby` takes over if that process dies.',
  }),
  'run-writes': (failure) => ({
    what: `Run ${failure.run} is active (process ${failure.pid} on ${failure.host}).`,
    why: 'It writes to the store, whose records can be moved or restored only while nothing writes to it.',
    do: 'Wait until it has ended, or end it with `ym stop`; then try again.',
  }),
  'run-starting': (failure) => ({
    what: `Process ${failure.pid} on ${failure.host} is starting a run of this project, or has just ended one.`,
    why: 'Two runs on one project would interfere with each other.',
    do: 'Wait a moment and try again. To start a second run next to it, use `ym run --share`.',
  }),
  'run-taken-over': (failure) => ({
    what: `Run ${failure.run} is driven by process ${failure.pid} on ${failure.host} now.`,
    why: 'This process had not renewed its lease in time, for example because its machine slept. It has ended its agents and does nothing more.',
    do: 'Watch the run with `ym watch`.',
  }),
  'claim-lost': (failure) => ({
    what: `${failure.task} was taken by ${failure.owner}.`,
    why: 'A task never has two owners; another run was first.',
    do: 'No action needed; `ym status` shows which run works on what.',
  }),
  fenced: (failure) => ({
    what: `${failure.task} belongs to ${failure.owner} now, so a late write to it was refused.`,
    why: 'This run did not respond for too long and lost its claim.',
    do: 'No action needed; `ym status` shows which run works on what.',
  }),
};

interface StoreProblem {
  readonly what: (store: string) => string;
  readonly advice: Pick<Sentences, 'why' | 'do'>;
}

const afterwards = 'then type the command again; `ym resume` continues a run.';

const storeProblems: Readonly<
  Record<Extract<EnvironmentFailure, { kind: 'store-unavailable' }>['problem'], StoreProblem>
> = {
  unreachable: {
    what: (store) => `The server of the store ${store} cannot be reached`,
    advice: {
      why: 'It is down, or the address in `store` is wrong.',
      do: `Start the server or correct \`store\`, ${afterwards}`,
    },
  },
  login: {
    what: (store) => `The server of the store ${store} refuses the login`,
    advice: {
      why: 'The user or the password is wrong or missing.',
      do: `Put the right password into ~/.pgpass (mode 600), or the whole address into YARDMASTER_STORE, ${afterwards}`,
    },
  },
  'no-database': {
    what: (store) => `The database of the store ${store} is missing`,
    advice: {
      why: 'Yardmaster creates tables, but no databases.',
      do: `Create it with \`createdb\` or correct \`store\`, ${afterwards}`,
    },
  },
  'no-permission': {
    what: (store) => `The user of the store ${store} lacks a permission`,
    advice: {
      why: 'The user must own the schema, or be allowed to create it.',
      do: 'Type `GRANT CREATE ON DATABASE … TO …` in psql as the owner of the database.',
    },
  },
  foreign: {
    what: (store) => `The store ${store} belongs to another repository`,
    advice: {
      why: 'The tasks and runs of two repositories would be mixed.',
      do: 'Give this repository a schema of its own: add `?schema=NAME` to the address in `store`.',
    },
  },
  unfit: {
    what: (store) => `The server of the store ${store} cannot be used`,
    advice: { why: '', do: 'Use another server or database; docs/workers.md says which.' },
  },
};
