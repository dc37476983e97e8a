import { basename } from 'node:path';
import { projectRedactor } from '../app/config.ts';
import { decisionsFor, readingTime } from '../app/decide.ts';
import { diffOf } from '../app/diff.ts';
import { explainTask, storyAt } from '../app/explain.ts';
import { type AttemptLog, findLog, growingLog, wholeLog } from '../app/log.ts';
import { recordsAt } from '../app/moment.ts';
import type { Opened } from '../app/ports.ts';
import { promptOf } from '../app/prompt.ts';
import { taskToEdit } from '../app/tasks.ts';
import type { Entry } from '../model/action.ts';
import { isLive } from '../model/attempt-state.ts';
import { defined } from '../model/defined.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { settled } from '../model/trouble.ts';
import type { TaskRecords } from '../port/store.ts';
import { findingText } from '../report/explain/findings.ts';
import { withShortCommits } from '../report/format/time.ts';
import { attemptStory } from '../report/task/attempts.ts';
import { sumOf } from '../report/task/diff.ts';
import { historyLines } from '../report/task/history.ts';
import { isRunning } from '../report/task/running-note.ts';
import { failureView } from '../report/view/failure.ts';
import type { Action } from './action.ts';
import { EntryReader } from './entries.ts';
import type { Past } from './reads.ts';

interface Named {
  readonly attempt?: number;
  readonly turn?: number;
}

/** The project, with the records of now or of a moment of the past. */
type Reads = Omit<Opened, 'store'> & { readonly store: TaskRecords };

/** The story of a task: what `ym why` shows, its text and its attempts; or as it was at a moment of the past. */
export async function taskStory(
  opened: Opened,
  id: TaskId,
  past: Past | undefined,
): Promise<Result<object>> {
  const found =
    past === undefined ? await settled(explainTask(opened, id)) : await storyAt(opened, past, id);
  if (!found.ok) return found;
  const { record, view, steps, unblocks } = found.value;
  const records = past === undefined ? opened.store : recordsAt(opened.store, past.moment);
  const attempts = await records.attempts({ task: id });
  if (!attempts.ok) return attempts;
  const history = historyLines(steps).map(({ failure, text, ...line }) => ({
    ...line,
    text: withShortCommits(text),
    failure: failure && failureView(failure, id),
  }));
  return ok({
    ...view,
    task: record.task,
    history,
    messages: record.messages ?? [],
    ...defined({ unblocks }),
    attemptHistory: attempts.value.map(attemptStory),
    may: past === undefined ? await actionsFor(opened, record) : [],
  });
}

async function actionsFor(opened: Opened, record: TaskRecord): Promise<readonly Action['kind'][]> {
  const { id } = record.task;
  const decisions = await decisionsFor(opened, record);
  const readable = await readingTime(opened, id);
  const editable = await taskToEdit(opened, id);
  const mayComment = record.attempts > 0 && (readable.ok || decisions.includes('reject'));
  return [
    ...decisions,
    ...(readable.ok ? (['tell'] as const) : []),
    ...(mayComment ? (['comment'] as const) : []),
    ...(editable.ok ? (['edit'] as const) : []),
  ];
}

const patchChars = 16 * 1024 * 1024;

/** The diff of an attempt, without secrets, cut at the start of a file if it is very long. */
export async function taskDiff(
  opened: Reads,
  id: TaskId,
  { attempt }: Named,
): Promise<Result<object>> {
  const found = await diffOf(opened, id, attempt);
  if (!found.ok) return found;
  const { patch, files, ...work } = found.value;
  const end = patch.length > patchChars ? patch.lastIndexOf('\ndiff --git ', patchChars) + 1 : -1;
  const shown = projectRedactor(opened).whole(end < 0 ? patch : patch.slice(0, end));
  return ok({ ...work, files, ...sumOf(files), patch: shown, cut: end >= 0 });
}

/** Output files of this many turns are kept in memory. */
const keptLogs = 4;

interface ReadEntries {
  readonly key: string;
  readonly entries: readonly Entry[];
}

/** Entries of the output of turns. The newest ones are kept, since a page asks for one after the other. */
export class Logs {
  #kept: readonly ReadEntries[] = [];

  async entries(
    opened: Reads,
    id: TaskId,
    { attempt, turn }: Named,
    {
      from: wanted,
      limit,
      isPast,
    }: { readonly from?: number; readonly limit: number; readonly isPast: boolean },
  ): Promise<Result<object>> {
    const log = await findLog(opened, id, { shows: 'newest', attempt, turn });
    if (!log.ok) return log;
    const record = await opened.store.task(id);
    if (!record.ok) return record;
    const newest = record.value?.attempt;
    const isWritten =
      newest !== undefined && newest.number === log.value.attempt && isLive(newest.state);
    const entries = await this.#read(opened, log.value, isWritten);
    const from = Math.max(0, Math.min(wanted ?? entries.length - limit, entries.length));
    const part = basename(log.value.files[0] ?? '');
    const shown = Number(/-(\d+)/.exec(part)?.[1] ?? 0);
    const attempts = await opened.store.attempts({ task: id });
    if (!attempts.ok) return attempts;
    const attemptShown = attempts.value.find(({ number }) => number === log.value.attempt);
    const wasRunning = isPast && isRunning(attemptShown, shown);
    return ok({
      task: id,
      attempt: log.value.attempt,
      turn: shown,
      from,
      entries: entries.slice(from, from + limit),
      total: entries.length,
      isLive: isWritten && !isPast,
      ...(wasRunning ? { wasRunning } : {}),
    });
  }

  async #read(opened: Reads, log: AttemptLog, isWritten: boolean): Promise<readonly Entry[]> {
    const key = log.files.join();
    const known = this.#kept.find((one) => one.key === key);
    if (known !== undefined) return known.entries;
    const growing = await growingLog(opened, log.files, { raw: false, bytes: 0 });
    const entries: Entry[] = [];
    const reader = new EntryReader(growing);
    for (const part of reader.more()) entries.push(...part);
    for (const part of reader.end()) entries.push(...part);
    if (!isWritten) this.#kept = [...this.#kept, { key, entries }].slice(-keptLogs);
    return entries;
  }
}

const gateBytes = 256 * 1024;

/** The end of the gate's output on the work of an attempt. */
export async function gateOutput(
  opened: Reads,
  id: TaskId,
  named: Named,
  isPast: boolean,
): Promise<Result<object>> {
  const record = await opened.store.task(id);
  if (!record.ok) return record;
  const newest = record.value?.attempt;
  const isOpen =
    newest !== undefined &&
    isLive(newest.state) &&
    newest.number === (named.attempt ?? newest.number);
  // The gate may have run later: its files do not say when.
  if (isPast && isOpen && (named.turn ?? 0) >= newest.conversation.turns) {
    return usage(
      'the gate may have run after this moment, so its output is not shown',
      'Choose a later moment, or the present.',
    );
  }
  const log = await findLog(opened, id, { shows: 'gate', ...named });
  if (!log.ok) return log;
  const files = await wholeLog(opened, log.value, { raw: true, bytes: gateBytes });
  if (!files.ok) return files;
  const shown = files.value.map((file) => {
    const text = 'text' in file ? file.text : '';
    return { name: file.file, text, cut: text.length >= gateBytes };
  });
  return ok({ task: id, attempt: log.value.attempt, files: shown });
}

export async function turnPrompt(opened: Reads, id: TaskId, named: Named): Promise<Result<object>> {
  const prompt = await promptOf(opened, id, named);
  if (!prompt.ok) return prompt;
  const { task, attempt, turn, text } = prompt.value;
  return ok({ task, attempt, files: [{ name: `turn-${turn}.prompt.md`, text, cut: false }] });
}

/** Answers of reviewers and critics about an attempt, oldest first. */
export async function taskReviews(
  opened: Opened,
  id: TaskId,
  { attempt: named }: Named,
  past: Past | undefined,
): Promise<Result<object>> {
  const found =
    past === undefined ? await settled(explainTask(opened, id)) : await storyAt(opened, past, id);
  if (!found.ok) return found;
  const attempt = named ?? found.value.record.attempts;
  const rounds = found.value.steps.flatMap(({ attempt: of, what }) => {
    if (of !== attempt || what.type !== 'call-ended') return [];
    const { call, result } = what;
    const { kind, round, agent } = call;
    const findings = 'findings' in result ? result.findings.map(findingText) : [];
    const answer = !result.ok ? 'failed' : 'verdict' in result ? result.verdict : 'rewritten';
    return [{ kind, round, agent, answer, findings }];
  });
  return ok({ task: id, attempt, rounds });
}
