import type { Task, TaskId } from '../model/task.ts';
import type { Graph } from './graph.ts';
import { foldersAbove } from './places.ts';

/** A dependency that no task declares: both tasks name the same files, and `before` comes first in the order. */
export interface FoundEdge {
  readonly before: TaskId;
  readonly after: TaskId;
  /** Files and folders that both name. */
  readonly shared: readonly string[];
}

/**
 * Finds tasks that name the same files although neither waits for the other. All edges go forward in the order of the
 * graph, so they close no cycle. Of several tasks that name a file, each waits for the one before it.
 */
export function foundEdges(
  graph: Graph,
  isOpen: (id: TaskId) => boolean = () => true,
): readonly FoundEdge[] {
  const shared = new Map<string, { readonly edge: Edge; readonly names: Set<string> }>();
  const last = new Map<string, readonly TaskId[]>();
  const artifacts = new Map<TaskId, readonly string[]>();
  const folders = new Set<string>();
  for (const id of graph.order) {
    const task = graph.tasks.get(id);
    if (task === undefined || !isOpen(id)) continue;
    const own = artifactsOf(task);
    artifacts.set(id, own);
    for (const name of own) if (name.endsWith('/')) folders.add(name);
  }
  for (const [id, own] of artifacts) {
    for (const name of new Set(
      own.flatMap((one) => [one, ...foldersAbove(one).filter((folder) => folders.has(folder))]),
    )) {
      const earlier = last.get(name) ?? [];
      // A task that this one need not wait for still matters to those that come later.
      const apart = earlier.filter((before) => isRejected(graph, before, id));
      last.set(name, [...apart, id]);
      for (const before of earlier) {
        // Two files of one folder do not overlap; the folder itself must be named by one of them.
        const isNamed = own.includes(name) || artifacts.get(before)?.includes(name) === true;
        if (!isNamed || apart.includes(before)) continue;
        const known = shared.get(`${before} ${id}`);
        if (known !== undefined) known.names.add(name);
        else shared.set(`${before} ${id}`, { edge: { before, after: id }, names: new Set([name]) });
      }
    }
  }
  return [...shared.values()]
    .filter(({ edge }) => !isOrdered(graph, edge))
    .map(({ edge, names }) => ({ ...edge, shared: [...names] }));
}

/** Tasks among `others` that name the same files as a new task. */
export function overlapsWith(task: Task, others: readonly Task[]): readonly FoundEdge[] {
  const own = artifactsOf(task);
  return others.flatMap((other) => {
    const theirs = artifactsOf(other);
    const shared = own.filter((name) => theirs.some((one) => isSamePlace(one, name)));
    const isKnown = task.after.includes(other.id);
    return shared.length === 0 || isKnown ? [] : [{ before: other.id, after: task.id, shared }];
  });
}

interface Edge {
  readonly before: TaskId;
  readonly after: TaskId;
}

/** True if a person rejected a dependency between the two. The order of a plan can change, so both directions count. */
function isRejected({ tasks }: Graph, a: TaskId, b: TaskId): boolean {
  return (
    tasks.get(a)?.rejected?.includes(b) === true || tasks.get(b)?.rejected?.includes(a) === true
  );
}

/** Ancestors that are looked at before two tasks count as not ordered. */
const ancestorsMax = 1_000;

/** True if `after` waits for `before` already, directly or through others. */
function isOrdered(graph: Graph, { before, after }: Edge): boolean {
  const seen = new Set([after]);
  for (const id of seen) {
    if (id === before) return true;
    if (seen.size > ancestorsMax) return false;
    for (const parent of graph.tasks.get(id)?.after ?? []) seen.add(parent);
  }
  return false;
}

function isSamePlace(a: string, b: string): boolean {
  return a === b || (a.endsWith('/') && b.startsWith(a)) || (b.endsWith('/') && a.startsWith(b));
}

/** Files and folders that a task names: in its paths, and in its text. A folder ends with a slash. */
export function artifactsOf({ title, body, paths, acceptance }: Task): readonly string[] {
  const words = [title, body, ...acceptance].join('\n').split(/[\s`'"()<>[\]{},;|]+/);
  return [
    ...new Set([...paths.flatMap((glob) => fixedPart(glob)), ...words.flatMap((w) => pathIn(w))]),
  ];
}

/** The part of a glob before its first wildcard; nothing if that is the whole repository. */
function fixedPart(glob: string): readonly string[] {
  const wild = glob.search(/[*?[{]/);
  if (wild === -1) return [glob.replace(/^\.\//, '')];
  const folder = glob.slice(0, wild).replace(/[^/]*$/, '');
  return folder === '' ? [] : [folder.replace(/^\.\//, '')];
}

/** Beginnings of words that are paths although they have no extension. */
const roots = /^(?:\.{0,2}\/|~\/|src\/|docs?\/|tests?\/|lib\/|app\/|packages\/)/;

/** A word that is a path inside the repository, without the punctuation around it. */
function pathIn(word: string): readonly string[] {
  const bare = word.replace(/^[^\w.~/]+|[^\w/*]+$/g, '');
  if (bare.length < 3 || !bare.includes('/') || bare.includes('//')) return [];
  if (!roots.test(bare) && !/\/[^/]*\.\w{1,8}$/.test(bare)) return [];
  return fixedPart(bare.replace(/^(?:\.\/)+/, ''));
}
