import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attemptDir, runsDir } from '../files/layout.ts';
import { unpackFolder } from '../files/old-files.ts';
import type { Entry } from '../model/action.ts';
import { isLive } from '../model/attempt-state.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Usage } from '../model/turn.ts';
import type { TaskRecords } from '../port/store.ts';
import { projectRedactor } from './config.ts';
import { type FilePart, LogFile, type ReadOptions } from './log-file.ts';
import { taskNamed } from './lookup.ts';
import {
  gateOf,
  inOrder,
  type OutputFilter,
  type OutputKind,
  printedFiles,
} from './output-files.ts';
import type { Opened } from './ports.ts';
import { seeVariants } from './see-variants.ts';

type Ports = Pick<Opened, 'dir' | 'root' | 'env' | 'clock' | 'transcripts' | 'fetchFiles'> & {
  readonly store: TaskRecords;
};

/** Output of the processes of an attempt, from the files that they wrote. */
export interface AttemptLog {
  readonly task: TaskId;
  readonly attempt: number;
  /** The requested attempt. Its gate may have no output; then `attempt` is an earlier one. */
  readonly requested: number;
  readonly filter: OutputFilter;
  readonly files: readonly string[];
  /** Steps before the first agent whose output this is; empty if it is the output of the agent or the gate. */
  readonly before: readonly ('check' | 'set-up')[];
}

type LogRequest = OutputFilter & { readonly attempt?: number };

/** Waits for the first output of an attempt that is live itself, then finds it like `findLog`. */
export async function awaitLog(
  ports: Pick<Ports, 'store' | 'dir' | 'fetchFiles'> & {
    readonly clock: Pick<Ports['clock'], 'sleep'>;
  },
  task: TaskId,
  request: LogRequest,
): Promise<Result<AttemptLog>> {
  for (;;) {
    const record = await ports.store.task(task);
    if (!record.ok) return record;
    // Read before the files: an attempt may end in between, and then its output is there.
    const { attempt } = record.value ?? {};
    const found = await settled(findLog(ports, task, request));
    const isAsked = request.attempt === undefined || request.attempt === attempt?.number;
    const mayCome = attempt !== undefined && isLive(attempt.state) && isAsked;
    if (!mayCome || found.ok) return found;
    await ports.clock.sleep(limits.followMs);
  }
}

/** Finds the output of an attempt; without `attempt`, of the newest one. */
export async function findLog(
  { store, dir, fetchFiles }: Pick<Ports, 'dir' | 'fetchFiles'> & { readonly store: TaskRecords },
  task: TaskId,
  { attempt: asked, ...filter }: LogRequest,
): Promise<Result<AttemptLog>> {
  const record = await taskNamed(store, task);
  if (!record.ok) return record;
  const attempts = await store.attempts({ task });
  if (!attempts.ok) return attempts;
  const { shows } = filter;
  const requested = asked ?? record.value.attempts;
  const { variants } = record.value;
  if (record.value.attempts === 0 && variants !== undefined) {
    return seeVariants(record.value, variants, 'output', (id) => `See \`ym log ${id}\`.`);
  }
  let nothing = requested === 0 ? `no attempt at "${task}" has started yet` : undefined;
  // A cached verdict has no output; that of an earlier attempt explains it.
  const last = asked === undefined && shows === 'gate' ? 1 : requested;
  for (let attempt = requested; attempt >= last; attempt -= 1) {
    const found = attempts.value.find(({ number }) => number === attempt);
    const printed = await printedBy({ dir, fetchFiles }, found, filter);
    if (!printed.ok) return printed;
    const { files, before } = printed.value;
    if (files.length > 0) return ok({ task, attempt, requested, filter, files, before });
    nothing ??= printed.value.nothing;
  }
  const { attempt } = record.value;
  const mayCome = attempt !== undefined && attempt.number === requested && isLive(attempt.state);
  const remedy =
    mayCome && shows === 'newest'
      ? `\`ym log ${task} -f\` waits for it.`
      : `See \`ym why ${task}\`.`;
  return usage(nothing ?? nothingOf[shows], remedy);
}

const nothingOf: Readonly<Record<OutputKind, string>> = {
  newest: 'there is no output yet',
  gate: 'its gate has no output yet',
  review: 'its reviewers have no output yet',
  critique: 'its critique has no output yet',
};

/** Output files of an attempt; `nothing` explains why there are none. */
async function printedBy(
  place: Pick<Ports, 'dir' | 'fetchFiles'>,
  record: AttemptRecord | undefined,
  filter: OutputFilter,
): Promise<Result<Pick<AttemptLog, 'files' | 'before'> & { readonly nothing: string }>> {
  if (record === undefined) {
    return ok({ files: [], before: [], nothing: nothingOf[filter.shows] });
  }
  const run = record.runs[0] ?? '';
  const fetched = await place.fetchFiles(run);
  if (!fetched.ok) return fetched;
  const dir = attemptDir(place, run, record.task, record.number);
  const names = await unpackedNames(dir);
  const own = printedFiles(names, record, filter).map((name) => join(dir, name));
  const isWaiting = filter.shows === 'newest' && record.turns.length + record.calls.length === 0;
  const isBefore = own.length === 0 && isWaiting;
  const check = isBefore ? await checkFiles(place, record) : [];
  const setUp = isBefore ? printedBefore(names).map((name) => join(dir, name)) : [];
  const files =
    filter.shows === 'gate'
      ? await outcomeOf(judgedInQueue(place, record, filter, own))
      : ok([...own, ...check, ...setUp]);
  if (!files.ok) return files;
  const isPruned = !existsSync(join(runsDir(place), run));
  const nothing = isPruned ? `the files of run ${run} were pruned` : nothingOf[filter.shows];
  const before = [
    ...(check.length > 0 ? (['check'] as const) : []),
    ...(setUp.length > 0 ? (['set-up'] as const) : []),
  ];
  return ok({ files: files.value, before, nothing });
}

/** Output of the newest check of the target in the run of an attempt: its first agent starts after that. */
async function checkFiles(
  place: { readonly dir: string },
  { runs }: AttemptRecord,
): Promise<readonly string[]> {
  const dir = join(runsDir(place), runs.at(-1) ?? '', 'targets');
  const checks = existsSync(dir) ? readdirSync(dir) : [];
  const newest = checks.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).at(-1);
  if (newest === undefined) return [];
  for (const folder of [join(dir, newest), join(dir, newest, 'before')]) {
    const names = await outcomeOf(unpackedNames(folder));
    const printed = names.ok ? printedBefore(names.value) : [];
    if (printed.length > 0) return printed.map((name) => join(folder, name));
  }
  return [];
}

/** Output files of set-up commands, then of the commands that run after them. */
function printedBefore(names: readonly string[]): readonly string[] {
  const of = (kind: RegExp) => inOrder(names.filter((name) => kind.test(name)));
  return [...of(/^setup-.*\.out$/), ...of(/^(before|gate)-.*\.out$/)];
}

/** Output of the merge queue's gate on the attempt's work, if it is newer than that of the attempt's own gate. */
async function judgedInQueue(
  place: { readonly dir: string },
  { prefixes }: AttemptRecord,
  { turn }: OutputFilter,
  found: readonly string[],
): Promise<readonly string[]> {
  const least = turn ?? Math.max(0, ...found.map(gateOf));
  const later = prefixes
    .flatMap(({ run, candidate, gates }) => gates.map((gate) => ({ run, candidate, ...gate })))
    .filter((gate) => (turn === undefined ? gate.turn >= least : gate.turn === turn));
  for (const { run, candidate, count } of later.toReversed()) {
    const dir = join(runsDir(place), run, 'candidates', `${candidate}-${count}`);
    const names = await unpackedNames(dir);
    const printed = names.filter((name) => /^gate-.*\.(?:out|err)$/.test(name));
    // A cached verdict has no output.
    if (printed.length > 0) return inOrder(printed).map((name) => join(dir, name));
  }
  return found;
}

async function unpackedNames(dir: string): Promise<readonly string[]> {
  await unpackFolder(dir);
  return existsSync(dir) ? readdirSync(dir) : [];
}

/** Next part of a log, without secrets. */
export type LogPart =
  | FilePart
  /** The log of the agent, which comes after what it waited for. */
  | { readonly id: 'next'; readonly log: AttemptLog }
  /** End of an attempt that was followed, with the task as it is now; undefined if it is gone. */
  | { readonly id: 'over'; readonly record: TaskRecord | undefined };

/**
 * Reads a log up to the current end of its files; with `follow` until the attempt is over. After the check of the
 * target and the set-up, the agent's log is followed.
 */
export async function* readLog(
  ports: Ports,
  found: AttemptLog,
  { follow, ...options }: ReadOptions & { readonly follow: boolean },
): AsyncGenerator<Result<LogPart>> {
  const { task, attempt } = found;
  const open = (files: readonly string[]): Promise<GrowingLog> =>
    growingLog(ports, files, options, follow ? ports.clock.now : undefined);
  let shown = found;
  let logs = [await open(shown.files)];
  for (;;) {
    for (const log of logs) for (const part of log.more()) yield ok(part);
    if (!follow) break;
    const record = await ports.store.task(task);
    if (!record.ok) return yield record;
    const { attempt: newest } = record.value ?? {};
    if (newest?.number !== attempt || !isLive(newest.state)) {
      for (const log of logs) for (const part of log.end()) yield ok(part);
      return yield ok({ id: 'over', record: record.value });
    }
    const next = await nextLog(ports, shown);
    if (next === undefined) {
      await ports.clock.sleep(limits.followMs);
      continue;
    }
    if (next.before.length === 0) {
      for (const log of logs) for (const part of [...log.more(), ...log.end()]) yield ok(part);
      logs = [];
      yield ok({ id: 'next', log: next });
    }
    logs.push(await open(next.files.filter((file) => !shown.files.includes(file))));
    shown = next;
  }
  for (const log of logs) for (const part of log.end()) yield ok(part);
}

/** The log that comes after output of the check or the set-up, once it has a file that is not shown. */
async function nextLog(ports: Ports, shown: AttemptLog): Promise<AttemptLog | undefined> {
  const { task, attempt, filter, files, before } = shown;
  if (before.length === 0) return undefined;
  // There is no output at all between the start of the agent and its first file.
  const next = await settled(findLog(ports, task, { ...filter, attempt }));
  const isNew = next.ok && next.value.files.some((file) => !files.includes(file));
  return isNew ? next.value : undefined;
}

/** Files of a log that may grow. */
export interface GrowingLog {
  /** Parts that were written since the last call. */
  more(): Generator<FilePart>;
  /** Remaining parts; call it once the file grows no more. */
  end(): Generator<FilePart>;
}

/** Opens files of a log. With `now`, the duration of calls is measured if the stream has no times. */
export async function growingLog(
  ports: Pick<Ports, 'root' | 'env' | 'transcripts'>,
  files: readonly string[],
  options: ReadOptions,
  now?: () => number,
): Promise<GrowingLog> {
  const redact = projectRedactor(ports);
  const transcript = await ports.transcripts();
  const reading = { redact, transcript, now };
  const logs = files.map((file) => new LogFile(file, options, reading));
  return {
    *more() {
      for (const log of logs) yield* log.more();
    },
    *end() {
      for (const log of logs) yield* log.end();
    },
  };
}

/** A file of a log as a whole. */
export type WholeFile =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly entries: readonly Entry[]; readonly usage?: Usage };

/** All files of a log up to their current end. */
export async function wholeLog(
  ports: Ports,
  log: AttemptLog,
  options: ReadOptions,
): Promise<Result<readonly WholeFile[]>> {
  const read = log.files.map((path) => ({
    file: basename(path),
    text: '',
    entries: [] as Entry[],
  }));
  const streams = new Map<string, Usage | undefined>();
  for await (const part of readLog(ports, log, { bytes: 0, ...options, follow: false })) {
    if (!part.ok) return part;
    const { value } = part;
    if (!('file' in value)) continue;
    const into = read.find(({ file }) => file === value.file);
    if (into === undefined) continue;
    if (value.id === 'text') into.text += value.text;
    else if (value.id === 'entries') into.entries.push(...value.entries);
    else {
      into.entries.push(...value.open.map((call) => ({ id: 'tool', call }) as const));
      streams.set(into.file, value.usage);
    }
  }
  return ok(
    read.map(({ file, text, entries }) =>
      streams.has(file) ? { file, entries, usage: streams.get(file) } : { file, text },
    ),
  );
}
