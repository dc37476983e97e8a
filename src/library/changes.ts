import { chooseVariant } from '../app/choose.ts';
import { decideTasks, type PersonDecision, tellAgent } from '../app/decide.ts';
import type { Failures, Opened } from '../app/ports.ts';
import { stopRuns } from '../app/runs.ts';
import {
  addTask,
  changedTask,
  checkWarnings,
  type ImportOptions,
  importTasks,
  replaceTask,
  taskToEdit,
  unknownAgents,
} from '../app/tasks.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import type { Access } from './access.ts';
import type * as api from './yard.ts';

type Changes = Pick<
  api.Yard,
  | 'add'
  | 'edit'
  | 'import'
  | 'stop'
  | 'approve'
  | 'reject'
  | 'answer'
  | 'retry'
  | 'cancel'
  | 'skip'
  | 'block'
  | 'unblock'
  | 'choose'
  | 'tell'
>;

/** Methods that store something. Those that decide for the user are refused to agents. */
export function changesOf(access: Access): Changes {
  const decide = (ids: string | readonly string[], decision: PersonDecision) =>
    access.deciding(decision.kind, (opened) =>
      decideTasks(opened, typeof ids === 'string' ? [ids] : ids, decision),
    );
  return {
    add: (task) =>
      access.writing(async (opened) => {
        const added = await addTask(opened, task);
        if (!added.ok) return added;
        return ok({ ...added.value, warnings: unknownAgents(opened, [added.value]) });
      }),
    edit: (id, changes) => access.deciding('edit', (opened) => edited(opened, id, changes)),
    import: (sources, options = {}) => {
      const work = (opened: Opened): Promise<Result<api.Imported, Failures>> =>
        imported(access, opened, sources, options);
      return options.pruneRemoved === true
        ? access.deciding('import --prune-removed', work)
        : access.writing(work);
    },
    stop: (how) =>
      access.deciding('stop', async (opened) => {
        const asked = await stopRuns(opened, how, '`stop` of the library');
        return asked.ok ? ok(asked.value.map(({ id }) => id)) : asked;
      }),
    approve: (ids, reason) => decide(ids, { kind: 'approve', reason }),
    reject: (id, reason) => decide(id, { kind: 'reject', reason }),
    answer: (id, text) => decide(id, { kind: 'answer', text }),
    retry: (ids, reason) => decide(ids, { kind: 'retry', reason }),
    cancel: (ids, reason = noReason) => decide(ids, { kind: 'cancel', reason }),
    skip: (ids, reason = noReason) => decide(ids, { kind: 'skip', reason }),
    block: (ids, reason = noReason) => decide(ids, { kind: 'block', reason }),
    unblock: (ids, reason) => decide(ids, { kind: 'unblock', reason }),
    choose: (id, variant, reason) =>
      access.deciding('choose', (opened) => chooseVariant(opened, id, variant, reason)),
    tell: (id, text) => access.deciding('tell', (opened) => tellAgent(opened, id, text)),
  };
}

const noReason = 'no reason was given';

async function edited(
  opened: Opened,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<Result<Task, Failure | Failures>> {
  const before = await taskToEdit(opened, id);
  if (!before.ok) return before;
  const task = changedTask(before.value, changes);
  if (!task.ok) return task;
  const replaced = await replaceTask(opened, before.value, task.value);
  return replaced.ok ? task : replaced;
}

async function imported(
  access: Access,
  opened: Opened,
  sources: readonly string[],
  options: ImportOptions,
): Promise<Result<api.Imported, Failures>> {
  const incoming = await access.readSources(sources);
  if (!incoming.ok) return incoming;
  const stored = await importTasks(opened, incoming.value, options);
  if (!stored.ok) return stored;
  const { added, changed, removed } = stored.value;
  const news = [...added, ...changed];
  const idsOf = (tasks: readonly { readonly id: string }[]) => tasks.map(({ id }) => id);
  return ok({
    added: idsOf(added),
    changed: idsOf(changed),
    removed: idsOf(removed),
    warnings: [...incoming.value.notes, ...unknownAgents(opened, news), ...checkWarnings(news)],
  });
}
