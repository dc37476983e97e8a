import { open } from 'node:fs/promises';
import type { Redactor } from '../model/redact.ts';
import { isSystemError } from './identity.ts';

const chunkBytes = 64 * 1024;

/**
 * Redacts a file in place: its length and lines stay, so that a reader at any position continues, a full disk does not
 * matter, and a crash in the middle leaves a file that can be redacted again. Memory is bounded. A file that is missing
 * or that we may not write stays as it is.
 */
export async function redactFile(path: string, redact: Redactor): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      const pieces = redact.bytes();
      const chunk = Buffer.alloc(chunkBytes);
      let read = 0;
      let written = 0;
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunkBytes, read);
        read += bytesRead;
        const before = pieces.found;
        const text =
          bytesRead === 0 ? pieces.end() : pieces.push(chunk.toString('latin1', 0, bytesRead));
        if (pieces.found > before)
          await file.write(Buffer.from(text, 'latin1'), 0, undefined, written);
        written += text.length;
        if (bytesRead === 0) return;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
