import {
  checkDecision,
  decideTasks,
  type PersonDecision,
  readingTime,
  tellAgent,
} from '../app/decide.ts';
import { stopRuns } from '../app/runs.ts';
import { ok, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { decidedText } from '../report/task/decision.ts';
import { nextStep, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';
import { textArgument } from './stdin.ts';

type Command = PersonDecision['kind'];

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const command = call.command as Command;
    const takesText = command === 'answer' || command === 'reject';
    const ids = [...new Set(takesText ? call.args.slice(0, 1) : call.args)];
    // Refused before a person types the text.
    const allowed = takesText ? await settled(checkDecision(opened, ids, command)) : ok(undefined);
    if (!allowed.ok) return allowed;
    const decision = await decisionOf(command, call);
    if (!decision.ok) return decision;
    const decided = await decideTasks(opened, ids, decision.value);
    if (!decided.ok) return decided;
    const text = decidedText(command, nextStep(decided.value.willContinue));
    return confirm(
      call,
      ids.map((id) => `${id} ${text}`),
    );
  });
}

async function decisionOf(command: Command, call: Call): Promise<Result<PersonDecision>> {
  switch (command) {
    case 'answer': {
      const text = await textArgument(call.args[1] ?? '', 'the answer');
      return text.ok ? ok({ kind: 'answer', text: text.value }) : text;
    }
    case 'reject': {
      const reason = await textArgument(call.args[1] ?? '', 'the reason');
      return reason.ok ? ok({ kind: 'reject', reason: reason.value }) : reason;
    }
    case 'approve':
    case 'retry':
    case 'unblock':
      return ok({ kind: command, reason: call.options.text('reason') });
    case 'cancel':
    case 'skip':
    case 'block':
      return ok({ kind: command, reason: call.options.text('reason') ?? 'no reason was given' });
  }
}

export function tell(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const [id = '', word = ''] = call.args;
    // Refused before a person types the message.
    const before = await readingTime(opened, id);
    if (!before.ok) return before;
    const text = await textArgument(word, 'the message');
    if (!text.ok) return text;
    const read = await tellAgent(opened, id, text.value);
    return read.ok ? confirm(call, [`${id}: its agent reads this ${read.value}.`]) : read;
  });
}

export function stop(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const how = call.options.flag('now') ? 'now' : 'finish';
    const asked = await stopRuns(opened, how, '`ym stop`');
    if (!asked.ok) return asked;
    const effect = how === 'now' ? 'stops its agents now' : 'starts nothing new and ends';
    return confirm(
      call,
      asked.value.map(({ id }) => `Run ${id} ${effect}.`),
    );
  });
}
