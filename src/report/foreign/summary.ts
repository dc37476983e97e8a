import { plannerNumbers, type SpendNumbers } from '../../history/totals.ts';
import { defined } from '../../model/defined.ts';
import {
  type ForeignOutcome,
  type ForeignRun,
  type ForeignTurn,
  foreignOutcomes,
} from '../../model/foreign-run.ts';

const foreignSchema = 1;

/** Turns of one worker. `ms` covers the turns whose time is known. */
interface LaneRow {
  readonly lane: string;
  readonly turns: number;
  readonly done: number;
  readonly failed: number;
  readonly ms: number;
  /** Absent if no turn reported its tokens. */
  readonly tokens?: number;
  readonly stop?: string;
}

interface ModelRow extends SpendNumbers {
  readonly model: string | null;
}

/** Summary of a run of another program. */
export interface ForeignSummary extends Omit<ForeignRun, 'lanes'> {
  readonly schema: typeof foreignSchema;
  /** `in-flight`: no end is recorded, because it goes on or was killed. */
  readonly class: 'ended' | 'in-flight' | 'empty';
  /** Absent without two known times. */
  readonly wallMs?: number;
  readonly outcomes: Readonly<Record<ForeignOutcome, number>>;
  /** Tasks with at least one turn that is done, and all that had a turn or are listed. */
  readonly tasksDone: number;
  readonly tasksSeen: number;
  readonly reviewRounds: number;
  readonly workers: readonly LaneRow[];
  readonly spend: SpendNumbers;
  /** Absent if no turn names its model. */
  readonly byModel?: readonly ModelRow[];
  /** Figures of `ym summary` that this program does not record. */
  readonly unknown: readonly string[];
}

export function foreignSummary({ lanes, ...run }: ForeignRun): ForeignSummary {
  const { turns, startedAt, endedAt } = run;
  const lastAt = endedAt ?? latest(turns);
  const planner = run.plannerUsage === undefined ? [] : [{ usage: run.plannerUsage }];
  const spend = spendOf([...turns, ...planner]);
  const models = [...new Set(turns.map(({ model = null }) => model))];
  const seen = new Set([...run.tasks.map(({ id }) => id), ...turns.flatMap(tasksOf)]);
  return {
    schema: foreignSchema,
    class: run.stop !== undefined ? 'ended' : turns.length === 0 ? 'empty' : 'in-flight',
    ...run,
    ...(startedAt === undefined || lastAt === undefined
      ? {}
      : { wallMs: Math.max(0, lastAt - startedAt) }),
    outcomes: Object.fromEntries(
      foreignOutcomes.map((one) => [one, turns.filter(({ outcome }) => outcome === one).length]),
    ) as Record<ForeignOutcome, number>,
    tasksDone: [...seen].filter((id) => isDone(id, run)).length,
    tasksSeen: seen.size,
    reviewRounds: turns.reduce((sum, { reviewRounds = 0 }) => sum + reviewRounds, 0),
    workers: lanes.map(({ id, stop }) => ({
      ...laneRow(
        id,
        turns.filter(({ lane }) => lane === id),
      ),
      ...defined({ stop }),
    })),
    spend,
    ...(models.every((model) => model === null)
      ? {}
      : {
          byModel: models.map((model) => ({
            model,
            ...spendOf(turns.filter((turn) => (turn.model ?? null) === model)),
          })),
        }),
    unknown: [
      ...(spend.metered === 0 ? ['tokens'] : []),
      ...(spend.priced === 0 ? ['cost'] : []),
      'commits',
      'gate runs',
    ],
  };
}

function latest(turns: readonly ForeignTurn[]): number | undefined {
  const times = turns.flatMap(({ startedAt, endedAt }) => endedAt ?? startedAt ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}

function spendOf(turns: readonly Pick<ForeignTurn, 'agent' | 'model' | 'usage'>[]): SpendNumbers {
  return plannerNumbers(
    turns.map(({ agent = '', model, usage }) => ({ agent, calls: 1, model, usage })),
  );
}

function tasksOf({ task, coClaims }: ForeignTurn): readonly string[] {
  return task === undefined ? coClaims : [task, ...coClaims];
}

/** A listed state counts; without one, a turn that is done. boi has many turns for each task. */
function isDone(id: string, { tasks, turns }: Pick<ForeignRun, 'tasks' | 'turns'>): boolean {
  const listed = tasks.find((task) => task.id === id);
  if (listed !== undefined) return /^(?:done|completed|passed|merged)$/i.test(listed.state);
  return turns.some((turn) => turn.outcome === 'done' && tasksOf(turn).includes(id));
}

/** Outcomes that are neither a success nor a failure of the worker. */
const unjudged: readonly ForeignOutcome[] = [
  'done',
  'continued',
  'no-result',
  'canceled',
  'incomplete',
  'unknown',
];

function laneRow(lane: string, turns: readonly ForeignTurn[]): LaneRow {
  const { total, metered } = spendOf(turns);
  return {
    lane,
    turns: turns.length,
    done: turns.filter(({ outcome }) => outcome === 'done').length,
    failed: turns.filter(({ outcome }) => !unjudged.includes(outcome)).length,
    ms: turns.reduce((sum, { ms = 0 }) => sum + ms, 0),
    ...(metered === 0 ? {} : { tokens: total }),
  };
}
