import { type AttemptFailure, unreachable } from '../../model/failure.ts';
import { inline, type Sentences, type SentencesOf } from './explanation.ts';

type WorkerFailure = Extract<AttemptFailure, { kind: 'worker-gone' | 'worker-unfit' }>;

/** Failures of workers on other machines. */
export const workerSentences: SentencesOf<WorkerFailure> = {
  'worker-gone': explainWorker,
  'worker-unfit': ({ worker, problem, detail }) => ({
    what:
      problem === 'gate'
        ? `The worker ${worker} judges by another gate than the run: ${inline(detail)}.`
        : `The worker ${worker} answered with ${inline(detail)}.`,
    why: 'Nothing of it was stored, and the run gives this worker nothing more.',
    do:
      problem === 'gate'
        ? 'Compare the gate in the config of both machines. If the target has another gate by now, end the run with `ym stop` and type `ym resume`.'
        : 'End that worker, and start another one with `--name` and `--dir`.',
    exit: 3,
  }),
};

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
        why: 'It has another gate, or answered something that the run did not ask for; `ym events` shows what.',
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
