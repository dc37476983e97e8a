import { projectConfig } from '../app/config.ts';
import { applyChanges, type Chosen, planWork } from '../app/plan.ts';
import { concernsAbout, critiquePlan, knownCritique } from '../app/plan-critic.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { changeText, concernLines } from '../report/run/concerns.ts';
import { planText } from '../report/run/plan.ts';
import { critiqueNotes, summaryOf } from './critique-output.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { complain, confirm, print, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';
import { sourcesOf, textOrFile } from './tasks.ts';

/** Shows the order of work of the stored tasks and of sources that are not imported yet, or changes the stored tasks. */
export async function plan(call: Call): Promise<number> {
  const { args, options } = call;
  const goal = await goalOf(call);
  if (!goal.ok) return complain([goal.failure]);
  const revise = options.flag('revise');
  if (goal.value === undefined && !revise) {
    if (isChange(call)) return applyPlan(call);
    return args[0] === 'history'
      ? (await import('./plan-history.ts')).showHistory(call)
      : showPlan(call);
  }
  const { showProposal } = await import('./plan-proposal.ts');
  return showProposal(call, { revise, goal: goal.value });
}

function isChange({ options }: Call): boolean {
  return options.list('apply').length + options.list('reject').length > 0;
}

/** The goal of `--goal` or `--spec`; undefined without either. */
async function goalOf(call: Call): Promise<Result<string | undefined>> {
  const { args, options } = call;
  const names = { text: 'goal', file: 'spec', chars: limits.goalChars };
  const isPlanned = ['goal', 'spec'].some((name) => options.text(name) !== undefined);
  if (!isPlanned && !options.flag('revise')) return ok(undefined);
  if (args.length > 0 || isChange(call)) {
    return usage(
      '--goal, --spec and --revise take neither a SOURCE nor --apply or --reject',
      'Import the source first with `ym import`.',
    );
  }
  const goal = await textOrFile(call, names);
  if (!goal.ok || goal.value === undefined) return goal;
  if (goal.value.length > limits.goalChars) {
    return usage(`the goal is longer than ${limits.goalChars} characters`, 'Shorten it.');
  }
  if (goal.value.trim() === '') return usage('the goal is empty', 'Say what the tasks must reach.');
  return ok(goal.value.trim());
}

/** Stores dependencies that the plan found or their rejection, and fixes of the critic. The critic is not asked: numbers must not change. */
function applyPlan(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const chosen = chosenOf(call);
    if (!chosen.ok) return chosen;
    const config = projectConfig(opened);
    if (!config.ok) return config;
    const changes = await applyChanges(opened, chosen.value, ({ plan: { found }, open }) =>
      concernsAbout(knownCritique(opened, config.value, { open, found }), open.tasks.values()),
    );
    if (!changes.ok) return changes;
    const nothing = 'Nothing to apply: the plan has no found dependency and no fix';
    const lines = changes.value.map(changeText);
    const rejected = changes.value.filter(({ kind }) => kind === 'rejected');
    const applied = changes.value.filter(({ kind }) => kind !== 'rejected');
    return confirm(call, lines.length === 0 ? [nothing] : lines, { applied, rejected });
  });
}

function chosenOf({ args, options }: Call): Result<Chosen> {
  const [apply, reject] = [options.list('apply'), options.list('reject')];
  const name = apply.length > 0 ? '--apply' : '--reject';
  if (args.length > 0) {
    return usage(
      `${name} changes stored tasks only`,
      `Type \`ym import\` first, then \`ym plan ${name}\`.`,
    );
  }
  const isAll = apply.join() === 'all';
  const isWrong = (word: string): boolean => !/^[1-9]\d*$/.test(word);
  const wrong = isAll ? undefined : apply.find(isWrong);
  if (wrong !== undefined)
    return usage(
      `--apply has no number "${wrong}"`,
      'Give numbers that `ym plan` shows, or `all`.',
    );
  const unknown = reject.find(isWrong);
  if (unknown !== undefined)
    return usage(`--reject has no number "${unknown}"`, 'Give numbers that `ym plan` shows.');
  return ok({ apply: isAll ? 'all' : apply.map(Number), reject: reject.map(Number) });
}

function showPlan(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const incoming = await sourcesOf(call, opened);
    if (!incoming.ok) return incoming;
    const config = projectConfig(opened);
    if (!config.ok) return config;
    const work = await planWork(opened, incoming.value.tasks);
    if (!work.ok) return work;
    const { plan: shown, open } = work.value;
    const interruption = interruptedBySignals();
    const critique = await critiquePlan(
      opened,
      config.value,
      { open, found: shown.found },
      { refresh: call.options.flag('force-refresh'), signal: interruption.signal },
    );
    interruption.release();
    if (interruption.signal.aborted) return ok(4);
    warn(await critiqueNotes(critique));
    const concerns = concernsAbout(critique, open.tasks.values());
    const first = shown.found.length + 1;
    const stored = call.args.length === 0;
    const numbered = concerns.map((concern, at) => ({ number: first + at, ...concern }));
    return print(
      call,
      { ...shown, critique: summaryOf(critique), concerns: numbered },
      (screen) => [
        ...planText(shown, screen.style, screen.width, stored),
        ...concernLines(concerns, { first, stored, ...screen }),
      ],
    );
  });
}
