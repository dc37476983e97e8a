import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** The attempt whose agent makes a call. */
export interface Caller {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
}

const shape = /^yard:([\w.-]{1,100}):([\w.-]{1,100}):([1-9]\d{0,8}):([0-9a-f]{64})$/;

/** Token that identifies an agent's calls. It names the attempt in plain text, so that a person can see whose it is. */
export function tokenFor(secret: Uint8Array, caller: Caller): string {
  return `yard:${caller.run}:${caller.task}:${caller.attempt}:${seal(secret, caller)}`;
}

/** Returns the attempt of a token; undefined if it was not made with this secret or was changed. */
export function readToken(secret: Uint8Array, text: string): Caller | undefined {
  const [, run, task, attempt, given] = shape.exec(text) ?? [];
  if (run === undefined || task === undefined || given === undefined) return undefined;
  const caller: Caller = { run, task, attempt: Number(attempt) };
  const expected = Buffer.from(seal(secret, caller));
  return timingSafeEqual(expected, Buffer.from(given)) ? caller : undefined;
}

function seal(secret: Uint8Array, { run, task, attempt }: Caller): string {
  return createHmac('sha256', secret).update(`agent:${run}:${task}:${attempt}`).digest('hex');
}

const shown = /yard:[\w.-]{1,100}:[\w.-]{1,100}:\d{1,9}:[0-9a-f]{1,64}/g;
/** Rest of a token at the start of a cut text. A shorter rest is useless to an attacker. */
const restOfOne = /^(?:[\w.-]{0,100}:){0,4}[0-9a-f]{41,64}(?![0-9a-f])/;

/** Removes tokens from stored text, because agents see theirs and may print it. */
export function withoutTokens(text: string): string {
  return text.replace(shown, '[redacted]').replace(restOfOne, '[redacted]');
}
