import type { Environment } from '../app/ports.ts';
import { ask } from '../mailbox/ask.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { AgentAnswer, AgentRequest } from '../model/turn.ts';

/** The mailbox of the attempt whose agent started this process. Neither the store nor a secret is opened. */
export function mailboxOf({ YARD_MAILBOX: dir = '', YARD_TOKEN: token = '' }: Environment): Result<{
  ask(request: AgentRequest): Promise<Result<AgentAnswer>>;
}> {
  return dir === '' || token === ''
    ? fail({ kind: 'call-refused', problem: 'it does not come from an agent of a run' })
    : ok({ ask: (request) => ask(dir, token, request) });
}
