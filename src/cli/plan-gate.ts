import { planTasks } from '../app/plan.ts';
import { concernsAbout, critiquePlan } from '../app/plan-critic.ts';
import type { RunRequest } from '../app/start.ts';
import type { Concern } from '../model/concern.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import { counted } from '../report/format/amount.ts';
import { plain } from '../report/format/style.ts';
import { concernLines } from '../report/run/concerns.ts';
import { planText } from '../report/run/plan.ts';
import { critiqueNotes } from './critique-output.ts';
import { printErrors } from './output.ts';
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
  { project, config, known, incoming, plan }: RunRequest,
  times: LearnedTimes | undefined,
): Promise<number | undefined> {
  const { options } = call;
  const news = [...plan.added, ...plan.changed];
  if (options.flag('skip-plan') || news.length === 0) return undefined;
  // Ordering very many tasks takes time, and only a plan with concerns is shown.
  const isUnchecked =
    config.plan.critic === undefined && concernsAbout({ id: 'none' }, news).length === 0;
  if (isUnchecked) return undefined;
  const work = planTasks(known, incoming.tasks, times);
  if (!work.ok) return complain(work.failure);
  const { plan: shown, open } = work.value;
  const interruption = interruptedBySignals();
  const critique = await critiquePlan(
    project,
    config,
    { open, found: shown.found },
    { refresh: false, signal: interruption.signal },
  );
  interruption.release();
  if (interruption.signal.aborted) return 4;
  warn(await critiqueNotes(critique));
  const concerns = concernsAbout(critique, news);
  const has = (severity: Concern['severity']): number =>
    concerns.filter((concern) => concern.severity === severity).length;
  if (concerns.length === 0) return undefined;
  const { width } = screenOf(call);
  const first = shown.found.length + 1;
  const lines = concernLines(concerns, { first, stored: false, style: plain, width });
  const isGrave = has('block') + has('warn') > 0;
  printErrors([...(isGrave ? planText(shown, plain, width) : []), ...lines]);
  if (has('block') > 0) return refused(concerns);
  if (!isGrave || options.flag('yes') || options.flag('force')) return undefined;
  return asked(has('warn'));
}

function refused(concerns: readonly Concern[]): Promise<number> {
  const first = concerns.find(({ severity }) => severity === 'block')?.text ?? '';
  const problem = `the plan was refused, and nothing was stored: ${first}`;
  const remedy = 'Fix the tasks; `--skip-plan` runs them without asking the critic.';
  return complain([{ kind: 'usage', problem, remedy }]);
}

async function asked(warnings: number): Promise<number | undefined> {
  if (!isTerminal()) {
    const problem = `the plan has ${counted(warnings, 'warning')}, and there is no terminal to ask you`;
    const remedy = 'Fix the tasks, or pass `--yes` to run them anyway. Nothing was stored.';
    return complain([{ kind: 'usage', problem, remedy }]);
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: 'Run this plan anyway?', initialValue: false });
  if (!isCancel(answer) && answer) return undefined;
  warn(['Nothing was stored.']);
  return 0;
}
