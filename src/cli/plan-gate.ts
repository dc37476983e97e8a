import { checkPlan, planRefusal } from '../app/plan-check.ts';
import type { RunRequest } from '../app/start.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import { plain } from '../report/format/style.ts';
import { concernLines } from '../report/run/concerns.ts';
import { planText } from '../report/run/plan.ts';
import { critiqueNotes } from './critique-output.ts';
import { printErrors, promptOutput } from './output.ts';
import type { Call } from './parse.ts';
import { complain, screenOf, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';
import { isTerminal } from './stdin.ts';

/**
 * Checks the plan of a run that brings new or changed tasks, before anything is stored. Returns an exit status if the run
 * must not start. A blocking concern always refuses it; a warning asks the user, and `--yes` or `--force` answers. Found
 * dependencies are only shown.
 */
export async function gatePlan(
  call: Call,
  request: RunRequest,
  times: LearnedTimes | undefined,
): Promise<number | undefined> {
  const { options } = call;
  if (options.flag('skip-plan')) return undefined;
  const interruption = interruptedBySignals();
  const checked = await checkPlan(request, times, interruption.signal);
  interruption.release();
  if (interruption.signal.aborted) return 4;
  if (!checked.ok) return complain(checked.failure);
  if (checked.value === undefined) return undefined;
  const { plan, critique, concerns } = checked.value;
  warn(await critiqueNotes(critique));
  if (concerns.length === 0) return undefined;
  const { width } = screenOf(call);
  const first = plan.found.length + 1;
  const lines = concernLines(concerns, { first, stored: false, style: plain, width });
  const isGrave = concerns.some(({ severity }) => severity === 'block' || severity === 'warn');
  printErrors([...(isGrave ? planText(plan, plain, width) : []), ...lines]);
  const accepted = options.flag('yes') || options.flag('force');
  const refusal = planRefusal(concerns, accepted || isTerminal());
  if (refusal !== undefined) return complain([refusal]);
  return isGrave && !accepted ? asked() : undefined;
}

async function asked(): Promise<number | undefined> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const output = promptOutput();
  const answer = await confirm({ output, message: 'Run this plan anyway?', initialValue: false });
  if (!isCancel(answer) && answer) return undefined;
  warn(['Nothing was stored.']);
  return 0;
}
