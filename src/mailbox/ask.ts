import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { parseJson } from '../model/shape.ts';
import type { AgentAnswer, AgentRequest } from '../model/turn.ts';
import { answerSuffix, requestSuffix, sealed } from './letter.ts';

const pollMs = 20;

/**
 * The agent's side: drops a request into the mailbox of its attempt and waits for the answer. Where none comes in time
 * the request stays there, and counts as soon as an engine drives the run again.
 */
export async function ask(
  dir: string,
  token: string,
  request: AgentRequest,
  waitMs: number = limits.mailboxWaitMs,
): Promise<Result<AgentAnswer>> {
  const name = join(dir, randomUUID());
  try {
    writeFileSync(`${name}.draft`, sealed(token, request), { flag: 'wx', mode: 0o600 });
    renameSync(`${name}.draft`, `${name}${requestSuffix}`);
  } catch (error) {
    return refused(`its mailbox cannot be written (${messageOf(error)})`);
  }
  for (const end = Date.now() + waitMs; Date.now() < end; await sleep(pollMs)) {
    const answer = answerIn(`${name}${answerSuffix}`);
    if (answer === undefined) continue;
    rmSync(`${name}${answerSuffix}`, { force: true });
    return ok(answer);
  }
  const seconds = Math.round(waitMs / 1000);
  return refused(`the run did not answer within ${seconds} s; the request is kept for it`);
}

/** Undefined as long as there is no whole answer. */
function answerIn(file: string): AgentAnswer | undefined {
  try {
    return parseJson(readFileSync(file, 'utf8')) as AgentAnswer | undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refused(problem: string): Result<never> {
  return fail({ kind: 'call-refused', problem });
}
