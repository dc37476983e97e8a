import type { EnvironmentFailure } from '../../model/failure.ts';
import { span } from '../format/time.ts';
import { type SentencesOf, words } from './explanation.ts';

/** What git, the store, the disk or another run put in the way. */
export const environmentSentences: SentencesOf<EnvironmentFailure> = {
  'git-failed': (failure) => ({
    what: `\`git ${words(failure.args.join(' '))}\` failed with exit status ${failure.exit}.`,
    why:
      words(failure.stderr) === ''
        ? 'git said nothing more.'
        : `git said: ${words(failure.stderr)}.`,
    do: 'Fix what git complains about, then type `ym resume`; `ym doctor` checks the rest.',
    exit: 3,
  }),
  'state-unwritable': (failure) => ({
    what: `Nothing can be written to ${failure.dir}: ${words(failure.cause)}.`,
    why: 'The record of a run is written before anything is done.',
    do: 'Make the folder writable and the disk roomy, or set YARDMASTER_STATE_DIR to another folder.',
    exit: 3,
  }),
  'store-corrupt': (failure) => ({
    what: `The store ${failure.file} is damaged: ${words(failure.detail)}.`,
    why: 'It was cut short or changed by something else; nothing was changed in it now.',
    do: 'Keep a copy, move it away and import your tasks again; landed work is safe in git. `ym doctor` says more.',
    exit: 3,
  }),
  'store-newer': (failure) => ({
    what: `The store ${failure.file} has format ${failure.found}; this version knows up to ${failure.known}.`,
    why: 'A newer Yardmaster has written to it.',
    do: 'Update Yardmaster: `npm install --global yardmaster`.',
    exit: 3,
  }),
  'store-busy': (failure) => ({
    what: `The store ${failure.file} was busy for ${span(failure.waitedMs)}.`,
    why: 'Another process held it all that time.',
    do: 'Try again; if it goes on, `ym status` shows which run is alive.',
    exit: 3,
  }),
  'store-failed': (failure) => ({
    what: `The store ${failure.file} failed: ${words(failure.detail)}.`,
    why: 'The disk may be full or the file not ours.',
    do: 'Check with `ym doctor`, then type `ym resume`.',
    exit: 3,
  }),
  'records-deleted': (failure) => ({
    what: `The records in ${failure.dir} were deleted while the run was at work, so it cannot go on.`,
    why:
      failure.branches.length === 0
        ? 'No unfinished work was left to save; what landed is safe in git.'
        : `Unfinished work is saved on ${words(failure.branches.join(', '))}; what landed is safe in git.`,
    do: 'Import the tasks again: type `ym run` with your plan file. To clean up without deleting the folder, type `git clean -fdx -e .yardmaster`.',
    exit: 3,
  }),
  'run-alive': (failure) => ({
    what: `Run ${failure.run} is alive here (process ${failure.pid} on ${failure.host}).`,
    why: 'Two runs on one project would get into each other’s way.',
    do: 'Watch it with `ym status --watch`, end it with `ym stop`, or start a second one beside it with `ym run --share`.',
    exit: 3,
  }),
  'claim-lost': (failure) => ({
    what: `${failure.task} was taken by ${failure.owner}.`,
    why: 'A task never has two owners; another run was first.',
    do: 'Nothing has to be done; `ym status` shows who works on what.',
    exit: 3,
  }),
  fenced: (failure) => ({
    what: `${failure.task} belongs to ${failure.owner} now, so a late write to it was refused.`,
    why: 'This run was away for too long and lost its claim.',
    do: 'Nothing has to be done; `ym status` shows who works on what.',
    exit: 3,
  }),
};
