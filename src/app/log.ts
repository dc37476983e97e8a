import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { attemptDir, runsDir } from '../files/layout.ts';
import { unpackFolder } from '../files/old-files.ts';
import type { Entry, ToolCall } from '../model/action.ts';
import { isLive } from '../model/attempt-state.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { AttemptRecord } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Usage } from '../model/turn.ts';
import type { TaskRecords } from '../port/store.ts';
import type { Transcript } from '../report/task/transcript.ts';
import { projectRedactor, type RedactedPieces, type Redactor } from './config.ts';
import { taskNamed } from './lookup.ts';
import {
  gateOf,
  inOrder,
  type OutputFilter,
  type OutputKind,
  printedFiles,
} from './output-files.ts';
import type { Opened } from './ports.ts';

type Ports = Pick<
  Opened,
  'store' | 'dir' | 'root' | 'env' | 'clock' | 'transcripts' | 'fetchFiles'
>;

/** Output of the processes of an attempt, from the files that they wrote. */
export interface AttemptLog {
  readonly task: TaskId;
  readonly attempt: number;
  /** The requested attempt. Its gate may have no output; then `attempt` is an earlier one. */
  readonly requested: number;
  readonly shows: OutputKind;
  readonly files: readonly string[];
}

type LogRequest = OutputFilter & { readonly attempt?: number };

/** Waits for the first output of an attempt that is live, then finds it like `findLog`. */
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
    const found = await findLog(ports, task, request);
    const isAsked = request.attempt === undefined || request.attempt === attempt?.number;
    const mayCome = attempt !== undefined && isLive(attempt.state) && isAsked;
    if (found.ok || !mayCome) return found;
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
  let nothing = requested === 0 ? `no attempt at "${task}" has started yet` : undefined;
  // A cached verdict has no output; that of an earlier attempt explains it.
  const last = asked === undefined && shows === 'gate' ? 1 : requested;
  for (let attempt = requested; attempt >= last; attempt -= 1) {
    const found = attempts.value.find(({ number }) => number === attempt);
    const printed = await printedBy({ dir, fetchFiles }, found, filter);
    if (!printed.ok) return printed;
    const { files } = printed.value;
    if (files.length > 0) return ok({ task, attempt, requested, shows, files });
    nothing ??= printed.value.nothing;
  }
  return fail({
    kind: 'usage',
    problem: nothing ?? nothingOf[shows],
    remedy: `See \`ym why ${task}\`.`,
  });
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
): Promise<Result<{ readonly files: readonly string[]; readonly nothing: string }>> {
  if (record === undefined) return ok({ files: [], nothing: nothingOf[filter.shows] });
  const run = record.runs[0] ?? '';
  const fetched = await place.fetchFiles(run);
  if (!fetched.ok) return fetched;
  const dir = attemptDir(place, run, record.task, record.number);
  const names = await unpackedNames(dir);
  if (!names.ok) return names;
  const found = printedFiles(names.value, record, filter).map((name) => join(dir, name));
  const files =
    filter.shows === 'gate' ? await judgedInQueue(place, record, filter, found) : ok(found);
  if (!files.ok) return files;
  const isPruned = !existsSync(join(runsDir(place), run));
  const nothing = isPruned ? `the files of run ${run} were pruned` : nothingOf[filter.shows];
  return ok({ files: files.value, nothing });
}

/** Output of the merge queue's gate on the attempt's work, if it is newer than that of the attempt's own gate. */
async function judgedInQueue(
  place: { readonly dir: string },
  { prefixes }: AttemptRecord,
  { turn }: OutputFilter,
  found: readonly string[],
): Promise<Result<readonly string[]>> {
  const least = turn ?? Math.max(0, ...found.map(gateOf));
  const later = prefixes
    .flatMap(({ run, candidate, gates }) => gates.map((gate) => ({ run, candidate, ...gate })))
    .filter((gate) => (turn === undefined ? gate.turn >= least : gate.turn === turn));
  for (const { run, candidate, count } of later.toReversed()) {
    const dir = join(runsDir(place), run, 'candidates', `${candidate}-${count}`);
    const names = await unpackedNames(dir);
    if (!names.ok) return names;
    const printed = names.value.filter((name) => /^gate-.*\.(?:out|err)$/.test(name));
    // A cached verdict has no output.
    if (printed.length > 0) return ok(inOrder(printed).map((name) => join(dir, name)));
  }
  return ok(found);
}

async function unpackedNames(dir: string): Promise<Result<readonly string[]>> {
  const unpacked = await unpackFolder(dir);
  if (!unpacked.ok) return unpacked;
  return ok(existsSync(dir) ? readdirSync(dir) : []);
}

export interface ReadOptions {
  /** Returns text as it is, even if it is the stream of a known agent. */
  readonly raw: boolean;
  /** Only the last bytes of each file; 0 means all. Without it, the end of a text and the whole of a stream. */
  readonly bytes?: number;
}

/** Next part of a file of a log, without secrets. */
export type LogPart =
  | { readonly id: 'text'; readonly file: string; readonly text: string }
  | { readonly id: 'entries'; readonly file: string; readonly entries: readonly Entry[] }
  /** End of a stream: calls that have not ended, and its usage. */
  | {
      readonly id: 'end';
      readonly file: string;
      readonly open: readonly ToolCall[];
      readonly usage?: Usage;
    }
  /** End of an attempt that was followed, with the task as it is now; undefined if it is gone. */
  | { readonly id: 'over'; readonly record: TaskRecord | undefined };

export type FilePart = Exclude<LogPart, { id: 'over' }>;

/** Reads a log up to the current end of its files; with `follow` until the attempt is over. */
export async function* readLog(
  ports: Ports,
  { task, attempt, files }: AttemptLog,
  { follow, ...options }: ReadOptions & { readonly follow: boolean },
): AsyncGenerator<Result<LogPart>> {
  const log = await growingLog(ports, files, options, follow ? ports.clock.now : undefined);
  for (;;) {
    for (const part of log.more()) yield ok(part);
    if (!follow) break;
    const record = await ports.store.task(task);
    if (!record.ok) return yield record;
    const { attempt: newest } = record.value ?? {};
    if (newest?.number === attempt && isLive(newest.state)) {
      await ports.clock.sleep(limits.followMs);
      continue;
    }
    for (const part of log.end()) yield ok(part);
    return yield ok({ id: 'over', record: record.value });
  }
  for (const part of log.end()) yield ok(part);
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
  const reading = { redact, transcript, ...given({ now }) };
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
    const into = value.id === 'over' ? undefined : read.find(({ file }) => file === value.file);
    if (into === undefined || value.id === 'over') continue;
    if (value.id === 'text') into.text += value.text;
    else if (value.id === 'entries') into.entries.push(...value.entries);
    else {
      into.entries.push(...value.open.map((call) => ({ id: 'tool', call }) as const));
      streams.set(into.file, value.usage);
    }
  }
  return ok(
    read.map(({ file, text, entries }) =>
      streams.has(file)
        ? { file, entries, ...given({ usage: streams.get(file) }) }
        : { file, text },
    ),
  );
}

const pieceBytes = 64 * 1024;
const textBytes = 64 * 1024;

interface Reading {
  readonly redact: Redactor;
  readonly transcript: () => Transcript;
  /** Measures the duration of calls if the stream has no times. */
  readonly now?: () => number;
}

/** Reads a file from an offset on, and again when it has grown. */
class LogFile {
  readonly #path: string;
  readonly #words = new StringDecoder('utf8');
  readonly #pieces: RedactedPieces;
  readonly #stream: Transcript | undefined;
  readonly #now: (() => number) | undefined;
  readonly #begun = new Map<string, number>();
  #at: number;
  /** Start of a line of a stream whose end is not read yet. */
  #rest = '';

  constructor(path: string, { raw, bytes }: ReadOptions, { redact, transcript, now }: Reading) {
    this.#path = path;
    this.#pieces = redact.pieces();
    this.#now = now;
    this.#stream = !raw && isStream(path, transcript()) ? transcript() : undefined;
    // A stream is read from its start: half of a turn cannot be understood.
    const limit = bytes ?? (this.#stream === undefined ? textBytes : 0);
    this.#at = limit === 0 ? 0 : Math.max(0, statSync(path).size - limit);
  }

  /** Reads up to the current end, in pieces, so that a large file needs little memory. */
  *more(): Generator<FilePart> {
    const fd = openSync(this.#path, 'r');
    const piece = Buffer.alloc(pieceBytes);
    try {
      for (;;) {
        const read = readSync(fd, piece, 0, piece.length, this.#at);
        if (read === 0) return;
        this.#at += read;
        yield* this.#part(this.#pieces.push(this.#words.write(piece.subarray(0, read))));
      }
    } finally {
      closeSync(fd);
    }
  }

  /** Flushes text that was held back because it might have been the start of a secret. */
  *end(): Generator<FilePart> {
    yield* this.#part(this.#pieces.push(this.#words.end()) + this.#pieces.end());
    if (this.#stream === undefined) return;
    if (this.#rest !== '') yield* this.#part('\n');
    const open = this.#stream.open();
    yield {
      id: 'end',
      file: basename(this.#path),
      open,
      ...given({ usage: this.#stream.usage() }),
    };
  }

  *#part(text: string): Generator<FilePart> {
    const file = basename(this.#path);
    if (this.#stream === undefined) {
      if (text !== '') yield { id: 'text', file, text };
      return;
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const stream = this.#stream;
    const entries = lines.flatMap((line) => {
      const found = stream.line(line).map((entry) => this.#timed(entry));
      if (this.#now !== undefined) {
        for (const { key } of stream.open()) {
          if (!this.#begun.has(key)) this.#begun.set(key, this.#now());
        }
      }
      return found;
    });
    if (entries.length > 0) yield { id: 'entries', file, entries };
  }

  #timed(entry: Entry): Entry {
    if (entry.id !== 'tool') return entry;
    const { key, outcome } = entry.call;
    const since = this.#begun.get(key);
    this.#begun.delete(key);
    if (this.#now === undefined || outcome === undefined) return entry;
    if (outcome.ms !== undefined || since === undefined) return entry;
    return {
      id: 'tool',
      call: { ...entry.call, outcome: { ...outcome, ms: this.#now() - since } },
    };
  }
}

/** True if an agent's output is a stream that can be understood, by its start. */
function isStream(file: string, transcript: Transcript): boolean {
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(pieceBytes);
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    for (const line of bytes.subarray(0, read).toString('utf8').split('\n')) transcript.line(line);
    return transcript.isStream;
  } finally {
    closeSync(fd);
  }
}
