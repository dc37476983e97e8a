import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Bytes per write. */
const chunkBytes = 64 * 1024;
/** Pause before the next try when the pipe is full. */
const fullMs = 5;

/** Prints synchronously, so that the output is complete even if the agent is killed right after. */
export async function print(stream: 1 | 2, text: string): Promise<void> {
  await printBytes(stream, Buffer.from(text));
}

export async function floodOutput(stream: 1 | 2, bytes: number, line: string): Promise<void> {
  const one = `${line}\n`;
  const chunk = Buffer.from(one.repeat(Math.max(1, Math.floor(chunkBytes / one.length))));
  for (let left = bytes; left > 0; left -= chunk.length) {
    await printBytes(stream, left < chunk.length ? chunk.subarray(0, left) : chunk);
  }
}

async function printBytes(stream: 1 | 2, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stream, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await delay(fullMs);
    }
  }
}
