import { chooseVariant } from '../app/choose.ts';
import { decideTasks, tellAgent } from '../app/decide.ts';
import type { Opened } from '../app/ports.ts';
import { stopRuns } from '../app/runs.ts';
import { changeSlots } from '../app/slots.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import { slotChangeText } from '../report/event/step.ts';
import { decidedText } from '../report/task/decision.ts';
import type { Change } from '../report/watch/action.ts';
import { openWithStore } from '../wire/project.ts';
import { nextStep } from './open.ts';

/** Carries out what a key asked for, and returns what happens next. */
export async function carryOut(folder: string, action: Change): Promise<Result<string>> {
  const opened = await openWithStore(folder, 'write', 'watch');
  if (!opened.ok) return opened;
  try {
    return await changed(opened.value, action);
  } finally {
    await opened.value.store.close();
    await opened.value.git.close();
  }
}

async function changed(opened: Opened, action: Change): Promise<Result<string, Failure>> {
  switch (action.id) {
    case 'decide': {
      const decided = await decideTasks(opened, [action.task], action.decision);
      if (!decided.ok) return decided;
      const next = nextStep(decided.value.willContinue);
      return ok(`${action.task} ${decidedText(action.decision.kind, next)}`);
    }
    case 'tell': {
      const read = await tellAgent(opened, action.task, action.text);
      return read.ok ? ok(`its agent reads this ${read.value}`) : read;
    }
    case 'choose': {
      const { task, which, reason } = action;
      const chosen = await chooseVariant(opened, task, which, reason);
      if (!chosen.ok) return chosen;
      const { variant, willContinue } = chosen.value;
      return ok(`${variant} is chosen for ${task}; ${nextStep(willContinue)}`);
    }
    case 'stop': {
      const asked = await stopRuns(opened, action.how, '`ym watch`');
      if (!asked.ok) return asked;
      return ok(action.how === 'now' ? 'the agents are ended' : 'nothing new is started');
    }
    case 'slots': {
      const changed = await changeSlots(opened, action.wish);
      return changed.ok ? ok(slotChangeText(changed.value.change)) : changed;
    }
    default:
      return unreachable(action);
  }
}
