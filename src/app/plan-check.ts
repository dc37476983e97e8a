import type { Concern } from '../model/concern.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import { counted } from '../report/format/amount.ts';
import type { Plan } from '../report/run/plan.ts';
import { planTasks } from './plan.ts';
import { concernsAbout, critiquePlan, type PlanCritique } from './plan-critic.ts';
import type { Failures } from './ports.ts';
import type { RunRequest } from './start.ts';

/** Concerns about the new and changed tasks of a run, and the plan that they are about. */
interface PlanCheck {
  readonly plan: Plan;
  readonly critique: PlanCritique;
  readonly concerns: readonly Concern[];
}

/** Checks the plan of a run that brings new or changed tasks. Undefined if it brings none, or nothing checks them. */
export async function checkPlan(
  { project, config, known, incoming, plan: { added, changed } }: RunRequest,
  times: LearnedTimes | undefined,
  signal: AbortSignal,
): Promise<Result<PlanCheck | undefined, Failures>> {
  const news = [...added, ...changed];
  // Ordering very many tasks takes time, and only a plan with concerns is shown.
  const isUnchecked =
    config.plan.critic === undefined && concernsAbout({ id: 'none' }, news).length === 0;
  if (news.length === 0 || isUnchecked) return ok(undefined);
  const work = planTasks(known, incoming.tasks, times);
  if (!work.ok) return work;
  const { plan, open } = work.value;
  const shown = { open, found: plan.found };
  const critique = await critiquePlan(project, config, shown, { refresh: false, signal });
  return ok({ plan, critique, concerns: concernsAbout(critique, news) });
}

/** Why a run with these concerns must not start: one that blocks always, a warning unless it is `accepted`. */
export function planRefusal(concerns: readonly Concern[], accepted: boolean): Failure | undefined {
  const blocking = concerns.find(({ severity }) => severity === 'block');
  if (blocking !== undefined) {
    const problem = `the plan was refused, and nothing was stored: ${blocking.text}`;
    const remedy = 'Fix the tasks; `--skip-plan` runs them without asking the critic.';
    return { kind: 'usage', problem, remedy };
  }
  const warnings = concerns.filter(({ severity }) => severity === 'warn').length;
  if (warnings === 0 || accepted) return undefined;
  const problem = `the plan has ${counted(warnings, 'warning')}, and there is no terminal to ask you`;
  const remedy = 'Fix the tasks, or pass `--yes` to run them anyway. Nothing was stored.';
  return { kind: 'usage', problem, remedy };
}
