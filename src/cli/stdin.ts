import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';

export function readStdin(): Promise<string> {
  return text(process.stdin);
}

/** The text argument after a task id, or standard input if it is `-`. `name` is used in messages. */
export async function textArgument(word: string, name: string): Promise<Result<string>> {
  const given = (word === '-' ? await readStdin() : word).trim();
  if (given === '') return usage(`${name} is empty`, 'Write it after the id of the task.');
  if (given.length > limits.bodyChars) {
    return usage(`${name} is longer than ${limits.bodyChars} characters`, 'Shorten it.');
  }
  return ok(given);
}

/** The text of a stream; undefined, without reading the rest, if it has more than `chars` characters. */
export async function readUpTo(stream: Readable, chars: number): Promise<string | undefined> {
  stream.setEncoding('utf8');
  let read = '';
  for await (const piece of stream) {
    read += String(piece);
    if (read.length > chars) return undefined;
  }
  return read;
}

/** True if the user can be asked: input and output are a terminal, and `CI` is not set. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;
}
