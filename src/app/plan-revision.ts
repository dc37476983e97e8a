import type { Config } from '../config/config.ts';
import { eventsFor } from '../engine/revision.ts';
import type { Event, EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { PlanChanges } from '../model/revision.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { proposalOf } from '../plan/fold-revision.ts';
import type { PlanReviser } from '../port/plan-reviser.ts';
import type { Store } from '../port/store.ts';
import { followUpLabel } from '../protocol/follow-up.ts';
import { proposalPrompt } from '../review/plan-proposal.ts';
import { checkedChanges, checkedProposal, unfit } from './checked-proposal.ts';
import { modelsIn, problemText, shownTask } from './plan-proposal.ts';

/** Writes and reads revisions in the form of `ym plan --revise`. */
export function planReviser(config: Pick<Config, 'models' | 'agents'>): PlanReviser {
  return {
    question: (known, blocked, hasRepository) =>
      proposalPrompt({
        blocked,
        revise: true,
        tasks: known.flatMap(shownTask),
        models: modelsIn(config),
        hasRepository,
      }),
    changes: (answer, known, { agent, task }) => {
      const proposal = checkedProposal(answer, { agent, known, revise: true });
      if (!proposal.ok) return fail(asOne(proposal.failure, agent));
      const { effect, canceled } = proposal.value;
      const origin = known.find((record) => record.task.id === task)?.task;
      // New tasks count as found by the agent that gave up, so that its run works on them.
      const label = origin === undefined ? [] : [followUpLabel(origin)];
      const added = effect.added.map((one) => ({ ...one, labels: [...one.labels, ...label] }));
      return ok({ added, changed: effect.changed, canceled });
    },
  };
}

function asOne(failures: readonly Failure[], agent: string): Failure {
  const problem = `${agent} proposed no valid revision of the plan: ${failures.map(problemText).join(' ')}`;
  return { kind: 'usage', problem, remedy: 'Revise the plan yourself with `ym plan --revise`.' };
}

/**
 * Events that store the changes which a task waits for. They are checked again: since they were proposed, an agent may
 * have started on one of the tasks, or a person may have changed it.
 */
export async function acceptedChanges(
  store: Pick<Store, 'events' | 'tasks'>,
  record: TaskRecord,
): Promise<Result<readonly EventBody[]>> {
  const changes = await proposedFor(store, record);
  if (!changes.ok) return changes;
  const known = await store.tasks();
  if (!known.ok) return known;
  const [problem] = problemsOf(changes.value, known.value);
  if (problem !== undefined) return stale(record.task.id, problemText(problem));
  return ok(eventsFor(changes.value));
}

function problemsOf(
  { added, changed, canceled }: PlanChanges,
  known: readonly TaskRecord[],
): readonly Failure[] {
  const byId = new Map(known.map((record) => [record.task.id, record]));
  const checked = checkedChanges(known, { tasks: [...added, ...changed], canceled });
  return [
    ...added.flatMap(({ id }): Failure[] =>
      byId.has(id) ? [{ kind: 'duplicate-task', task: id, times: 2 }] : [],
    ),
    ...changed.flatMap(({ id }) => unfit(id, 'task', byId.get(id)) ?? []),
    ...canceled.flatMap(({ id }) => unfit(id, 'cancel', byId.get(id)) ?? []),
    ...(checked.ok ? [] : checked.failure),
  ];
}

/** The changes that a task waits for, if none of their tasks was changed since. */
async function proposedFor(
  store: Pick<Store, 'events'>,
  record: TaskRecord,
): Promise<Result<PlanChanges>> {
  const { id } = record.task;
  let after = (proposalOf(record)?.event ?? 1) - 1;
  let found: PlanChanges | undefined;
  for (;;) {
    const page = await store.events({ after, limit: limits.eventPage });
    if (!page.ok) return page;
    for (const event of page.value) {
      if (found === undefined) found = changesIn(event);
      const other = found === undefined ? undefined : changedSince(event, found);
      if (other !== undefined) return stale(id, `task ${other} was changed since.`);
    }
    if (page.value.length < limits.eventPage) break;
    after = page.value.at(-1)?.seq ?? after;
  }
  return found === undefined ? stale(id, 'its proposal is gone.') : ok(found);
}

function changesIn(event: Event): PlanChanges | undefined {
  return event.type === 'plan-proposed' && event.outcome.id === 'proposed'
    ? event.outcome
    : undefined;
}

/** The task of the proposal that this event gives another text. */
function changedSince(event: Event, { changed }: PlanChanges): TaskId | undefined {
  if (event.type !== 'task-changed') return undefined;
  return changed.find(({ id }) => id === event.task.id)?.id;
}

function stale(id: TaskId, why: string): Result<never> {
  return usage(
    `the revision of the plan for ${id} can no longer be stored: ${why}`,
    `Type \`ym retry ${id}\` to try the task as it is, or \`ym plan --revise\` for another proposal.`,
  );
}
