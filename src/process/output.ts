import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { limits } from '../model/limits.ts';
import type { Redactor } from '../model/redact.ts';
import { visible } from '../model/visible.ts';
import type { ChildFiles } from './child-files.ts';

/** Bytes printed by a child, and when it last printed. */
export interface Printed {
  readonly bytes: number;
  readonly at: number;
}

export function printed(files: Pick<ChildFiles, 'out' | 'err'>): Printed {
  const stats = [files.out, files.err].map((file) => statSync(file, { throwIfNoEntry: false }));
  return {
    bytes: stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0),
    at: stats.reduce((latest, stat) => Math.max(latest, stat?.mtimeMs ?? 0), 0),
  };
}

/**
 * Truncates the output to `bytes`, keeping the beginning, and adds a note. Only for a child that is gone. A stream
 * shorter than half of the limit is kept whole.
 */
export function cutOutput(files: Pick<ChildFiles, 'out' | 'err'>, bytes: number): void {
  const out = statSync(files.out, { throwIfNoEntry: false })?.size ?? 0;
  const err = statSync(files.err, { throwIfNoEntry: false })?.size ?? 0;
  if (out + err <= bytes) return;
  const room = shares(out, err, bytes);
  for (const [file, size, keep] of [
    [files.out, out, room.out],
    [files.err, err, room.err],
  ] as const) {
    if (size <= keep) continue;
    truncateSync(file, keep);
    appendFileSync(file, cutNote(bytes));
  }
}

function cutNote(bytes: number): string {
  return `\n[output cut here: it crossed the limit of ${bytes} bytes]\n`;
}

/**
 * Length of the child's own stdout, at most `bytes`. `isWhole` is false if it was cut, so that the last line may be
 * partial. Only for a child that is gone.
 */
export function ownOutput(
  files: Pick<ChildFiles, 'out' | 'err'>,
  bytes: number,
): { readonly bytes: number; readonly isWhole: boolean } {
  const size = statSync(files.out, { throwIfNoEntry: false })?.size ?? 0;
  const note = Buffer.from(cutNote(bytes));
  if (printed(files).bytes > bytes && size >= note.length) {
    if (note.equals(lastOf(files.out, size, note.length))) {
      return { bytes: size - note.length, isWhole: false };
    }
  }
  return { bytes: Math.min(size, bytes), isWhole: size <= bytes };
}

function lastOf(file: string, size: number, bytes: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const end = Buffer.alloc(bytes);
    return end.subarray(0, readSync(handle, end, 0, bytes, size - bytes));
  } finally {
    closeSync(handle);
  }
}

/** Divides the limit between both streams; one may use what the other leaves. */
function shares(out: number, err: number, bytes: number): { out: number; err: number } {
  const half = Math.ceil(bytes / 2);
  const forOut = Math.min(out, Math.max(bytes - err, half));
  return { out: forOut, err: Math.min(err, bytes - forOut) };
}

/** Last bytes of stdout, then stderr, as redacted text. */
export async function tailOf(
  files: Pick<ChildFiles, 'out' | 'err'>,
  bytes: number,
  redact: Redactor,
): Promise<string> {
  const out = statSync(files.out, { throwIfNoEntry: false })?.size ?? 0;
  const err = statSync(files.err, { throwIfNoEntry: false })?.size ?? 0;
  const room = shares(out, err, bytes);
  const outText = await lastText(files.out, out, room.out, redact);
  const errText = await lastText(files.err, err, room.err, redact);
  // A mark, or an invisible character by its number, is longer than what it stands for.
  const share = shares(Buffer.byteLength(outText), Buffer.byteLength(errText), bytes);
  const parts = [lastBytes(outText, share.out), lastBytes(errText, share.err)].filter(
    (part) => part !== '',
  );
  return parts.map((part, at) => (at < parts.length - 1 ? closed(part) : part)).join('');
}

function closed(part: string): string {
  return part.endsWith('\n') ? part : `${part}\n`;
}

/** Read chunk size. */
const pieceBytes = 64 * 1024;

/** All lines of stdout, then stderr, as redacted text. */
export async function linesOf(
  files: Pick<ChildFiles, 'out' | 'err'>,
  redact: Redactor,
  onLine: (line: string) => void,
): Promise<void> {
  for (const file of [files.out, files.err]) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    const splitter = new Splitter(onLine);
    const pieces = redact.pieces();
    for await (const text of plainPieces(file)) splitter.push(pieces.push(text));
    splitter.push(pieces.end());
    splitter.end();
  }
}

/** Reads a file as plain text. Chunks end at a line break if possible, so that no terminal sequence is cut. */
async function* plainPieces(file: string): AsyncGenerator<string> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(pieceBytes);
    let held = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, pieceBytes, null);
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([held, buffer.subarray(0, bytesRead)]);
      const lineEnd = bytes.lastIndexOf(0x0a) + 1;
      const end = lineEnd > 0 ? lineEnd : bytes.length > pieceBytes ? bytes.length : 0;
      held = bytes.subarray(end);
      if (end > 0) yield plainText(bytes.subarray(0, end));
    }
    if (held.length > 0) yield plainText(held);
  } finally {
    await handle.close();
  }
}

/** Splits chunks of text into lines; a very long line is cut. */
class Splitter {
  readonly #onLine: (line: string) => void;
  #partial = '';
  #hasPartial = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#keep(line);
      this.#passOn();
    }
    if (last !== '') this.#keep(last);
  }

  end(): void {
    if (this.#hasPartial) this.#passOn();
  }

  #keep(text: string): void {
    this.#hasPartial = true;
    this.#partial += text.slice(0, Math.max(0, limits.outputLineChars - this.#partial.length));
  }

  #passOn(): void {
    this.#onLine(this.#partial);
    this.#partial = '';
    this.#hasPartial = false;
  }
}

async function lastText(
  file: string,
  size: number,
  bytes: number,
  redact: Redactor,
): Promise<string> {
  if (bytes <= 0) return '';
  const handle = await open(file, 'r');
  try {
    // A secret may begin before the requested part.
    const from = Math.max(0, size - bytes - limits.redactAheadChars);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    const read = buffer.subarray(0, bytesRead);
    const begin = wholeCharacter(read, Math.max(0, size - bytes - from));
    const ahead = plainText(read.subarray(0, begin), from > 0);
    const text = ahead + plainText(read.subarray(begin));
    return redact.end(text, ahead.length);
  } finally {
    await handle.close();
  }
}

/** The end of a text in whole characters. */
function lastBytes(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  return all.subarray(wholeCharacter(all, all.length - bytes)).toString('utf8');
}

/** First character boundary at or after `at`. */
function wholeCharacter(bytes: Buffer, at: number): number {
  let from = at;
  while (at > 0 && from < at + 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return from;
}

/** Terminal colors: they hold no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a color is switched on by a control character
const color = /\u001b\[[0-9;:]*m/g;

/** Text as it can be displayed: invalid UTF-8 replaced, without colors, what is not seen made visible. */
export function plainText(bytes: Buffer, cutInFront = false): string {
  let from = 0;
  while (cutInFront && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const decoder = new StringDecoder('utf8');
  const text = decoder.write(bytes.subarray(from)) + decoder.end();
  return visible(text.replace(color, '').replace(/\r\n?/g, '\n'));
}
