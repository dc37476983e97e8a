import type { Task, TaskId } from '../model/task.ts';
import type { Graph } from './graph.ts';
import { type Mentions, mentionedFiles, mentionedSymbols, type TaskPart } from './mentions.ts';
import { foldersAbove } from './places.ts';

/** A dependency that no task declares: both tasks name the same things, and `before` comes first in the order. */
export interface FoundEdge {
  readonly before: TaskId;
  readonly after: TaskId;
  /** `symbol`: they share only names in backticks, so they may well have nothing to do with each other. */
  readonly strength: 'file' | 'symbol';
  /** Files and folders that both name, or symbols. */
  readonly shared: readonly SharedName[];
}

/** A name that two tasks have in common, with the parts of each that contain it. */
export interface SharedName {
  readonly name: string;
  readonly before: readonly TaskPart[];
  readonly after: readonly TaskPart[];
}

/**
 * Finds tasks that name the same files or symbols although neither waits for the other, files first. All edges go
 * forward in the order of the graph, so they close no cycle. Of several tasks that name a file, each waits for the one
 * before it. Pairs that a person rejected are left out.
 */
export function foundEdges(
  graph: Graph,
  isOpen: (id: TaskId) => boolean = () => true,
): readonly FoundEdge[] {
  const tasks = graph.order.flatMap((id) => (isOpen(id) ? (graph.tasks.get(id) ?? []) : []));
  const isFree = (edge: Edge): boolean => !isOrdered(graph, edge);
  const files = filePairs(graph, tasks).found('file', isFree);
  const known = new Set(files.map(keyOf));
  const symbols = symbolPairs(graph, tasks).found(
    'symbol',
    (edge) => !known.has(keyOf(edge)) && isFree(edge),
  );
  return [...files, ...symbols];
}

/** Tasks among `others` that name the same files as a new task. */
export function overlapsWith(task: Task, others: readonly Task[]): readonly FoundEdge[] {
  const own = mentionedFiles(task);
  return others.flatMap((other) => {
    const theirs = mentionedFiles(other);
    const names = [...own.keys()].filter((name) => partsAt(theirs, name).length > 0);
    if (names.length === 0 || task.after.includes(other.id)) return [];
    const shared = names.map((name) => {
      return { name, before: partsAt(theirs, name), after: partsAt(own, name) };
    });
    return [{ before: other.id, after: task.id, strength: 'file', shared }];
  });
}

interface Edge {
  readonly before: TaskId;
  readonly after: TaskId;
}

const keyOf = ({ before, after }: Edge): string => `${before} ${after}`;

/** Pairs of tasks with the names that they share, in the order of the later task. */
class Pairs {
  readonly #mentions: ReadonlyMap<TaskId, Mentions>;
  readonly #pairs = new Map<string, { readonly edge: Edge; readonly names: string[] }>();

  constructor(mentions: ReadonlyMap<TaskId, Mentions>) {
    this.#mentions = mentions;
  }

  add(edge: Edge, name: string): void {
    const known = this.#pairs.get(keyOf(edge));
    if (known === undefined) this.#pairs.set(keyOf(edge), { edge, names: [name] });
    else known.names.push(name);
  }

  found(strength: FoundEdge['strength'], isWanted: (edge: Edge) => boolean): FoundEdge[] {
    const parts = (id: TaskId, name: string): readonly TaskPart[] =>
      partsAt(this.#mentions.get(id) ?? new Map(), name);
    return [...this.#pairs.values()]
      .filter(({ edge }) => isWanted(edge))
      .map(({ edge, names }) => {
        const { before, after } = edge;
        const shared = names.map((name) => {
          return { name, before: parts(before, name), after: parts(after, name) };
        });
        return { before, after, strength, shared };
      });
  }
}

function filePairs(graph: Graph, tasks: readonly Task[]): Pairs {
  const mentions = new Map(tasks.map((task) => [task.id, mentionedFiles(task)]));
  const folders = new Set<string>();
  for (const own of mentions.values()) {
    for (const name of own.keys()) if (name.endsWith('/')) folders.add(name);
  }
  const pairs = new Pairs(mentions);
  const line = new Line(graph);
  for (const [id, own] of mentions) {
    for (const name of new Set(
      [...own.keys()].flatMap((one) => [one, ...foldersAbove(one).filter((at) => folders.has(at))]),
    )) {
      for (const before of line.join(name, id)) {
        // Two files of one folder do not overlap; the folder itself must be named by one of them.
        const isNamed = own.has(name) || mentions.get(before)?.has(name) === true;
        if (isNamed) pairs.add({ before, after: id }, name);
      }
    }
  }
  return pairs;
}

/** A symbol that more tasks name is a common word of the project. */
const symbolTasksMax = 5;

function symbolPairs(graph: Graph, tasks: readonly Task[]): Pairs {
  const mentions = new Map<TaskId, Mentions>();
  const times = new Map<string, number>();
  for (const task of tasks) {
    const own = mentionedSymbols(task);
    if (own.size === 0) continue;
    mentions.set(task.id, own);
    for (const name of own.keys()) times.set(name, (times.get(name) ?? 0) + 1);
  }
  const pairs = new Pairs(mentions);
  const line = new Line(graph);
  for (const [id, own] of mentions) {
    for (const name of own.keys()) {
      if ((times.get(name) ?? 0) > symbolTasksMax) continue;
      for (const before of line.join(name, id)) pairs.add({ before, after: id }, name);
    }
  }
  return pairs;
}

/** Tasks that name the same thing stand in line for it. */
class Line {
  readonly #graph: Graph;
  readonly #last = new Map<string, readonly TaskId[]>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** The tasks that the next one follows. One that it need not wait for still matters to those that come later. */
  join(name: string, id: TaskId): readonly TaskId[] {
    const earlier = this.#last.get(name) ?? [];
    const apart = earlier.filter((before) => isRejected(this.#graph, before, id));
    this.#last.set(name, [...apart, id]);
    return apart.length === 0 ? earlier : earlier.filter((before) => !apart.includes(before));
  }
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

/** The parts that contain a name, or a file in that folder, or a folder around it. */
function partsAt(mentions: Mentions, name: string): readonly TaskPart[] {
  const exact = mentions.get(name);
  if (exact !== undefined) return exact;
  return [...new Set([...mentions].flatMap(([at, parts]) => (isSamePlace(at, name) ? parts : [])))];
}

function isSamePlace(a: string, b: string): boolean {
  return a === b || (a.endsWith('/') && b.startsWith(a)) || (b.endsWith('/') && a.startsWith(b));
}
