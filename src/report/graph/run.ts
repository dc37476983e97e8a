import { outcomeOfEnd, partIn } from '../../history/attempt-history.ts';
import type { Failure } from '../../model/failure.ts';
import { troubleOf } from '../../model/fault.ts';
import { type AttemptRecord, endedAt, type Outcome, type TurnRecord } from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { EndSignal } from '../../model/turn.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import { verifyLines, verifyText } from '../event/verify.ts';
import { oneLine } from '../explain/explain.ts';
import { outcomeGlyphs } from '../format/glyph.ts';
import { cut } from '../format/layout.ts';
import { clockTime, shortCommit, span } from '../format/time.ts';
import {
  type Drawing,
  type DrawnEdge,
  type DrawnNode,
  distinct,
  edgeKey,
  type NodeStyle,
} from './drawing.ts';

export const outcomeStyles: Readonly<Record<Outcome, NodeStyle>> = {
  landed: 'done',
  delivered: 'moving',
  planned: 'skipped',
  tested: 'tested',
  'no-changes': 'silent',
  error: 'error',
  returned: 'returned',
  superseded: 'superseded',
  interrupted: 'canceled',
  incomplete: 'incomplete',
};

const whyChars = 72;
const targetId = 'target';
const verifyId = 'verify';

interface Placed {
  readonly node: DrawnNode & { readonly lane: string };
  readonly attempt: AttemptRecord;
  /** Number of the turn; absent for an attempt without turns. */
  readonly turn: number | undefined;
  readonly outcome: Outcome;
  readonly failure?: Failure;
  readonly at: number;
}

/** The attempts of a run: a lane for each slot, a node for each turn, and how one led to the next. */
export function runDrawing(
  attempts: readonly AttemptRecord[],
  { id, settings, target: { verified } }: Pick<RunRecord, 'id' | 'settings' | 'target'>,
  offsetMin = 0,
): Drawing {
  const placed = attempts
    .flatMap((attempt) => placedOf(partIn(attempt, id), offsetMin))
    .sort((a, b) => a.at - b.at);
  const laneIds = [...new Set(placed.map(({ node }) => node.lane))].sort(byNumber);
  const edges = [
    ...taskEdges(placed),
    ...batchEdges(placed),
    ...laneEdges(placed, laneIds),
    ...landedEdges(placed),
    ...rollbackEdges(placed),
  ];
  const target: DrawnNode = {
    id: targetId,
    glyph: '◎',
    name: settings.target,
    style: 'target',
  };
  const anyLanded = placed.some(({ outcome }) => outcome === 'landed');
  return {
    title: `Attempts of run ${id}`,
    empty: 'No attempt was made',
    lanes: laneIds.map((lane) => ({ id: lane, label: lane === '0' ? 'slot ?' : `slot ${lane}` })),
    nodes: [
      ...placed.map(({ node }) => node),
      ...(anyLanded ? [target] : []),
      ...(verified === undefined ? [] : [verifyNode(verified)]),
    ],
    // Of two edges between the same nodes the first is more specific.
    edges: distinct([...edges, { from: targetId, to: verifyId, kind: 'sequence' }], edgeKey),
  };
}

const verifyStyles: Readonly<Record<VerifyOutcome['kind'], readonly [string, NodeStyle]>> = {
  passed: ['✓', 'done'],
  failed: ['✗', 'error'],
  'timed-out': ['✗', 'error'],
  skipped: ['↷', 'skipped'],
};

/** The end-of-run verification, with a few lines of what failed. */
function verifyNode(outcome: VerifyOutcome): DrawnNode {
  const [glyph, style] = verifyStyles[outcome.kind];
  const lines = verifyLines(outcome);
  return {
    id: verifyId,
    glyph,
    name: 'verify',
    note: verifyText(outcome),
    style,
    ...(lines.length === 0 ? {} : { lines }),
  };
}

function byNumber(a: string, b: string): number {
  return Number(a) - Number(b);
}

/** One node per turn, or one for an attempt without turns. */
function placedOf(attempt: AttemptRecord, offsetMin: number): Placed[] {
  const { turns } = attempt;
  if (turns.length === 0) return [nodeOf(attempt, undefined, 0, offsetMin)];
  return turns.map((turn, at) => nodeOf(attempt, turn, at, offsetMin));
}

function nodeOf(
  attempt: AttemptRecord,
  turn: TurnRecord | undefined,
  at: number,
  offsetMin: number,
): Placed {
  const { task, number, turns, end } = attempt;
  const isLast = at >= turns.length - 1;
  // The turn may have gone well and the attempt failed after it; the last node shows how the attempt came out.
  const own = turn?.outcome ?? 'incomplete';
  const outcome = isLast && own === 'incomplete' ? outcomeOfEnd(end) : own;
  const failure = turn?.failure ?? (isLast && 'failure' in end ? end.failure : undefined);
  const startedAt = turn?.startedAt ?? attempt.startedAt;
  const special = specialOf(outcome, failure);
  const name = turns.length > 1 ? `${task}.${number}/${turn?.turn}` : `${task}.${number}`;
  const note = noteOf(outcome, failure, turn, attempt, offsetMin);
  const took = turn?.end === undefined ? undefined : span(turn.end.at - startedAt);
  return {
    node: {
      id: JSON.stringify([task, number, at]),
      lane: String(turn?.slot ?? attempt.slot),
      glyph: special?.glyph ?? outcomeGlyphs[outcome],
      name,
      style: special?.style ?? outcomeStyles[outcome],
      detail: took,
      note,
    },
    attempt,
    turn: turn?.turn,
    outcome,
    failure,
    at: startedAt,
  };
}

/** Failures that look different from others of their outcome. */
function specialOf(
  outcome: Outcome,
  failure: Failure | undefined,
): { readonly glyph: string; readonly style: NodeStyle } | undefined {
  if (failure === undefined) return undefined;
  if (outcome === 'returned' && failure.kind === 'conflict') {
    return { glyph: '≠', style: 'conflict' };
  }
  return outcome === 'error' && isHung(failure) ? { glyph: '◌', style: 'hung' } : undefined;
}

function noteOf(
  outcome: Outcome,
  failure: Failure | undefined,
  turn: TurnRecord | undefined,
  { end, turns, ...attempt }: AttemptRecord,
  offsetMin: number,
): string | undefined {
  if (outcome === 'landed') {
    return end.id === 'landed' ? `landed as ${shortCommit(end.commit)}` : 'landed';
  }
  if (outcome === 'delivered') {
    return `delivered as ${end.id === 'delivered' ? (end.url ?? end.branch) : 'a branch'}`;
  }
  if (outcome === 'planned') return 'filed tasks';
  if (outcome === 'incomplete' && failure?.kind === 'approval-needed') {
    return oneLine(failure, whyChars);
  }
  if (outcome === 'incomplete') {
    const on = turn?.end?.signal === undefined ? undefined : wentOn[turn.end.signal];
    if (on !== undefined && turn !== turns.at(-1)) return on;
    if (turn?.end?.signal === 'ask') return 'asked a person and waits for the answer';
    return turn?.end === undefined ? 'no end recorded' : 'work waits for the gate or the train';
  }
  if (outcome === 'interrupted' && !isRefusedByService(failure)) {
    const at = turn?.end?.at ?? endedAt({ end, turns, ...attempt });
    const what = failure?.kind === 'canceled-by-person' ? 'canceled' : 'interrupted';
    return at === undefined ? what : `${what} at ${clockTime(at, offsetMin)}`;
  }
  if (turn?.rejected !== undefined) return cut(`rejected: ${turn.rejected}`, whyChars);
  if (failure === undefined) return undefined;
  const why = oneLine(failure, whyChars);
  if (!isHung(failure)) return why;
  return `${why} (${isSilent(failure) ? 'no output, ' : ''}possibly hung)`;
}

/** Turns after which the conversation went on. */
const wentOn: Readonly<Partial<Record<EndSignal['id'], string>>> = {
  nothing: 'ended without a word',
  claim: 'asked for further tasks',
  ask: 'asked a person',
};

/** True if the service behind the agent refused the turn; then it was not canceled. */
function isRefusedByService(failure: Failure | undefined): boolean {
  const trouble = failure === undefined ? undefined : troubleOf(failure);
  return trouble === 'pause' || trouble === 'hold';
}

/** True if it was stopped after a silence, or at another limit of time without having printed anything. */
function isHung(failure: Failure): boolean {
  if (failure.kind !== 'limit-crossed') return false;
  const { limit } = failure;
  return limit === 'idle' || limit === 'start' || (limit === 'wall' && isSilent(failure));
}

function isSilent(failure: Failure): boolean {
  return 'tail' in failure && failure.tail?.trim() === '';
}

/** From turn to turn of one task: the same attempt, or a new one. */
function taskEdges(placed: readonly Placed[]): DrawnEdge[] {
  const latest = new Map<string, Placed>();
  const edges: DrawnEdge[] = [];
  for (const one of placed) {
    const before = latest.get(one.attempt.task);
    latest.set(one.attempt.task, one);
    if (before === undefined) continue;
    const same = before.attempt.number === one.attempt.number;
    const kind = same ? (before.outcome === 'returned' ? 'returned' : 'sequence') : 'retry';
    const label = before.failure === undefined ? undefined : oneLine(before.failure, whyChars);
    const edge: DrawnEdge = { from: before.node.id, to: one.node.id, kind };
    edges.push(label === undefined ? edge : { ...edge, label });
  }
  return edges;
}

/** From the turn after which a batch was made to the first turn of each task that it started. */
function batchEdges(placed: readonly Placed[]): DrawnEdge[] {
  return placed.flatMap((one): DrawnEdge[] => {
    const { batch } = one.attempt;
    if (batch === undefined || batch.source === 'skipped' || !isFirst(one)) return [];
    const { id, attempt, turn } = batch.after;
    const from = placed.find(
      ({ attempt: other, turn: at }) =>
        other.task === id && other.number === attempt && at === turn,
    );
    return from === undefined
      ? []
      : [{ from: from.node.id, to: one.node.id, kind: batch.source, label: batch.source }];
  });
}

/** True for the first turn of an attempt. */
function isFirst({ attempt: { turns }, turn }: Placed): boolean {
  return turn === turns[0]?.turn;
}

function laneEdges(placed: readonly Placed[], laneIds: readonly string[]): DrawnEdge[] {
  return laneIds.flatMap((lane) => {
    const own = placed.filter(({ node }) => node.lane === lane);
    return own.slice(1).map((one, at): DrawnEdge => {
      const isFallback = one.attempt.batch?.source === 'skipped' && isFirst(one);
      const ends = { from: own[at]?.node.id ?? '', to: one.node.id };
      return isFallback
        ? { ...ends, kind: 'fallback', label: 'fallback' }
        : { ...ends, kind: 'sequence' };
    });
  });
}

function landedEdges(placed: readonly Placed[]): DrawnEdge[] {
  return placed
    .filter(({ outcome }) => outcome === 'landed')
    .map(({ node }) => ({ from: node.id, to: targetId, kind: 'landed' }));
}

/** From the end of an attempt that was given up to the landing that the target stays at, or to itself if the run has none. */
function rollbackEdges(placed: readonly Placed[]): DrawnEdge[] {
  const landings = placed
    .flatMap(({ node, outcome, attempt: { end } }) =>
      outcome === 'landed' && end.id === 'landed' ? [{ node, ...end }] : [],
    )
    .sort((a, b) => a.order - b.order);
  return placed.flatMap((one): DrawnEdge[] => {
    const { end, base, turns, captures, startedAt } = one.attempt;
    const isLast = one.turn === turns.at(-1)?.turn;
    if (end.id !== 'failed' || !isLast) return [];
    const since = landings.findLast(({ at }) => at >= startedAt && at <= end.at);
    const target = since?.commit ?? captures.at(-1)?.base ?? base;
    if (target === undefined) return [];
    const to = landings.findLast(({ commit }) => commit === target) ?? one;
    const label = `given up, target at ${shortCommit(target)}`;
    return [{ from: one.node.id, to: to.node.id, kind: 'rollback', label }];
  });
}
