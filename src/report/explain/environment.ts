import type { EnvironmentFailure } from '../../model/failure.ts';
import { span } from '../format/time.ts';
import { inline, type SentencesOf } from './explanation.ts';

/** Failures of git, the store, the disk, or caused by another run. */
export const environmentSentences: SentencesOf<EnvironmentFailure> = {
  'git-failed': (failure) => ({
    what: `\`git ${inline(failure.args.join(' '))}\` failed (exit ${failure.exit}).`,
    why:
      inline(failure.stderr) === ''
        ? 'Git printed nothing.'
        : `Git printed: ${inline(failure.stderr)}.`,
    do: 'Fix what git complains about, then type `ym resume`; `ym doctor` checks the rest.',
  }),
  'state-unwritable': (failure) => ({
    what: `Cannot write to ${failure.dir}: ${inline(failure.cause)}.`,
    why: 'Yardmaster records each step before it acts.',
    do: 'Make the folder writable and free some disk space, or set YARDMASTER_STATE_DIR to another folder.',
  }),
  'store-corrupt': (failure) => ({
    what: `The store ${failure.file} is damaged: ${inline(failure.detail)}.`,
    why: 'It was truncated or changed by another program; Yardmaster left it as it is.',
    do: 'Keep a copy, move it away and import your tasks again; landed work is safe in git. `ym doctor` shows more.',
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
    why: 'The disk may be full, or the file may belong to another user.',
    do: 'Check with `ym doctor`, then type `ym resume`.',
  }),
  'records-deleted': (failure) => ({
    what: `The records in ${failure.dir} were deleted during the run, so it cannot continue.`,
    why:
      failure.branches.length === 0
        ? 'No unfinished work was left to save; what landed is safe in git.'
        : `Unfinished work is saved on ${inline(failure.branches.join(', '))}; what landed is safe in git.`,
    do: 'Import the tasks again: type `ym run` with your plan file. To clean up without deleting the folder, type `git clean -fdx -e .yardmaster`.',
  }),
  'run-alive': (failure) => ({
    what: `Run ${failure.run} is already running (process ${failure.pid} on ${failure.host}).`,
    why: 'Two runs on one project would interfere with each other.',
    do: 'Watch it with `ym status --watch`, end it with `ym stop`, or start a second one with `ym run --share`.',
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
