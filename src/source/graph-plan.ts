import { z } from 'zod';
import {
  type Document,
  optional,
  type Path,
  type Problem,
  problemAt,
  quoted,
} from '../document/document.ts';
import { nearest } from '../graph/nearest.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import { heldNote } from './beads.ts';
import { isWork, labelsOf, linkIssues, linkKind, taskType } from './beads-links.ts';
import {
  checkItem,
  checkTask,
  fieldsOf,
  importedId,
  type KeyNames,
  type Place,
  type Reading,
  readingOf,
} from './foreign-task.ts';
import { repeatedIds, type TaskInput, toTask } from './schema.ts';

const text = optional(z.string({ error: quoted }));

const nodeSchema = z.object(
  {
    key: z.string({ error: quoted }).min(1, { error: 'Give each node its own key.' }),
    title: optional(z.unknown()),
    type: text,
    description: text,
    priority: optional(z.unknown()),
    labels: optional(z.array(z.string({ error: quoted }), { error: 'Give a list of texts.' })),
    parent_key: text,
    parent_id: text,
  },
  { error: 'Write a node as a map with "key" and "title".' },
);

const edgeSchema = z.object(
  { from_key: text, from_id: text, to_key: text, to_id: text, type: text },
  { error: 'Write an edge as a map with "from_key" and "to_key".' },
);

const graphSchema = z.object({
  nodes: z
    .array(z.unknown(), { error: 'Give the nodes as a list.' })
    .min(1, { error: 'Give at least one node.' })
    .max(limits.tasksPerImport, {
      error: `Split it: at most ${limits.tasksPerImport} tasks are read at once.`,
    }),
  edges: optional(z.array(z.unknown(), { error: 'Give the edges as a list.' })),
});

/** Keys that nodes of other formats have; here they would be lost without a word. */
const strangeKeys: ReadonlyMap<string, string> = new Map([
  ['parent', 'Name the parent with "parent_key".'],
  ['depends', 'List it under "edges", with "from_key" and "to_key".'],
  ['after', 'List it under "edges", with "from_key" and "to_key".'],
  ['blocks', 'List it under "edges", with "from_key" and "to_key".'],
  ['children', 'Set "parent_key" of each child instead.'],
]);

const keys: KeyNames = { id: 'key', body: 'description' };

interface Node {
  readonly id: TaskId;
  readonly input: TaskInput;
  readonly parent: TaskId | undefined;
  readonly held: boolean;
}

interface Edge {
  readonly from: TaskId;
  readonly to: TaskId;
  readonly kind: ReturnType<typeof linkKind>;
}

/** Tells a graph for `bd create --graph` by its nodes, which no plan file has. */
export function isGraphPlan(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'nodes' in value && !('tasks' in value);
}

/** Reads the nodes of a graph. An edge goes from the node that waits to the one that it waits for. */
export function readGraphPlan(document: Document): Result<Reading, readonly Problem[]> {
  const whole: Place = { name: 'the graph', lineOf: (path) => document.lineOf(path) };
  const checked = checkItem(graphSchema, document.value, whole);
  if (!checked.ok) return checked;
  const { nodes: values, edges: edgeValues = [] } = checked.value;
  const read = values.map((value, at) => readNode(value, at, document));
  const nodes = read.flatMap((node) => (node.ok ? [node.value] : []));
  const problems = read.flatMap((node) => (node.ok ? [] : node.failure));
  const ids = read.map((node) => (node.ok ? node.value.id : undefined));
  problems.push(...repeatedIds(ids, (at) => document.lineOf(['nodes', at, 'key'])));
  const keysKnown = values.map((value) => String(fieldsOf(value).key ?? ''));
  const known = new Set(keysKnown.map(importedId));
  const edges = edgeValues.map((value, at) =>
    readEdge(value, at, document, (key) => unknownKey(key, known, keysKnown)),
  );
  problems.push(...edges.flatMap((edge) => (edge.ok ? [] : edge.failure)));
  problems.push(...lostParents(values, known, keysKnown, document));
  if (problems.length > 0) return fail(problems);
  return ok(
    tasksOf(
      nodes,
      edges.flatMap((edge) => (edge.ok ? [edge.value] : [])),
    ),
  );
}

function placeIn(list: string, at: number, name: string, document: Document): Place {
  return { name, lineOf: (path: Path) => document.lineOf([list, at, ...path]) };
}

function readNode(
  value: unknown,
  at: number,
  document: Document,
): Result<Node, readonly Problem[]> {
  const place = placeIn('nodes', at, `node ${at + 1}`, document);
  const strange = Object.keys(fieldsOf(value)).flatMap((key) => {
    const remedy = strangeKeys.get(key);
    if (remedy === undefined) return [];
    return [problemAt(place.lineOf([key]), `"${key}" of ${place.name} is not a known key`, remedy)];
  });
  const checked = checkItem(nodeSchema, value, place);
  if (!checked.ok) return fail([...strange, ...checked.failure]);
  const node = checked.value;
  const id = importedId(node.key);
  const description = node.description ?? '';
  const input = checkTask(
    {
      id,
      title: node.title,
      body: description,
      priority: node.priority,
      type: taskType(node.type),
      labels: labelsOf(node.labels ?? [], description),
    },
    place,
    keys,
  );
  if (!input.ok || strange.length > 0)
    return fail([...strange, ...(input.ok ? [] : input.failure)]);
  const parent = node.parent_key || node.parent_id || undefined;
  return ok({
    id,
    input: input.value,
    parent: parent === undefined ? undefined : importedId(parent),
    held: !isWork(node.type),
  });
}

/** Explains a key that no node has; undefined if one has it. */
type UnknownKey = (key: string) => string | undefined;

function unknownKey(
  key: string,
  known: ReadonlySet<TaskId>,
  keysKnown: readonly string[],
): string | undefined {
  if (known.has(importedId(key))) return undefined;
  const near = nearest(key, keysKnown);
  return near === undefined ? 'Name the key of a node.' : `Did you mean "${near}"?`;
}

function readEdge(
  value: unknown,
  at: number,
  document: Document,
  unknown: UnknownKey,
): Result<Edge, readonly Problem[]> {
  const place = placeIn('edges', at, `edge ${at + 1}`, document);
  const checked = checkItem(edgeSchema, value, place);
  if (!checked.ok) return checked;
  const { from_key, from_id, to_key, to_id, type } = checked.value;
  const line = place.lineOf([]);
  const problems: Problem[] = [];
  if (!from_key && from_id) {
    const problem = `edge ${at + 1} changes the issue "${from_id}", which is not in the graph`;
    problems.push(problemAt(line, problem, `Run \`ym edit ${importedId(from_id)}\` instead.`));
  } else if (!from_key) {
    problems.push(problemAt(line, `"from_key" of edge ${at + 1} is missing`, 'Name a node.'));
  }
  const to = to_key || to_id;
  if (!to) problems.push(problemAt(line, `"to_key" of edge ${at + 1} is missing`, 'Name a node.'));
  for (const [name, key] of [
    ['from_key', from_key],
    ['to_key', to_key],
  ] as const) {
    const remedy = key ? unknown(key) : undefined;
    if (remedy === undefined) continue;
    const problem = `"${name}" of edge ${at + 1} is "${key}", which no node has as its key`;
    problems.push(problemAt(place.lineOf([name]), problem, remedy));
  }
  if (problems.length > 0) return fail(problems);
  return ok({
    from: importedId(from_key ?? ''),
    to: importedId(to ?? ''),
    kind: linkKind(type || 'blocks'),
  });
}

function lostParents(
  values: readonly unknown[],
  known: ReadonlySet<TaskId>,
  keysKnown: readonly string[],
  document: Document,
): readonly Problem[] {
  return values.flatMap((value, at) => {
    const parent = fieldsOf(value).parent_key;
    const key = typeof parent === 'string' ? parent : '';
    const remedy = key === '' ? undefined : unknownKey(key, known, keysKnown);
    if (remedy === undefined) return [];
    const problem = `"parent_key" of node ${at + 1} is "${key}", which no node has as its key`;
    return [problemAt(document.lineOf(['nodes', at, 'parent_key']), problem, remedy)];
  });
}

function tasksOf(nodes: readonly Node[], edges: readonly Edge[]): Reading {
  const blockers = new Map<TaskId, TaskId[]>();
  const parents = new Map<TaskId, TaskId>();
  const held = new Set<TaskId>();
  for (const { from, to, kind } of edges) {
    if (kind === 'after') blockers.set(from, [...(blockers.get(from) ?? []), to]);
    if (kind === 'parent') parents.set(from, to);
    if (kind === 'held') held.add(from);
  }
  const links = linkIssues(
    nodes.map((node) => ({
      id: node.id,
      parent: node.parent ?? parents.get(node.id),
      blockers: blockers.get(node.id) ?? [],
      held: node.held || held.has(node.id),
    })),
    new Set(),
  );
  const tasks = nodes.flatMap(({ id, input }) => {
    const link = links.tasks.get(id);
    if (link === undefined) return [];
    return [toTask(id, { ...input, after: [...link.after], parent: link.parent })];
  });
  return readingOf(tasks, [heldNote(links.held)]);
}
