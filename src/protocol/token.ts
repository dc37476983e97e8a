import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** Who speaks: the agent of one attempt. */
export interface Caller {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
}

const shape = /^yard:([\w.-]{1,100}):([\w.-]{1,100}):([1-9]\d{0,8}):([0-9a-f]{64})$/;

/** What an agent shows to be believed. It names the attempt in plain words, so that a person can see whose it is. */
export function tokenFor(secret: Uint8Array, caller: Caller): string {
  return `yard:${caller.run}:${caller.task}:${caller.attempt}:${seal(secret, caller)}`;
}

/** Whose token this is; undefined where it was not made with this secret, or was changed. */
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
/** What is left of one where a text begins within it. Less of the seal than this helps nobody. */
const restOfOne = /^(?:[\w.-]{0,100}:){0,4}[0-9a-f]{41,64}(?![0-9a-f])/;

/** Agents see their token and may print it; whatever is kept of their words has none. */
export function withoutTokens(text: string): string {
  return text.replace(shown, '[redacted]').replace(restOfOne, '[redacted]');
}
