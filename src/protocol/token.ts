import { createHmac } from 'node:crypto';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** The attempt whose agent makes a call. */
export interface Caller {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
}

/** Token that identifies an agent's calls. It names the attempt in plain text, so that a person can see whose it is. */
export function tokenFor(secret: Uint8Array, caller: Caller): string {
  return `yard:${caller.run}:${caller.task}:${caller.attempt}:${seal(secret, caller)}`;
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
