import { compareVariants } from '../app/compare.ts';
import { diffOf } from '../app/diff.ts';
import { topFailures } from '../app/failures.ts';
import { isUnderWay } from '../app/liveness.ts';
import { existingRun } from '../app/lookup.ts';
import { type Moment, portsAt, queueStepsAt } from '../app/moment.ts';
import type { Opened } from '../app/ports.ts';
import { listRuns } from '../app/runs.ts';
import { summarize } from '../app/summary.ts';
import { type Event, runOf, tasksOf } from '../model/event.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { RunId } from '../model/run.ts';
import { clockOf, type RunRecord } from '../model/run-record.ts';
import { settled } from '../model/trouble.ts';
import { taskNodes } from '../report/graph/nodes.ts';
import { greenText, queueFacts } from '../report/run/queue-facts.ts';
import { candidateStories, returnedWork } from '../report/run/queue-story.ts';
import { spendTablesOf } from '../report/spend/spend-tables.ts';
import { sumOf } from '../report/task/diff.ts';
import { attemptCost, evidenceOf } from '../report/task/evidence.ts';
import { timelineOf } from '../report/timeline/timeline.ts';
import { needsIn, type TaskNeed } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';
import { pastLine } from './lines.ts';
import { numbersIn, type Query } from './query.ts';
import type { Reading } from './source.ts';
import { gateOutput, type Logs, taskDiff, taskReviews, taskStory, turnPrompt } from './tasks.ts';

type Answer = Promise<Result<object>>;

/** A request about a project: as it is now, or as it was at a moment of the past. */
export interface Question extends Reading {
  readonly query: Query;
  readonly logs: Logs;
  readonly past?: Past;
}

export interface Past {
  readonly moment: Moment;
  readonly view: View;
}

/** Number of the newest event that the answer knows. */
const seqOf = ({ past, follower }: Question): number => past?.moment.seq ?? follower.seq;

const viewFor = ({ past, view }: Question): View => past?.view ?? view();

/** Ports that read the records of now, or of the moment of the past. */
const portsFor = ({ past, opened }: Question) =>
  past === undefined ? opened : portsAt(opened, past.moment);

export async function pastView(question: Question): Answer {
  const { follower } = question;
  const last = { seq: follower.seq, at: question.lastAt() };
  return ok({ seq: seqOf(question), last, ...viewFor(question) });
}

async function attemptsOf(
  { past, opened }: Question,
  run: RunId,
): Promise<Result<readonly AttemptRecord[]>> {
  if (past === undefined) return opened.store.attempts({ run });
  const known = [...past.moment.state.attempts.values()];
  return ok(known.filter(({ runs }) => runs.includes(run)));
}

async function queueStepsOf(
  { past, opened }: Question,
  run: RunId,
): Promise<Result<readonly QueueStep[]>> {
  if (past === undefined) return opened.store.queueSteps(run);
  return queueStepsAt(opened.store, past.moment, run);
}

export const projectReads: Readonly<Record<string, (question: Question) => Answer>> = {
  '/api/events': pastEvents,
  '/api/graph': graph,
  '/api/queue': queue,
  '/api/inbox': inbox,
  '/api/runs': async (question) => {
    const runs = await listRuns(portsFor(question), { all: true });
    return runs.ok ? ok({ runs: runs.value }) : runs;
  },
  '/api/summary': async (question) => summarize(portsFor(question), question.query('run')),
  '/api/failures': async (question) => topFailures(portsFor(question)),
  '/api/spend': spend,
  '/api/timeline': timeline,
};

/** Requests about one task, by the last part of the path. */
export const taskReads: Readonly<Record<string, (question: Question, id: string) => Answer>> = {
  '': async (question, id) => {
    const story = await taskStory(question.opened, id, question.past);
    return story.ok ? ok({ seq: seqOf(question), ...story.value }) : story;
  },
  diff: async (question, id) => {
    const named = numbersIn(question.query, 'attempt');
    return named.ok ? taskDiff(portsFor(question), id, named.value) : named;
  },
  log: async (question, id) => {
    const named = numbersIn(question.query, 'attempt', 'turn', 'from', 'limit');
    if (!named.ok) return named;
    const { from, limit = entriesDefault, ...asked } = named.value;
    const turn = await knownTurn(question, id, asked);
    if (!turn.ok) return turn;
    const isPast = question.past !== undefined;
    const window = { limit: Math.min(limit, entriesMax), isPast, from };
    return question.logs.entries(portsFor(question), id, turn.value, window);
  },
  gate: async (question, id) => {
    const named = numbersIn(question.query, 'attempt', 'turn');
    if (!named.ok) return named;
    const turn = await knownTurn(question, id, named.value);
    if (!turn.ok) return turn;
    return gateOutput(portsFor(question), id, turn.value, question.past !== undefined);
  },
  prompt: async (question, id) => {
    const named = numbersIn(question.query, 'attempt', 'turn');
    if (!named.ok) return named;
    const turn = await knownTurn(question, id, named.value);
    return turn.ok ? turnPrompt(portsFor(question), id, turn.value) : turn;
  },
  variants: async (question, id) => compareVariants(portsFor(question), id),
  reviews: async (question, id) => {
    const named = numbersIn(question.query, 'attempt');
    return named.ok ? taskReviews(question.opened, id, named.value, question.past) : named;
  },
};

/** Picks the newest turn at the past moment, and refuses one that had not started: files also have later turns. */
async function knownTurn(
  question: Question,
  id: string,
  named: { readonly attempt?: number; readonly turn?: number },
): Promise<Result<{ readonly attempt?: number; readonly turn?: number }>> {
  const { past } = question;
  if (past === undefined) return ok(named);
  const attempts = [...past.moment.state.attempts.values()].filter(({ task }) => task === id);
  const attempt = named.attempt ?? attempts.at(-1)?.number;
  const turns = attempts.find(({ number }) => number === attempt)?.turns ?? [];
  const turn = named.turn ?? turns.at(-1)?.turn;
  if (attempt !== undefined && turns.some((one) => one.turn === turn)) {
    return ok({ attempt, turn });
  }
  return usage(
    `no agent had started that turn of "${id}" yet at event ${past.moment.seq}`,
    'Choose a later moment.',
  );
}

const entriesDefault = 500;
const entriesMax = 2_000;
const eventsDefault = 100;
const eventsMax = 500;
/** Events that are looked through for one page of the events of a task or a run. */
const eventsScanned = 20_000;

async function pastEvents(question: Question): Answer {
  const { store } = question.opened;
  const { query } = question;
  const named = numbersIn(query, 'before', 'limit');
  if (!named.ok) return named;
  const limit = Math.min(named.value.limit ?? eventsDefault, eventsMax);
  const [task, run] = [query('task'), query('run')];
  const isWanted = (event: Event): boolean =>
    (task === undefined || tasksOf(event).includes(task)) &&
    (run === undefined || runOf(event) === run);
  let before = Math.min(named.value.before ?? Number.MAX_SAFE_INTEGER, seqOf(question) + 1);
  const least = before - eventsScanned;
  const found: Event[] = [];
  while (found.length < limit && before > 1 && before > least) {
    const after = Math.max(0, before - 1 - eventsMax);
    const page = await store.events({ after, limit: before - 1 - after });
    if (!page.ok) return page;
    for (const event of page.value.toReversed()) {
      if (found.length === limit) break;
      before = event.seq;
      if (isWanted(event)) found.push(event);
    }
    if (found.length < limit) before = after + 1;
  }
  return ok({ events: found.map(pastLine), ...(before > 1 ? { before } : {}) });
}

async function graph(question: Question): Answer {
  const { tasks } = question.past?.moment.state ?? question.follower.state;
  return ok({ seq: seqOf(question), ...taskNodes([...tasks.values()]) });
}

/** The run that the request names, else the one that the view shows; undefined before the first run. */
async function runAsked(question: Question): Promise<Result<RunRecord | undefined>> {
  const { opened, query, past } = question;
  const { run: shown } = viewFor(question);
  const name = query('run') ?? (shown.state === 'none' ? undefined : shown.id);
  if (name === undefined) return ok(undefined);
  const run = await existingRun(opened.store, name);
  return run.ok && past !== undefined ? ok(past.moment.state.run(run.value.id)) : run;
}

const storiesMax = 200;

async function queue(question: Question): Answer {
  const run = await runAsked(question);
  if (!run.ok) return run;
  const { candidates, gates, train, run: shown } = viewFor(question);
  const isShown = shown.state !== 'none' && shown.id === run.value?.id;
  const known = { seq: seqOf(question), ...(isShown ? { candidates, gates, train } : nothingLive) };
  if (run.value === undefined) return ok({ ...known, history: [], returned: [] });
  const { id } = run.value;
  const steps = await queueStepsOf(question, id);
  if (!steps.ok) return steps;
  const attempts = await attemptsOf(question, id);
  if (!attempts.ok) return attempts;
  const history = candidateStories(steps.value).slice(0, storiesMax);
  const returned = returnedWork(attempts.value).slice(0, storiesMax);
  const { target } = run.value.settings;
  const green = greenText(queueFacts(steps.value), target);
  return ok({ ...known, run: id, green, history, returned });
}

const nothingLive = { candidates: [], gates: [], train: [] } as const;

async function inbox(question: Question): Answer {
  const { opened, past } = question;
  const needs = needsIn(viewFor(question).tasks);
  if (past !== undefined) return ok({ seq: seqOf(question), items: needs });
  const items: object[] = [];
  for (const need of needs) {
    const evidence = await evidenceFor(opened, need);
    if (!evidence.ok) return evidence;
    items.push({ ...need, ...(evidence.value === undefined ? {} : { evidence: evidence.value }) });
  }
  return ok({ seq: seqOf(question), items });
}

/** Undefined if no agent has worked on the task. */
async function evidenceFor(
  opened: Opened,
  { task: id }: TaskNeed,
): Promise<Result<object | undefined>> {
  const record = await opened.store.task(id);
  if (!record.ok) return record;
  const attempts = await opened.store.attempts({ task: id });
  if (!attempts.ok) return attempts;
  const newest = attempts.value.at(-1);
  if (record.value === undefined || newest === undefined) return ok(undefined);
  const steps = await opened.store.steps(id);
  if (!steps.ok) return steps;
  // Work may be missing, for example before the first commit of an agent that asks.
  const diff = await settled(diffOf(opened, id));
  const files = diff.ok ? diff.value.files : [];
  return ok({
    attempt: newest.number,
    agent: newest.agent,
    files,
    ...sumOf(files),
    ...evidenceOf(record.value, steps.value),
    ...attemptCost(newest),
  });
}

async function spend(question: Question): Answer {
  const run = await runAsked(question);
  if (!run.ok) return run;
  if (run.value === undefined) return ok(spendTablesOf({ id: '' }, []));
  const attempts = await attemptsOf(question, run.value.id);
  if (!attempts.ok) return attempts;
  return ok({ run: run.value.id, ...spendTablesOf(run.value, attempts.value) });
}

async function timeline(question: Question): Answer {
  const { opened, follower, query, past } = question;
  const run = await runAsked(question);
  if (!run.ok) return run;
  if (run.value === undefined) return ok({ from: 0, to: 0, rows: [], scale: [] });
  const { id } = run.value;
  const attempts = await attemptsOf(question, id);
  if (!attempts.ok) return attempts;
  const queued = await queueStepsOf(question, id);
  if (!queued.ok) return queued;
  const state = past?.moment.state ?? follower.state;
  const live = [...state.live].flatMap((task) => state.task(task) ?? []);
  const source = { run: run.value, attempts: attempts.value, queue: queued.value, live };
  const rows = query('rows') === 'tasks' ? 'tasks' : 'slots';
  const squeeze = query('squeeze') !== 'no';
  const now = past === undefined ? await clockOfRun(opened, id) : ok(past.moment.at);
  if (!now.ok) return now;
  const drawn = timelineOf(source, { now: now.value, rows, squeeze });
  return ok({ run: id, ...drawn });
}

async function clockOfRun(opened: Question['opened'], id: string): Promise<Result<number>> {
  const run = await existingRun(opened.store, id);
  if (!run.ok) return run;
  return ok(clockOf(run.value, isUnderWay(opened, run.value), opened.clock.now()));
}
