import { childrenIn, unblocksOf } from '../../graph/unblocks.ts';
import { type AttemptRecord, driverOf, type RunHistory } from '../../model/history.ts';
import type { RunId } from '../../model/run.ts';
import { hasEnded, type RunRecord } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import { satisfies, type TaskRecord } from '../../model/task-record.ts';
import { type Forecast, forecastOf } from './forecast.ts';

/** History of the run that is shown. */
export interface Past {
  /** Attempts that the run drives or drove. */
  readonly attempts: readonly AttemptRecord[];
  readonly history: RunHistory | undefined;
}

/** Parts of a view that are made of the history of its run. Only dashboards and `--json` pay for reading it. */
export interface PastView {
  /** The newest landings of the run, newest first. */
  readonly landings: readonly LandingView[];
  /** Mean time of a gate run of the merge queue, or of the target before the first one; absent if neither has run. */
  readonly usualGateMs?: number;
  readonly forecast?: Forecast['forecast'];
  readonly endsAt?: Forecast['endsAt'];
  /** By unfinished task: how many tasks wait for it, directly or through others. */
  readonly unblocks: ReadonlyMap<TaskId, number>;
}

export function pastViewOf(
  records: readonly TaskRecord[],
  run: RunRecord,
  past: Past,
  now: number,
): PastView {
  const gateMs = usualGateMs(past);
  return {
    landings: landingViews(past, run.id),
    usualGateMs: gateMs,
    ...(hasEnded(run) ? {} : forecastOf(records, run, past, gateMs ?? 0, now)),
    unblocks: unblocksIn(records),
  };
}

export interface LandingView {
  readonly task: string;
  readonly attempt: number;
  /** The target after the landing. */
  readonly commit: string;
  readonly at: number;
  /** Time since the start of the attempt. */
  readonly ms: number;
}

const landingsShown = 20;

function landingViews({ attempts }: Past, run: RunId): readonly LandingView[] {
  const landed = attempts.flatMap((attempt): LandingView[] => {
    const { task, number, startedAt, end } = attempt;
    if (end.id !== 'landed' || driverOf(attempt) !== run) return [];
    const { commit, at } = end;
    return [{ task, attempt: number, commit, at, ms: Math.max(0, at - startedAt) }];
  });
  return landed.sort((a, b) => b.at - a.at).slice(0, landingsShown);
}

function usualGateMs({ history }: Past): number | undefined {
  if (history === undefined) return undefined;
  const { candidate, target } = history.gates;
  return meanMs(candidate) ?? meanMs(target);
}

function meanMs({ passed, failed, cached, ms }: RunHistory['gates']['target']): number | undefined {
  const runs = passed + failed - cached;
  return runs <= 0 ? undefined : Math.round(ms / runs);
}

/** More waiting tasks than this are not counted. */
const unblocksCounted = 1_000;

function unblocksIn(records: readonly TaskRecord[]): ReadonlyMap<TaskId, number> {
  const children = childrenIn(records.map(({ task }) => task));
  const open = new Set(records.filter((one) => !satisfies(one)).map(({ task }) => task.id));
  const counts = new Map<TaskId, number>();
  for (const id of open) {
    if (children(id).length === 0) continue;
    const waiting = unblocksOf(id, children, (other) => open.has(other), unblocksCounted);
    counts.set(id, waiting?.all ?? unblocksCounted);
  }
  return counts;
}
