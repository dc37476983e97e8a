import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { RedactedPieces, Redactor } from '../app/config.ts';
import { callLine, usageLine } from '../report/task/transcript.ts';
import { type Entry, Transcript } from '../wire/agent-output.ts';

const pieceBytes = 64 * 1024;

/** Receives the text of a file as it is read, without secrets. */
export interface Sink {
  push(text: string): void;
  end(): void;
}

/** Prints the text unchanged. */
export const asText: Sink = {
  push: (text) => void process.stdout.write(text),
  end: () => undefined,
};

/** Offset from which at most `limit` bytes remain; 0 means no limit. */
export function startOf(file: string, limit: number): number {
  if (limit === 0) return 0;
  const fd = openSync(file, 'r');
  try {
    return Math.max(0, fstatSync(fd).size - limit);
  } finally {
    closeSync(fd);
  }
}

/** Reads a file from an offset on, and again when it has grown. Removes secrets. */
export class Shown {
  readonly sink: Sink;
  readonly #file: string;
  readonly #words = new StringDecoder('utf8');
  readonly #pieces: RedactedPieces;
  #at: number;

  constructor(file: string, from: number, redact: Redactor, sink: Sink) {
    this.sink = sink;
    this.#file = file;
    this.#at = from;
    this.#pieces = redact.pieces();
  }

  /** Reads up to the current end, in pieces, so that a large file needs little memory. */
  more(): void {
    const fd = openSync(this.#file, 'r');
    const piece = Buffer.alloc(pieceBytes);
    try {
      for (;;) {
        const read = readSync(fd, piece, 0, piece.length, this.#at);
        if (read === 0) return;
        this.#at += read;
        this.sink.push(this.#pieces.push(this.#words.write(piece.subarray(0, read))));
      }
    } finally {
      closeSync(fd);
    }
  }

  /** Flushes text that was held back because it might have been the start of a secret. */
  end(): void {
    this.sink.push(this.#pieces.push(this.#words.end()) + this.#pieces.end());
    this.sink.end();
  }
}

/** Splits text that arrives in pieces into lines. */
class Lines {
  #rest = '';

  push(text: string): readonly string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }

  end(): readonly string[] {
    return this.#rest === '' ? [] : [this.#rest];
  }
}

/** Renders the stream of an agent: its text, one line for each tool call, and its usage at the end. */
export class Rendered implements Sink {
  readonly #transcript = new Transcript();
  readonly #lines = new Lines();
  readonly #live: boolean;
  readonly #begun = new Map<string, number>();
  /** True if the last output is text that may continue on the same line. */
  #within = false;

  /** `live`: measures the duration of calls if the stream has no times. */
  constructor(live: boolean) {
    this.#live = live;
  }

  push(text: string): void {
    for (const line of this.#lines.push(text)) this.#line(line);
  }

  end(): void {
    for (const line of this.#lines.end()) this.#line(line);
    for (const call of this.#transcript.open()) this.#show(callLine(call));
    const usage = this.#transcript.usage();
    if (usage !== undefined) this.#show(usageLine(usage));
    if (this.#within) process.stdout.write('\n');
  }

  #line(line: string): void {
    for (const entry of this.#transcript.line(line)) this.#entry(entry);
    if (!this.#live) return;
    for (const { key } of this.#transcript.open()) {
      if (!this.#begun.has(key)) this.#begun.set(key, Date.now());
    }
  }

  #entry(entry: Entry): void {
    if (entry.id === 'tool') return this.#show(callLine(this.#timed(entry.call)));
    if (entry.id === 'line') return entry.text.trim() === '' ? undefined : this.#show(entry.text);
    if (!entry.piece) return this.#show(entry.text.trimEnd());
    process.stdout.write(entry.text);
    this.#within = !entry.text.endsWith('\n');
  }

  #timed(call: Extract<Entry, { id: 'tool' }>['call']): typeof call {
    const since = this.#begun.get(call.key);
    this.#begun.delete(call.key);
    const { outcome } = call;
    if (outcome === undefined || outcome.ms !== undefined || since === undefined) return call;
    return { ...call, outcome: { ...outcome, ms: Date.now() - since } };
  }

  #show(text: string): void {
    process.stdout.write(`${this.#within ? '\n' : ''}${text}\n`);
    this.#within = false;
  }
}

/** Collects the output for `--json`. */
export class Collected implements Sink {
  readonly #file: string;
  readonly #transcript: Transcript | undefined;
  readonly #lines = new Lines();
  readonly #entries: Entry[] = [];
  #text = '';

  constructor(file: string, stream: boolean) {
    this.#file = file;
    this.#transcript = stream ? new Transcript() : undefined;
  }

  push(text: string): void {
    if (this.#transcript === undefined) this.#text += text;
    for (const line of this.#lines.push(text)) this.#line(line);
  }

  end(): void {
    for (const line of this.#lines.end()) this.#line(line);
  }

  #line(line: string): void {
    if (this.#transcript !== undefined) this.#entries.push(...this.#transcript.line(line));
  }

  value() {
    if (this.#transcript === undefined) return { file: this.#file, text: this.#text };
    const usage = this.#transcript.usage();
    const open = this.#transcript.open().map((call) => ({ id: 'tool', call }) as const);
    return {
      file: this.#file,
      entries: [...this.#entries, ...open],
      ...(usage === undefined ? {} : { usage }),
    };
  }
}
