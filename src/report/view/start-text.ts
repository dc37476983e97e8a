import type { StopReason } from '../../model/run.ts';
import { span } from '../format/time.ts';
import type { ReadyReason } from './start.ts';

type AsJson<Reason> = Reason extends { readonly until?: number }
  ? Omit<Reason, 'until'> & { readonly until?: string }
  : Reason;

/** `waits for a free slot`, `the account claude is paused for another 5 min`; the time only with `now`. */
export function readyText(reason: ReadyReason | AsJson<ReadyReason>, now?: number): string {
  switch (reason.id) {
    case 'no-run':
      return reason.labels === undefined
        ? 'no run is under way'
        : `starts only on a worker with ${labelsText(reason.labels)}`;
    case 'not-in-run':
      return 'not in the scope of this run';
    case 'over-limit':
      return 'the limit of new tasks of this run (`--max-new-tasks`) is reached';
    case 'stopping':
      return 'the run is ending and starts nothing new';
    case 'machine':
      return 'trouble with the machine: nothing new starts';
    case 'slots-paused':
      return 'every slot that may take it is paused or closed';
    case 'slots-failed':
      return 'every slot that may take it was closed after too many errors';
    case 'no-worker':
      return `no worker has ${labelsText(reason.labels)}`;
    case 'workers-away': {
      const away = Object.entries(reason.workers).map(([id, state]) => `${id} (${state})`);
      return `none of its workers takes new tasks: ${away.join(', ')}`;
    }
    case 'budget':
      return budgetText(reason.budget);
    case 'conflict':
      return 'it would conflict again with work in flight';
    case 'batch':
      return `waits for the tasks of the batch${left(', for at most', reason.until, now)}`;
    case 'account-paused':
      return reason.until === undefined
        ? `the account ${reason.account} is paused until you act`
        : `the account ${reason.account} is paused${left(' for another', reason.until, now)}`;
    case 'agent-busy':
      return reason.agents.length === 0
        ? 'no agent of this run takes it'
        : `waits for a free agent: ${reason.agents.join(', ')}`;
    case 'pace':
      return `its agent pauses between two tasks${left(', for another', reason.until, now)}`;
    case 'worktree':
      return 'waits for a free worktree';
    case 'overlap':
      return `waits for a free slot; its files overlap with those of ${reason.task}`;
    case 'slot':
      return 'waits for a free slot';
    case 'next':
      return 'starts next';
  }
}

/** `the label gpu`, with the command that starts such a worker. */
function labelsText(labels: readonly string[]): string {
  const options = labels.map((label) => ` --label ${label}`).join('');
  const noun = labels.length === 1 ? 'label' : 'labels';
  return `the ${noun} ${labels.join(' and ')} (\`ym worker${options}\`)`;
}

function left(text: string, until: number | string | undefined, now?: number): string {
  if (now === undefined || typeof until !== 'number') return '';
  return `${text} ${span(Math.max(0, until - now))}`;
}

function budgetText(budget: StopReason): string {
  switch (budget) {
    case 'budget-tokens':
      return 'the token budget of the run covers no further start';
    case 'budget-cost':
      return 'the cost budget of the run covers no further start';
    case 'budget-wall':
      return 'the time budget of the run is used up';
    default:
      return 'the agent starts of the run (`--max-attempts`) are used up';
  }
}

/** True if the reason says more about a ready task than the failure of its last attempt: a run is under way. */
export function outranksFailure(reason: { readonly id: string } | undefined): boolean {
  return reason !== undefined && reason.id !== 'no-run';
}

/** True for a reason of the task itself, which a list shows for each. The others hold for all tasks of a run. */
export function isOwnReason(reason: ReadyReason): boolean {
  switch (reason.id) {
    case 'no-run':
      return reason.labels !== undefined;
    case 'conflict':
    case 'overlap':
    case 'no-worker':
    case 'workers-away':
    case 'agent-busy':
      return true;
    default:
      return false;
  }
}
