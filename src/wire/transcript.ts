import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Transcript } from '../agent/transcript.ts';

export { type Entry, Transcript } from '../agent/transcript.ts';

/** Bytes read from the start of a file to recognize a stream. */
const peekBytes = 64 * 1024;

/** True if an agent's output is a stream that can be rendered. */
export function isStreamFile(file: string): boolean {
  const transcript = new Transcript();
  for (const line of headOf(file).split('\n')) transcript.line(line);
  return transcript.isStream;
}

function headOf(file: string): string {
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, peekBytes));
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    return bytes.subarray(0, read).toString('utf8');
  } finally {
    closeSync(fd);
  }
}
