import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Entry, ToolCall } from '../model/action.ts';
import type { Usage } from '../model/turn.ts';
import type { Transcript } from '../report/task/transcript.ts';
import type { RedactedPieces, Redactor } from './config.ts';

export interface ReadOptions {
  /** Returns text as it is, even if it is the stream of a known agent. */
  readonly raw: boolean;
  /** Only the last bytes of each file; 0 means all. Without it, the end of a text and the whole of a stream. */
  readonly bytes?: number;
}

/** Next part of a file of a log, without secrets. */
export type FilePart =
  | { readonly id: 'text'; readonly file: string; readonly text: string }
  | { readonly id: 'entries'; readonly file: string; readonly entries: readonly Entry[] }
  /** End of a stream: calls that have not ended, and its usage. */
  | {
      readonly id: 'end';
      readonly file: string;
      readonly open: readonly ToolCall[];
      readonly usage?: Usage;
    };

const pieceBytes = 64 * 1024;
const textBytes = 64 * 1024;

export interface Reading {
  readonly redact: Redactor;
  readonly transcript: () => Transcript;
  /** Measures the duration of calls if the stream has no times. */
  readonly now?: () => number;
}

/** Reads a file from an offset on, and again when it has grown. */
export class LogFile {
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
      usage: this.#stream.usage(),
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
