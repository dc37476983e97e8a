import { existsSync } from 'node:fs';
import type { Attempt } from '../model/attempt.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { type Caller, readToken } from '../protocol/token.ts';
import { parseName } from '../worktree/branch.ts';
import { projectSecret, secretFile } from './secret.ts';

export { followUpLabel, followUpTask } from '../protocol/follow-up.ts';
export type { Caller } from '../protocol/token.ts';

/** Whose call it is, by the token in its environment. Nothing else tells, and nothing else is believed. */
export function callerFrom(dir: string, token: string | undefined): Result<Caller> {
  if (token === undefined || token === '') {
    return refused('it has no token, as agents have that a run has started');
  }
  const secret = existsSync(secretFile(dir)) ? projectSecret(dir) : undefined;
  if (secret?.ok === false) return secret;
  const caller = secret === undefined ? undefined : readToken(secret.value, token);
  return caller === undefined ? refused('its token is not one of this project') : ok(caller);
}

export function refused(problem: string): Result<never> {
  return fail({ kind: 'call-refused', problem });
}

/** Whether a call is of this attempt. Another run may have taken it over after its agent was started. */
export function speaksFor({ run, attempt }: Caller, made: Attempt): boolean {
  const isOf = made.run === run || parseName(made.branch)?.run === run;
  return isOf && made.number === attempt;
}
