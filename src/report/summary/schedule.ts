import { buildGraph } from '../../graph/graph.ts';
import { predictedFiles } from '../../graph/learned-files.ts';
import { agentMs, expectedMs, statedMs } from '../../graph/learned-times.ts';
import { remainingPaths } from '../../graph/paths.ts';
import { Places } from '../../graph/places.ts';
import { changedFiles } from '../../model/attempt-state.ts';
import type { AttemptRecord } from '../../model/history.ts';
import { endOf, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { counted } from '../format/amount.ts';
import { span } from '../format/time.ts';

/** Figures about the order of a run. Parts without data are absent. */
export interface ScheduleSummary {
  readonly overlap?: OverlapNumbers;
  readonly conflicts?: {
    readonly count: number;
    readonly per100Landed: number;
  };
  readonly makespan?: {
    /** Critical path of the landed tasks, or all agent time over the slots: no order takes less. */
    readonly boundMs: number;
    readonly toBound: number;
  };
  /** Agent time of the landed tasks that was expected when the run started, and what they took. */
  readonly estimate?: {
    readonly tasks: number;
    readonly expectedMs: number;
    readonly actualMs: number;
    /** True if the times of earlier tasks were used, not only the estimates that tasks state. */
    readonly isLearned: boolean;
  };
}

/** Pairs of landed tasks by whether they were predicted to change the same files, and whether they did. */
interface OverlapNumbers {
  readonly predicted: number;
  readonly real: number;
  readonly both: number;
  /** Share of the predicted pairs that came true. */
  readonly precision?: number;
  /** Share of the real pairs that were predicted. */
  readonly recall?: number;
}

/** Newest landed tasks whose pairs are compared. */
const comparedMax = 200;

/** `attempts` are the parts of attempts that belong to the run. */
export function scheduleSummaryOf(
  run: RunRecord,
  attempts: readonly AttemptRecord[],
  tasks: readonly TaskRecord[],
): ScheduleSummary {
  const landed = tasks.filter(({ status }) => status.id === 'landed' && status.run === run.id);
  if (landed.length === 0) return {};
  const landedTasks = landed.filter(({ task }) => task.variantOf === undefined).length;
  const count = attempts
    .flatMap(({ turns }) => turns)
    .filter(({ failure }) => failure?.kind === 'conflict').length;
  return {
    ...overlapIn(run, landed.slice(-comparedMax)),
    ...(landedTasks === 0
      ? {}
      : { conflicts: { count, per100Landed: Math.round((count / landedTasks) * 1_000) / 10 } }),
    ...makespanOf(run, attempts, landed),
    ...estimateOf(run, attempts, landed),
  };
}

function overlapIn(
  { settings }: RunRecord,
  landed: readonly TaskRecord[],
): Pick<ScheduleSummary, 'overlap'> {
  const all = landed.flatMap(({ task, attempt }) => {
    const files = attempt === undefined ? [] : changedFiles(attempt);
    if (files.length === 0) return [];
    const expected = predictedFiles(task, settings.forecast?.files);
    const places = new Places();
    places.add(expected);
    return [{ files: new Set(files), expected, places }];
  });
  const numbers = { predicted: 0, real: 0, both: 0 };
  for (const [at, one] of all.entries()) {
    for (const other of all.slice(at + 1)) {
      const isPredicted = one.expected.some((file) => other.places.has(file));
      const isReal = [...one.files].some((file) => other.files.has(file));
      numbers.predicted += Number(isPredicted);
      numbers.real += Number(isReal);
      numbers.both += Number(isPredicted && isReal);
    }
  }
  const { predicted, real, both } = numbers;
  if (predicted + real === 0) return {};
  return {
    overlap: {
      ...numbers,
      ...(predicted === 0 ? {} : { precision: both / predicted }),
      ...(real === 0 ? {} : { recall: both / real }),
    },
  };
}

/** Undefined for a resumed run: agents may have worked while nothing drove it. */
function makespanOf(
  run: RunRecord,
  attempts: readonly AttemptRecord[],
  landed: readonly TaskRecord[],
): Pick<ScheduleSummary, 'makespan'> {
  const end = endOf(run);
  if (end === undefined || run.resumedAt !== undefined || landed.length < 2) return {};
  const times = new Map<string, number>();
  for (const attempt of attempts) {
    times.set(attempt.task, (times.get(attempt.task) ?? 0) + agentMs(attempt));
  }
  const ids = new Set(landed.map(({ task }) => task.id));
  const graph = buildGraph(
    landed.map(({ task }) => ({ ...task, after: task.after.filter((id) => ids.has(id)) })),
  );
  if (!graph.ok) return {};
  const paths = remainingPaths(graph.value, ({ id }) => times.get(id) ?? 0);
  const work =
    [...times.values()].reduce((sum, ms) => sum + ms, 0) /
    Math.max(run.slots.length, run.settings.jobs);
  const boundMs = [...paths.values()].reduce((most, ms) => Math.max(most, ms), Math.round(work));
  if (boundMs <= 0) return {};
  return { makespan: { boundMs, toBound: (end - run.startedAt) / boundMs } };
}

/** Stated estimates count as they are until times are learned; then both are corrected by the past. */
function estimateOf(
  { settings }: RunRecord,
  attempts: readonly AttemptRecord[],
  landed: readonly TaskRecord[],
): Pick<ScheduleSummary, 'estimate'> {
  const times = settings.forecast?.times;
  const sums = { tasks: 0, expectedMs: 0, actualMs: 0 };
  for (const { task } of landed) {
    const own = attempts.filter((attempt) => attempt.task === task.id);
    const agent = own[0]?.agent ?? settings.agent;
    const expected = times === undefined ? statedMs(task) : expectedMs(task, agent, times);
    if (expected === undefined) continue;
    sums.tasks += 1;
    sums.expectedMs += Math.round(expected);
    sums.actualMs += own.reduce((sum, attempt) => sum + agentMs(attempt), 0);
  }
  return sums.tasks === 0 ? {} : { estimate: { ...sums, isLearned: times !== undefined } };
}

/** Lines of a summary, each with its name in front of a colon. */
export function scheduleLines({
  overlap,
  conflicts,
  makespan,
  estimate,
}: ScheduleSummary): string[] {
  const share = (value: number): string => `${Math.round(value * 100)} %`;
  const lines: string[] = [];
  if (makespan !== undefined) {
    const { boundMs, toBound } = makespan;
    lines.push(
      `schedule: ${toBound.toFixed(2)} × the least possible time for this agent work, ${span(boundMs)}`,
    );
  }
  if (estimate !== undefined) {
    const { tasks, expectedMs: expected, actualMs, isLearned } = estimate;
    const ratio = expected === 0 ? '' : ` (${(actualMs / expected).toFixed(2)} ×)`;
    const source = isLearned ? ', from the times of earlier tasks' : '';
    lines.push(
      `estimate: ${span(expected)} of agent time for ${counted(tasks, 'task')}${source}; took ${span(actualMs)}${ratio}`,
    );
  }
  if (overlap !== undefined) {
    const { predicted, real, precision, recall } = overlap;
    const right = precision === undefined ? '' : `, ${share(precision)} right`;
    const found = recall === undefined ? '' : `, ${share(recall)} of them predicted`;
    lines.push(
      `overlap: ${counted(real, 'pair')} of tasks changed the same files${found}; ${predicted} predicted${right}`,
    );
  }
  if (conflicts !== undefined && conflicts.count > 0) {
    lines.push(`conflicts: ${conflicts.count}, ${conflicts.per100Landed} per 100 landed tasks`);
  }
  return lines;
}
