import { isLive } from '../../model/attempt-state.ts';
import type { AttemptRecord } from '../../model/history.ts';
import type { QueueStep } from '../../model/queue-history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { counted, dollars, shortAmount } from '../format/amount.ts';
import { cut, joined } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { ascii } from '../graph/ascii.ts';
import { taskDrawing } from '../graph/tasks.ts';
import { queueFacts } from '../run/queue-facts.ts';
import { cacheShare, type SpendRow, spendTablesOf } from '../spend/spend-tables.ts';
import { timelineOf } from '../timeline/timeline.ts';
import type { TaskView } from '../view/task.ts';
import { barOf, column, lineOf, painted, roomFor } from './line.ts';
import { noPages, type RecordPages } from './scene.ts';
import { timelineLines } from './timeline.ts';

/** Records that pages are drawn from which the view does not hold. */
interface PageRecords {
  readonly tasks: readonly TaskRecord[];
  /** The tasks as the lists of the view show them. */
  readonly views: readonly TaskView[];
  readonly run: RunRecord | undefined;
  /** Attempts that the run drove. */
  readonly attempts: readonly AttemptRecord[];
  readonly queue: readonly QueueStep[];
}

export interface DrawingOptions {
  readonly width: number;
  readonly style: Style;
  readonly now: number;
  readonly offsetMin: number;
}

/** The rails of a larger graph take too long and show too little. */
const graphTasks = 400;

export function recordPages(records: PageRecords, how: DrawingOptions): RecordPages {
  const { width, style, now } = how;
  const room = Math.max(1, width - 2);
  const { run, attempts, queue, tasks } = records;
  if (run === undefined) return { ...noPages, width, graph: graphLines(records, style, room) };
  const { totals, byAgent, byModel, byTask } = spendTablesOf(run, attempts);
  const share = cacheShare(totals);
  const cached = share === undefined ? '' : `${Math.round(share * 100)} % from the cache`;
  const [agents, models] = [byAgent.length > 1, byModel.length > 1];
  const rows = [...(agents || !models ? byAgent : []), ...(models ? byModel : []), ...byTask];
  const live = tasks.filter(({ attempt }) => attempt !== undefined && isLive(attempt.state));
  const source = { run, attempts, queue, live };
  const timeline = timelineOf(source, { now, rows: 'slots', squeeze: true });
  const cost = totals.priced > 0 ? dollars(totals.costUsd) : '';
  return {
    width,
    queue: queueFacts(queue),
    timeline: timelineLines(timeline, { ...how, width: room }),
    graph: graphLines(records, style, room),
    spend: spendLines(
      rows.filter(({ total }) => total > 0),
      style,
      room,
    ),
    spendTitle: joined([
      cost,
      totals.total === 0 ? '' : `${shortAmount(totals.total)} tokens`,
      cached,
    ]),
  };
}

function graphLines({ tasks, views }: PageRecords, style: Style, width: number): readonly string[] {
  if (tasks.length > graphTasks)
    return [`${tasks.length} tasks are too many to draw here: ym graph`];
  const [, , ...lines] = ascii(taskDrawing(tasks, views), style, width);
  return lines;
}

const barRoom = 12;

/** One line per agent, model and task: a bar of its share, its tokens and its cost. */
function spendLines(rows: readonly SpendRow[], style: Style, width: number): readonly string[] {
  if (rows.length === 0) return [style.dim(cut(' No agent has reported its usage yet.', width))];
  const most = Math.max(1, ...rows.map(({ total }) => total));
  const names = rows.map(nameOf);
  const room = roomFor(names, 6, Math.max(6, Math.floor(width / 3)));
  return rows.map((row) => {
    const { total, costUsd, priced, turns, landed } = row;
    const cost = priced === 0 ? '' : dollars(costUsd);
    const done = landed === 0 ? '' : `, ${landed} landed`;
    return lineOf(
      [
        ` ${column(nameOf(row), room)} `,
        painted(barOf(total / most, barRoom), style.cyan),
        ` ${shortAmount(total).padStart(6)} ${cost.padStart(9)}`,
        painted(`  ${counted(turns, 'turn')}${done}`, style.dim),
      ],
      width,
    );
  });
}

function nameOf({ name }: SpendRow): string {
  return name ?? '(default)';
}
