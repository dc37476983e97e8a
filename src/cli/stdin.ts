import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';

export function readStdin(): Promise<string> {
  return text(process.stdin);
}

/** A text behind the id of a task, or from standard input where that is `-`. `name` is what it is called. */
export async function textArgument(word: string, name: string): Promise<Result<string>> {
  const given = (word === '-' ? await readStdin() : word).trim();
  const usage = (problem: string, remedy: string): Result<never> =>
    fail({ kind: 'usage', problem, remedy });
  if (given === '') return usage(`${name} is empty`, 'Write it after the id of the task.');
  if (given.length > limits.bodyChars) {
    return usage(`${name} is longer than ${limits.bodyChars} characters`, 'Shorten it.');
  }
  return ok(given);
}

/** The text of a stream, or undefined as soon as it has more characters; the rest is not read. */
export async function readUpTo(stream: Readable, chars: number): Promise<string | undefined> {
  stream.setEncoding('utf8');
  let read = '';
  for await (const piece of stream) {
    read += String(piece);
    if (read.length > chars) return undefined;
  }
  return read;
}
