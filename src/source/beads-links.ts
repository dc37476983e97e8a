import { epicType, type TaskId } from '../model/task.ts';

/** An open issue of Beads and what it is linked to, under the ids of tasks. */
interface LinkedIssue {
  readonly id: TaskId;
  readonly parent: TaskId | undefined;
  /** Issues that must be closed before it may start. */
  readonly blockers: readonly TaskId[];
  /** True if it is no work at present, for example because it is deferred. */
  readonly held: boolean;
}

/** An issue that becomes a task. */
interface Link {
  readonly parent: TaskId | undefined;
  readonly after: readonly TaskId[];
}

export interface Links {
  readonly tasks: ReadonlyMap<TaskId, Link>;
  /** Issues that are on hold or wait for one that is, in their order. */
  readonly held: readonly TaskId[];
}

/**
 * Applies the rules of Beads about what may start. A child waits for whatever its parent waits for. Links to closed
 * issues (`done`) count no more. Nothing that waits for an issue on hold becomes a task: it would start too early.
 */
export function linkIssues(issues: readonly LinkedIssue[], done: ReadonlySet<TaskId>): Links {
  const byId = new Map(issues.map((issue) => [issue.id, issue]));
  const held = heldIssues(issues, byId);
  const tasks = new Map<TaskId, Link>();
  for (const issue of issues) {
    if (held.has(issue.id)) continue;
    const isGone = issue.parent === undefined || done.has(issue.parent);
    const after = waitsFor(issue, byId).filter((id) => !done.has(id));
    tasks.set(issue.id, { parent: isGone ? undefined : issue.parent, after });
  }
  return { tasks, held: issues.flatMap(({ id }) => (held.has(id) ? [id] : [])) };
}

type ById = ReadonlyMap<TaskId, LinkedIssue>;

/** The issue and its open parents, from the inside out. Parents in a circle end the list. */
function withParents(issue: LinkedIssue, byId: ById): readonly LinkedIssue[] {
  const found = new Set<LinkedIssue>();
  for (let at: LinkedIssue | undefined = issue; at !== undefined && !found.has(at); ) {
    found.add(at);
    at = at.parent === undefined ? undefined : byId.get(at.parent);
  }
  return [...found];
}

/** Blockers of an issue and of its parents, except those that are inside the parent themselves. */
function waitsFor(issue: LinkedIssue, byId: ById): readonly TaskId[] {
  const [, ...parents] = withParents(issue, byId);
  const inherited = parents.flatMap((parent) =>
    parent.blockers.filter((id) => {
      const blocker = byId.get(id);
      return blocker === undefined || !withParents(blocker, byId).includes(parent);
    }),
  );
  return [...new Set([...issue.blockers, ...inherited])];
}

function heldIssues(issues: readonly LinkedIssue[], byId: ById): ReadonlySet<TaskId> {
  const waiting = new Map<TaskId, TaskId[]>();
  const children = new Map<TaskId, TaskId[]>();
  const link = (map: Map<TaskId, TaskId[]>, from: TaskId, to: TaskId): void => {
    const known = map.get(from);
    if (known === undefined) map.set(from, [to]);
    else known.push(to);
  };
  for (const { id, parent, blockers } of issues) {
    for (const blocker of blockers) link(waiting, blocker, id);
    if (parent !== undefined) link(children, parent, id);
  }
  const held = new Set<TaskId>();
  /** Parents of held issues: they are not done before those are, so nothing may start after them. */
  const unfinished = new Set<TaskId>();
  const next = issues.flatMap(({ id, held: isHeld }) => (isHeld ? [id] : []));
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (held.has(id)) continue;
    held.add(id);
    next.push(...(waiting.get(id) ?? []), ...(children.get(id) ?? []));
    const issue = byId.get(id);
    const [, ...parents] = issue === undefined ? [] : withParents(issue, byId);
    for (const parent of parents) {
      if (unfinished.has(parent.id)) continue;
      unfinished.add(parent.id);
      next.push(...(waiting.get(parent.id) ?? []));
    }
  }
  return held;
}

/** Types of Beads that hold other issues together and are no work themselves. */
const containers = new Set(['epic', 'molecule', 'milestone']);
/** Types of Beads that no agent can work on. */
const noWork = new Set(['gate', 'message', 'event']);

export function taskType(type: string | undefined): string | undefined {
  if (type === undefined || type === '') return undefined;
  return containers.has(type) ? epicType : type;
}

export function isWork(type: string | undefined): boolean {
  return type === undefined || !noWork.has(type);
}

/** Labels of an issue. A comment `hew:model=NAME` in its description goes before its labels `model:NAME`. */
export function labelsOf(labels: readonly string[], description: string): readonly string[] {
  const model = /<!--\s*hew:model=([^\n]*?)-->/.exec(description)?.[1]?.trim() ?? '';
  if (model === '') return labels;
  return [`model:${model}`, ...labels.filter((label) => !label.startsWith('model:'))];
}

/** Meaning of a dependency of this type; undefined if it orders nothing. */
export function linkKind(type: string): 'after' | 'parent' | 'held' | undefined {
  if (type === 'blocks' || type === 'waits-for') return 'after';
  if (type === 'parent-child') return 'parent';
  // Runs only if the other issue fails, which no task can express.
  if (type === 'conditional-blocks') return 'held';
  return undefined;
}
