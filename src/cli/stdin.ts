import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

export function readStdin(): Promise<string> {
  return text(process.stdin);
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
