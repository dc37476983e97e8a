import type { Work } from '../model/command.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { planType } from '../plan/agent-pool.ts';
import { failed, of } from './attempt.ts';
import { attemptDir, type Events, type Ports, type RunContext } from './context.ts';
import { filedBy } from './turn.ts';

/**
 * Without changes the attempt fails, except for a `plan` task that filed tasks. An agent that left its work in ignored
 * files, in its stash or on another branch is told once. After that ignored files are kept in an archive; commits get
 * refs when the attempt ends.
 */
export async function withoutChanges(
  ports: Ports,
  context: RunContext,
  work: Work,
  dir: string,
): Promise<Result<Events>> {
  const { task, attempt } = work;
  if (attempt.state.id !== 'capturing') return ok([]);
  const all = task.type === planType ? await ports.store.tasks() : ok([]);
  if (!all.ok) return failed(context, work, all.failure);
  const filed = filedBy(task, all.value);
  if (filed.length > 0) {
    return ok([{ type: 'work-planned', ...of(context, work), filed: filed.map(({ id }) => id) }]);
  }
  const found = await outcomeOf(ports.git.leftOut(dir, attempt.worktree?.readyAt ?? 0));
  const strays = await outcomeOf(ports.git.strays(dir));
  const elsewhere = strays.ok ? strays.value.map((commit) => `commit ${commit.slice(0, 7)}`) : [];
  const files = [...elsewhere, ...(found.ok ? found.value : [])].slice(0, limits.changesKept);
  if (files.length > 0 && attempt.conversation.leftOutTold !== true) {
    return ok([{ type: 'work-left-out', ...of(context, work), files }]);
  }
  const { tail, failed: calls } = attempt.state;
  const failure: Failure = { kind: 'no-changes', tail, failed: calls };
  if (!found.ok || files.length === 0) return failed(context, work, failure);
  const archive = `${attemptDir(context, task.id, attempt)}/left-out.tar.gz`;
  const left = found.value.length > 0 ? await ports.archive(dir, found.value, archive) : ok([]);
  if (!left.ok) return left;
  const kept = {
    ...(left.value.length < found.value.length ? { archive } : {}),
    ...(left.value.length > 0 ? { notKept: left.value.slice(0, limits.changesKept) } : {}),
  };
  return failed(context, work, { ...failure, leftOut: files, ...kept });
}

/**
 * Time since which ignored files count as made by the agent. The gate runs in the worktree after a capture, so later
 * turns count from their start.
 */
export async function ignoredSince(
  { store }: Ports,
  { task, attempt }: Work,
): Promise<number | undefined> {
  const at = attempt.worktree?.readyAt;
  if (attempt.captured === undefined) return at;
  const found = await store.attempts({ task: task.id });
  const record = found.ok ? found.value.find(({ number }) => number === attempt.number) : undefined;
  const last = record?.captures.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  return record?.turns.find(({ startedAt }) => startedAt >= last)?.startedAt;
}

export function namedIgnored(
  paths: readonly string[],
): { names: readonly string[]; count: number } | undefined {
  if (paths.length === 0) return undefined;
  return { names: paths.slice(0, limits.namesShown), count: paths.length };
}
