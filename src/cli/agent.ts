import { ask } from '../mailbox/ask.ts';
import { fail } from '../model/failure.ts';
import { requestOf } from './agent-request.ts';
import type { Call } from './parse.ts';
import { complain, confirm } from './screen.ts';
import { readUpTo } from './stdin.ts';

/** White space around a text on standard input that is cut off. */
const blankChars = 64 * 1024;

/**
 * Sends what an agent reports during its turn to the engine of its run. The mailbox and the token in the environment say
 * which attempt calls; no argument does. This process neither opens the store nor reads a secret of the project.
 */
export async function run(call: Call): Promise<number> {
  const request = await requestOf(call, async (text, most) =>
    text === '-' ? readUpTo(process.stdin, most + blankChars) : text,
  );
  if (!request.ok) return complain([request.failure]);
  const { YARD_MAILBOX: mailbox = '', YARD_TOKEN: token = '' } = process.env;
  const sent =
    mailbox === '' || token === ''
      ? fail({ kind: 'call-refused', problem: 'it does not come from an agent of a run' } as const)
      : await ask(mailbox, token, request.value);
  if (!sent.ok) return complain([sent.failure]);
  if (!sent.value.ok) return complain(sent.value.failures);
  confirm(call, sent.value.lines, sent.value.value);
  return 0;
}
