// The figures of the order of work as Markdown. Bundled by bench/schedule/schedule.mjs.
import { buildGraph } from '../../src/graph/graph.ts';
import { criticalPath, remainingPaths, weightsOf } from '../../src/graph/paths.ts';
import { scheduleOf } from '../../src/graph/schedule.ts';
import { newTask, type Task } from '../../src/model/task.ts';
import { Chance } from '../../test/simulation/chance.ts';
import { type ClaimCost, decisionCosts, storedClaimCosts } from './claim-cost.ts';
import {
  type MakespanRow,
  makespanRows,
  mean,
  type OverlapRow,
  orders,
  overlapRows,
} from './measure.ts';

export interface ScheduleFigures {
  readonly seeds: number;
  readonly makespan: readonly MakespanRow[];
  readonly overlap: readonly OverlapRow[];
  readonly decisions: readonly ClaimCost[];
  readonly stored: readonly ClaimCost[];
  readonly planMs: number;
}

const planned = 100_000;

const claimSizes = [100, 10_000, 100_000];
const claimRounds = 90;

/** `dir` is an empty folder for databases. */
export async function measureSchedule(seeds: number, dir: string): Promise<ScheduleFigures> {
  const worlds = [200, 1_000].flatMap((files) =>
    [4, 8].map((slots) => ({ files, skew: 0.5, slots })),
  );
  return {
    seeds,
    makespan: makespanRows(seeds, [2, 4, 8]),
    overlap: overlapRows(seeds, worlds),
    decisions: decisionCosts(claimSizes, claimRounds),
    stored: await storedClaimCosts(dir, claimSizes, claimRounds),
    planMs: planMs(planned),
  };
}

/** CPU time to check, order and measure a random graph. */
export function planMs(count: number): number {
  const chance = new Chance(1);
  const tasks = Array.from({ length: count }, (_, at): Task => {
    const after = at === 0 ? [] : [`t${chance.between(Math.max(0, at - 500), at - 1)}`];
    return newTask({ id: `t${at}`, title: `Task ${at}`, body: `Change src/f${at}.ts.`, after });
  });
  const before = process.cpuUsage();
  const graph = buildGraph(tasks);
  if (!graph.ok) throw new Error('no graph');
  const weight = weightsOf(tasks);
  criticalPath(graph.value, weight);
  scheduleOf(graph.value, remainingPaths(graph.value, weight), weight, 8);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function scheduleTables(figures: ScheduleFigures): string {
  const { seeds, makespan, overlap, decisions, stored } = figures;
  const grand = orders.map((order) => mean(makespan.map((row) => row.mean[order])).toFixed(3));
  const byGraph = makespan.map((row) => [
    `${row.shape}, ${row.slots}`,
    ...orders.map((order) => `${row.mean[order].toFixed(3)} (${row.p95[order].toFixed(2)})`),
  ]);
  const byWorld = overlap.map(({ files, slots, named, conflicts, makespan: over }) => [
    `${files} files, ${slots} slots`,
    named === 0 ? 'none' : `${named * 100} %`,
    conflicts.toFixed(1),
    over.toFixed(3),
  ]);
  const costs = decisions.map(({ tasks, microseconds }, at) => [
    tasks.toLocaleString('en'),
    microseconds.toFixed(0),
    stored[at]?.microseconds.toFixed(0) ?? '',
  ]);
  return [
    table(
      `Time over the bound, mean (p95) of ${seeds} graphs`,
      ['graph, slots', ...orders],
      [...byGraph, ['mean of all', ...grand]],
    ),
    table(
      'Planted overlaps',
      ['repository', 'files named', 'conflicts/100', 'time/bound'],
      byWorld,
    ),
    table('One claim, µs of CPU', ['ready tasks', 'decision', 'transaction'], costs),
    `Planning ${planned.toLocaleString('en')} tasks: ${figures.planMs.toFixed(0)} ms of CPU\n`,
  ].join('\n');
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]) {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '--:'));
  return [`### ${title}`, '', line(head), line(rule), ...rows.map(line), ''].join('\n');
}
