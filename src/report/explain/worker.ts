import { type AttemptFailure, unreachable } from '../../model/failure.ts';
import { shortCommit, span } from '../format/time.ts';
import { inline, type Sentences, type SentencesOf } from './explanation.ts';

type WorkerFailure = Extract<
  AttemptFailure,
  {
    kind:
      | 'worker-gone'
      | 'work-missing'
      | 'worker-unfit'
      | 'workers-failed'
      | 'share-failed'
      | 'share-slow';
  }
>;

/** The line of an output of git that says what is wrong. */
function firstError(output: string): string {
  const lines = output.split('\n').filter(Boolean);
  return (
    lines.find((line) => /^(?:fatal|error|remote|ssh): /.test(line)) ?? lines[0] ?? 'git failed'
  );
}

const landsLater =
  'Check `workers.remote` and that repository. A run under way tries again by itself; after its end, `ym resume` lands the work.';

export const workerSentences: SentencesOf<WorkerFailure> = {
  'worker-gone': explainWorker,
  'work-missing': ({ branch, commit }) => ({
    what:
      commit === undefined
        ? 'The worktree of the task is not on this machine.'
        : `This repository lacks commit ${shortCommit(commit)}, the work on the task.`,
    why: 'The machine that drove the run before has it, and has not pushed it to a repository that this machine reaches.',
    do: `No action needed: the task starts again, and this does not count as a failure. The old work stays on that machine, on branch \`${branch}\` or in its worktree.`,
  }),
  'share-failed': ({ detail }) => ({
    what: `The shared repository does not take work that is about to land: ${inline(firstError(detail))}.`,
    why: inline(detail) === '' ? 'Git printed nothing.' : `Git printed: ${inline(detail)}.`,
    do: landsLater,
    exit: 3,
  }),
  'share-slow': ({ ms }) => ({
    what: `The shared repository has not taken work that is about to land for more than ${span(ms)}.`,
    why: 'It does not answer, or the link to it is slow.',
    do: landsLater,
    exit: 3,
  }),
  'worker-unfit': (failure) => ({ ...explainUnfit(failure), exit: 3 }),
  'workers-failed': ({ workers, detail }) => ({
    what: `The workers ${workers.join(' and ')} each had an internal error with this task. The last one: ${inline(detail.split('\n', 1)[0] ?? '')}.`,
    why: 'This is a bug in Yardmaster that the task triggers. It counts as a failure of the task, so the run does not lose one worker after the other.',
    do: 'Please report it with the output of `ym events --json`, which has the whole error.',
  }),
};

function explainUnfit({
  worker,
  problem,
  detail,
}: Extract<WorkerFailure, { kind: 'worker-unfit' }>): Sentences {
  const why = 'Nothing of that answer was stored, and the run gives this worker nothing more.';
  switch (problem) {
    case 'gate':
      return {
        what: `The worker ${worker} judges by another gate than the run: ${inline(detail)}.`,
        why: 'Its verdicts would not count here, so the run gives this worker nothing more.',
        do: 'Compare the gate in the config of both machines. If the target has another gate by now, end the run with `ym stop` and type `ym resume`.',
      };
    case 'answer':
      return {
        what: `The worker ${worker} answered with ${inline(detail)}.`,
        why,
        do: 'End that worker, and start one with another `--name` and `--dir`.',
      };
    case 'set-up':
      return {
        what: `The worker ${worker} cannot work for this run: ${inline(detail)}.`,
        why: 'Something is missing on its machine, or differs there. The run gives this worker nothing more.',
        do: 'Fix it on that machine, and start a worker there with another `--name`. To use the same one, end the run with `ym stop` and type `ym resume`.',
      };
    case 'error':
      return {
        what: `The worker ${worker} failed with an internal error: ${inline(detail.split('\n', 1)[0] ?? '')}.`,
        why: 'This is a bug in Yardmaster, or something on that machine that it does not expect. The run gives this worker nothing more.',
        do: 'Please report it with the output of `ym events --json`, which has the whole error. To use the worker again, end the run with `ym stop` and type `ym resume`.',
      };
    case 'gate-error':
      return {
        what: `The worker ${worker} failed with an internal error in the gate of a candidate: ${inline(detail.split('\n', 1)[0] ?? '')}.`,
        why: 'This is a bug in Yardmaster, or something on that machine that it does not expect. Another machine judges the candidate. If it can, the run gives this worker nothing more.',
        do: 'Please report it with the output of `ym events --json`, which has the whole error.',
      };
    default:
      unreachable(problem);
  }
}

function explainWorker({
  worker,
  host,
  how,
}: Extract<WorkerFailure, { kind: 'worker-gone' }>): Sentences {
  const name = host === '' ? worker : `${worker} on ${host}`;
  const again =
    'No action needed: the task starts again elsewhere, and this does not count as a failure.';
  switch (how) {
    case 'draining':
      return {
        what: `The worker ${name} takes no further turns.`,
        why: 'It is about to end.',
        do: again,
      };
    case 'ended':
      return {
        what: `The worker ${name} has ended.`,
        why: 'The worktree of the task is on its machine.',
        do: again,
      };
    case 'refused':
      return {
        what: `The run gives the worker ${name} nothing more.`,
        why: 'It cannot work for this run, or answered something that the run did not ask for; `ym events` shows why.',
        do: again,
      };
    case 'lost': {
      const why =
        'Its machine, its process or the network is down. What it does from now on is ignored.';
      return { what: `The worker ${name} was not heard of for too long.`, why, do: again };
    }
    default:
      unreachable(how);
  }
}
