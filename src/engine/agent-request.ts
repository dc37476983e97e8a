import type { Attempt, ClaimResult } from '../model/attempt.ts';
import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { AgentAnswer, AgentCall, AgentRequest, EndSignal } from '../model/turn.ts';
import { memberOf } from '../plan/agent-pool.ts';
import type { Store } from '../port/store.ts';
import { followUpLabel, followUpTask } from '../protocol/follow-up.ts';
import { claimTasks } from '../task/co-claims.ts';
import { noteAnswer } from './agent-notes.ts';
import { of } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';

/** Tries with another id when another process files a task under the same one at the same moment. */
const idTries = 5;

/**
 * Answers what the agent of a turn asks for with `ym agent`. Events are stored before the answer, so an agent that has an
 * answer can rely on it. The same request again changes nothing more.
 */
export function answerFor(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  context: Pick<RunContext, 'run'>,
  work: Work,
  turn: number,
): (request: AgentRequest) => Promise<AgentAnswer> {
  const { task } = work;
  const note = (call: AgentCall): EventBody => ({
    type: 'agent-reported',
    ...of(context, work),
    turn,
    call,
  });
  const append = async (events: readonly EventBody[]): Promise<Result<unknown>> =>
    events.length === 0 ? ok(undefined) : store.append(clock.now(), events, context.run);
  const answer = async (request: AgentRequest): Promise<Result<AgentAnswer>> => {
    const attempt = await attemptAtWork(store, work, turn);
    if (!attempt.ok) return attempt;
    switch (request.id) {
      case 'report': {
        const fresh = await notStored(store, work, turn, request.calls);
        if (!fresh.ok) return fresh;
        const stored = await append(fresh.value.map(note));
        return stored.ok ? reported(store, task.id, request.calls) : stored;
      }
      case 'claim': {
        const stored = await append([note({ id: 'claim', ids: request.ids })]);
        return stored.ok ? claimed(store, task.id, request.ids) : stored;
      }
      case 'note': {
        const notes = await store.notes();
        if (!notes.ok) return notes;
        const made = noteAnswer(context, work, request.found, notes.value);
        if (made.id === 'refused') return refused(made.problem);
        if (made.id === 'known')
          return ok(answered([`Already stored as note ${made.number}`], made));
        const { kind: about, text } = request.found;
        const stored = await append([made.event, note({ id: 'report', about, text })]);
        return stored.ok ? ok(answered(['Noted.'], { task: task.id, ...request.found })) : stored;
      }
      case 'follow-up': {
        const run = await store.run(context.run);
        if (!run.ok) return run;
        const { settings } = run.value ?? {};
        if (settings !== undefined && memberOf(settings, attempt.value.agent)?.role === 'executor')
          return refused('an executor files no tasks');
        return filed(store, task, request, (made) => {
          const text = `${made.id}: ${made.title}`;
          return append([
            { type: 'task-added', task: made },
            note({ id: 'report', about: 'follow-up', text }),
          ]);
        });
      }
    }
  };
  return async (request) => {
    const given = await answer(request);
    return given.ok ? given.value : { ok: false, failures: [given.failure] };
  };
}

/** The attempt, as long as this turn of it runs. */
async function attemptAtWork(
  store: Store,
  { task, attempt: { number } }: Work,
  turn: number,
): Promise<Result<Attempt>> {
  const found = await store.task(task.id);
  if (!found.ok) return found;
  const attempt = found.value?.attempt;
  const name = `attempt ${number} of task ${task.id}`;
  if (attempt?.number !== number) return refused(`${name} is over`);
  const isAtWork = attempt.state.id === 'working' && attempt.state.turn === turn;
  return isAtWork ? ok(attempt) : refused(`the turn of ${name} has ended`);
}

/** The calls without reports that this turn has made before, such as one whose answer was lost in a crash. */
async function notStored(
  store: Store,
  { task, attempt: { number } }: Work,
  turn: number,
  calls: readonly AgentCall[],
): Promise<Result<readonly AgentCall[]>> {
  if (!calls.some(({ id }) => id === 'report')) return ok(calls);
  const steps = await store.steps(task.id);
  if (!steps.ok) return steps;
  const before = steps.value.flatMap(({ attempt, what }) =>
    what.type === 'agent-reported' && attempt === number && what.turn === turn
      ? [JSON.stringify(what.call)]
      : [],
  );
  return ok(calls.filter((call) => call.id !== 'report' || !before.includes(JSON.stringify(call))));
}

/** Tells which of the turn's end signals counts: a weaker one does not undo a stronger one. */
async function reported(
  store: Store,
  id: TaskId,
  calls: readonly AgentCall[],
): Promise<Result<AgentAnswer>> {
  const last = calls.at(-1);
  const now = await store.task(id);
  if (!now.ok) return now;
  if (last === undefined) return ok(answered([], { task: id }));
  const state = now.value?.attempt?.state;
  const before = state?.id === 'working' ? state.signal : undefined;
  const stronger = strongerThan(last, before);
  const counts = stronger === undefined;
  const line = counts ? confirmation(last) : `You said before that ${stronger}: that counts.`;
  return ok(answered([line], { task: id, signal: last.id, counts }));
}

function strongerThan(last: AgentCall, before: EndSignal | undefined): string | undefined {
  if (before === undefined || before.id === last.id || !(last.id in endings)) return undefined;
  return endings[before.id]?.means;
}

const endings: Readonly<Partial<Record<EndSignal['id'], { means: string; noted: string }>>> = {
  complete: {
    means: 'the task is complete',
    noted: 'Noted: the task is complete. End your turn now.',
  },
  'gave-up': { means: 'you give up', noted: 'Noted: you give up. End your turn now.' },
  ask: {
    means: 'you have a question',
    noted: 'The question is noted. End your turn now; the answer comes with the next one.',
  },
};

function confirmation(call: AgentCall): string {
  if (call.id === 'next') {
    return call.ids.length === 0
      ? 'Noted: nothing should come next.'
      : `Noted: next should come ${call.ids.join(', ')}.`;
  }
  return call.id === 'report' ? 'Noted.' : (endings[call.id]?.noted ?? 'Noted.');
}

async function claimed(
  store: Store,
  id: TaskId,
  ids: readonly TaskId[],
): Promise<Result<AgentAnswer>> {
  const answers = await claimAnswers(store, id, ids);
  if (!answers.ok) return answers;
  const lines = answers.value.map((one) =>
    one.claimed
      ? `${one.id}: claimed, it is yours: ${one.title}`
      : `${one.id}: not claimed (${one.reason})`,
  );
  if (answers.value.some((one) => one.claimed)) {
    lines.push('`ym show ID` shows a task whole. What you claimed lands with your own task.');
  }
  return ok(answered(lines, { task: id, claims: answers.value }));
}

/** Files a task for work that the agent found. The same title a second time is the same task. */
async function filed(
  store: Store,
  task: Task,
  { found, after }: Extract<AgentRequest, { id: 'follow-up' }>,
  add: (made: Task) => Promise<Result<unknown>>,
): Promise<Result<AgentAnswer>> {
  for (let tries = 0; tries < idTries; tries += 1) {
    const known = await store.tasks();
    if (!known.ok) return known;
    const ids = new Set(known.value.map((record) => record.task.id));
    const missing = after.find((id) => !ids.has(id));
    if (missing !== undefined) return refused(`there is no task "${missing}"`);
    const label = followUpLabel(task);
    const before = known.value.filter((record) => record.task.labels.includes(label));
    const twin = before.find((record) => record.task.title === found.title);
    if (twin !== undefined) return ok(answered([`Filed before as ${twin.task.id}`], twin.task));
    if (before.length >= limits.followUpsPerTask) {
      return refused(`task ${task.id} has filed ${before.length} tasks, which is the most it may`);
    }
    const draft = followUpTask(found, task, new Set([...ids].map((id) => id.toLowerCase())));
    const made = { ...draft, after: [...new Set([...draft.after, ...after])] };
    const stored = await add(made);
    if (!stored.ok) return stored;
    const kept = await store.task(made.id);
    if (!kept.ok) return kept;
    // Of two tasks under one id the store keeps the first.
    const isKept = kept.value?.task.title === made.title && kept.value.task.labels.includes(label);
    if (isKept) return ok(answered([`Filed ${made.id}`], made));
  }
  return fail({ kind: 'store-busy', file: 'yard.db', waitedMs: 0 });
}

function answered(lines: readonly string[], value: object): AgentAnswer {
  return { ok: true, lines, value };
}

function refused(problem: string): Result<never> {
  const failure: Failure = { kind: 'call-refused', problem };
  return fail(failure);
}

/** Answer to one claimed id, with the text of the task if the agent has it now. */
interface ClaimAnswer extends ClaimResult {
  readonly title?: string;
  readonly body?: string;
}

/** Reads back what became of claims that were stored: only the records say which attempt has a task. */
async function claimAnswers(
  store: Store,
  leader: TaskId,
  ids: readonly TaskId[],
): Promise<Result<readonly ClaimAnswer[]>> {
  const known = await recordsAround(store, leader, ids);
  if (!known.ok) return known;
  const { tasks, run } = known.value;
  const record = tasks.get(leader);
  const attempt = record?.attempt;
  if (record === undefined || attempt === undefined) return ok([]);
  const { results } = claimTasks(asRecords(tasks, run), record, attempt, ids);
  return ok(
    results.map(({ id, reason }) => {
      const task = tasks.get(id)?.task;
      if (attempt.coClaims.includes(id) && task !== undefined) {
        return { id, claimed: true, title: task.title, body: task.body };
      }
      return { id, claimed: false, reason: reason ?? 'it was not free when you asked' };
    }),
  );
}

interface Around {
  readonly tasks: ReadonlyMap<TaskId, TaskRecord>;
  readonly run: RunRecord | undefined;
}

/** The tasks in question and those they wait for. */
async function recordsAround(
  store: Store,
  leader: TaskId,
  ids: readonly TaskId[],
): Promise<Result<Around>> {
  const tasks = new Map<TaskId, TaskRecord>();
  const open: [id: TaskId, parents: boolean][] = [leader, ...ids].map((id) => [id, true]);
  for (const [id, parents] of open) {
    const found = tasks.has(id) ? undefined : await store.task(id);
    if (found?.ok === false) return found;
    if (found?.value === undefined) continue;
    tasks.set(id, found.value);
    if (parents) for (const parent of found.value.task.after) open.push([parent, false]);
  }
  const attempt = tasks.get(leader)?.attempt;
  const run = attempt === undefined ? undefined : await store.run(attempt.run);
  if (run?.ok === false) return run;
  return ok({ tasks, run: run?.value });
}

/** The records as the fold asks for them; what it would write is only looked at. */
function asRecords(tasks: Around['tasks'], run: RunRecord | undefined): Records {
  return {
    task: (id) => tasks.get(id),
    putTask() {},
    children: () => [],
    run: () => run,
    putRun() {},
    putVerdict() {},
    attempt: () => undefined,
    putAttempt() {},
    runHistory: () => undefined,
    putRunHistory() {},
    addStep() {},
    addQueueStep() {},
  };
}
