import type { Command, Work } from '../model/command.ts';
import { unreachable } from '../model/failure.ts';
import type { Stop } from '../model/run.ts';
import type { TaskRecord } from '../model/task-record.ts';

/**
 * Frees the slots of a run that is about to end. Finished work goes to the merge queue; an attempt whose agent never
 * started is given up without counting against its task.
 */
export function windDown(live: readonly TaskRecord[], stop: Stop): readonly Command[] {
  return live.flatMap(({ task, attempt }) =>
    attempt === undefined ? [] : leave({ task, attempt }, stop),
  );
}

function leave(work: Work, stop: Stop): readonly Command[] {
  const { attempt } = work;
  const of = { id: work.task.id, attempt: attempt.number };
  switch (attempt.state.id) {
    case 'preparing':
    case 'prepared': {
      const last = stop.failure === undefined ? {} : { last: stop.failure };
      return [{ type: 'give-up', ...of, failure: { kind: 'run-stopped', ...last } }];
    }
    case 'capturing':
      return [{ type: 'capture', work }];
    case 'gating': {
      const { tree } = attempt.state;
      const reason = 'the run ends before its branch was judged; the merge queue judges it';
      return [{ type: 'skip-gate', ...of, tree, reason }];
    }
    case 'calling':
    case 'working':
    case 'unreviewed':
    case 'awaiting':
    case 'queued':
    case 'landing':
    case 'returned':
    case 'between-turns':
    case 'asking':
    case 'held':
    case 'giving-up':
    case 'landed':
    case 'planned':
    case 'failed':
      return [];
    default:
      unreachable(attempt.state);
  }
}
