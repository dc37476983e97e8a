import type { ForeignOutcome, ForeignRun, ForeignTurn } from '../../model/foreign-run.ts';
import { cut, joined } from '../format/layout.ts';
import { clockTime, span } from '../format/time.ts';
import {
  type Drawing,
  type DrawnEdge,
  type DrawnNode,
  distinct,
  edgeKey,
  type NodeStyle,
} from '../graph/drawing.ts';
import { verifyId, verifyNode } from '../graph/run.ts';
import { foreignGlyphs, foreignWords } from './text.ts';

const styles: Readonly<Record<ForeignOutcome, NodeStyle>> = {
  done: 'done',
  continued: 'active',
  'no-result': 'silent',
  rejected: 'returned',
  'rolled-back': 'blocked',
  'not-merged': 'conflict',
  error: 'error',
  hung: 'hung',
  canceled: 'canceled',
  incomplete: 'incomplete',
  unknown: 'unknown',
};

const words: Drawing['words'] = {
  ...Object.fromEntries(
    Object.entries(styles).map(([outcome, style]) => [
      style,
      foreignWords[outcome as ForeignOutcome],
    ]),
  ),
  skipped: 'skipped',
  sequence: 'next of its worker',
  retry: 'another turn for the task',
  rollback: 'rolled back',
  needs: 'depends on it',
};

const noteChars = 72;

interface Placed {
  readonly node: DrawnNode;
  readonly turn: ForeignTurn;
}

/** The turns of a run of another program: a lane for each worker, a node for each turn. */
export function foreignDrawing(run: ForeignRun, offsetMin = 0): Drawing {
  const placed = run.turns.map((turn, at) => ({ turn, node: nodeOf(turn, at, run, offsetMin) }));
  const verified = run.verified === undefined ? [] : [verifyNode(run.verified)];
  const lanes = run.lanes.filter(({ id }) => placed.some(({ turn }) => turn.lane === id));
  const own = lanes.map(({ id }) => placed.filter(({ turn }) => turn.lane === id));
  const inLanes = own.flatMap(laneEdges);
  // Of two edges between the same nodes the first is more specific.
  const edges = [
    ...inLanes.filter(({ kind }) => kind !== 'sequence'),
    ...neededEdges(placed, run),
    ...taskEdges(placed),
    ...inLanes,
    ...own.flatMap(rollbackEdges),
    ...verified.flatMap(() => own.flatMap((turns) => verifyEdge(turns.at(-1)))),
  ];
  return {
    title: `Turns of run ${run.id} of ${run.tool}`,
    empty: 'No turn is recorded',
    lanes: lanes.map(({ id, stop }) => ({ id, label: joined([id, stop], ': ') })),
    nodes: [...placed.map(({ node }) => node), ...verified],
    edges: distinct(edges, edgeKey),
    words,
  };
}

function nodeOf(
  turn: ForeignTurn,
  at: number,
  { endedAt }: Pick<ForeignRun, 'endedAt'>,
  offsetMin: number,
): DrawnNode {
  const { lane, number, task, phase, outcome, word, ms } = turn;
  const canceledAt = turn.endedAt ?? endedAt;
  const when =
    outcome === 'canceled' && canceledAt !== undefined
      ? `canceled at ${clockTime(canceledAt, offsetMin)}`
      : undefined;
  const note = joined([when ?? (outcome === 'done' ? undefined : word), turn.note]);
  return {
    id: String(at),
    lane,
    glyph: foreignGlyphs[outcome],
    name: joined([`${task ?? lane}.${number}`, phase], '/'),
    style: styles[outcome],
    detail: ms === undefined ? undefined : span(ms),
    note: note === '' ? undefined : cut(note, noteChars),
  };
}

const batchKinds = { agent: 'agent', planner: 'planner', skipped: 'fallback' } as const;

function laneEdges(own: readonly Placed[]): DrawnEdge[] {
  return own.slice(1).map(({ node, turn }, at): DrawnEdge => {
    const kind = turn.batch === undefined ? 'sequence' : batchKinds[turn.batch];
    return { from: own[at]?.node.id ?? '', to: node.id, kind };
  });
}

/** From a turn whose work was taken back to the one before it, or to itself. */
function rollbackEdges(own: readonly Placed[]): DrawnEdge[] {
  return own.flatMap((one, at): DrawnEdge[] => {
    const before = own[at - 1] ?? one;
    return one.turn.outcome === 'rolled-back'
      ? [{ from: one.node.id, to: before.node.id, kind: 'rollback' }]
      : [];
  });
}

/** From turn to turn of one task, over all workers. */
function taskEdges(placed: readonly Placed[]): DrawnEdge[] {
  const newest = new Map<string, Placed>();
  return placed.flatMap((one): DrawnEdge[] => {
    const { task } = one.turn;
    if (task === undefined) return [];
    const before = newest.get(task);
    newest.set(task, one);
    return before === undefined ? [] : [{ from: before.node.id, to: one.node.id, kind: 'retry' }];
  });
}

/** From the last turn of a task to the first turn of each task that depends on it. */
function neededEdges(placed: readonly Placed[], { tasks }: Pick<ForeignRun, 'tasks'>): DrawnEdge[] {
  return tasks.flatMap(({ id, after }) => {
    const first = placed.find(({ turn }) => turn.task === id);
    return after.flatMap((needed): DrawnEdge[] => {
      const last = placed.findLast(({ turn }) => turn.task === needed);
      return first === undefined || last === undefined
        ? []
        : [{ from: last.node.id, to: first.node.id, kind: 'needs' }];
    });
  });
}

function verifyEdge(last: Placed | undefined): DrawnEdge[] {
  return last === undefined ? [] : [{ from: last.node.id, to: verifyId, kind: 'sequence' }];
}
