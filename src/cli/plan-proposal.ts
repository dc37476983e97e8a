import { projectConfig } from '../app/config.ts';
import { concernsAbout, critiquePlan } from '../app/plan-critic.ts';
import { type PlanGoal, proposePlan, type ShownProposal } from '../app/plan-proposal.ts';
import { importTasks } from '../app/tasks.ts';
import type { Concern } from '../model/concern.ts';
import { ok } from '../model/failure.ts';
import { counted } from '../report/format/amount.ts';
import { concernLines } from '../report/run/concerns.ts';
import { importDiff, importDiffText } from '../report/run/import-diff.ts';
import { planText } from '../report/run/plan.ts';
import { critiqueNotes, summaryOf, usageNotes } from './critique-output.ts';
import { type Outcome, withStore } from './open.ts';
import { promptOutput } from './output.ts';
import type { Call } from './parse.ts';
import { complain, screenOf, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';
import { isTerminal } from './stdin.ts';
import { changesOf } from './tasks.ts';

type Project = Parameters<typeof proposePlan>[0];

/**
 * Lets an agent propose tasks, shows them with their order and the concerns about it, and stores them if the user
 * consents: by `--yes`, or on a terminal. A blocking concern refuses them in any case.
 */
export function showProposal(call: Call, goal: PlanGoal): Promise<number> {
  const isAsked = isTerminal() && !call.options.flag('json') && !call.options.flag('yes');
  const mayStore = isAsked || call.options.flag('yes');
  return withStore(call, mayStore ? 'write' : 'read', async (opened) => {
    const interruption = interruptedBySignals();
    try {
      return await proposed(call, goal, { opened, isAsked, signal: interruption.signal });
    } finally {
      interruption.release();
    }
  });
}

interface Asking {
  readonly opened: Project;
  readonly isAsked: boolean;
  readonly signal: AbortSignal;
}

async function proposed(
  call: Call,
  goal: PlanGoal,
  { opened, isAsked, signal }: Asking,
): Promise<Outcome> {
  const config = projectConfig(opened);
  if (!config.ok) return config;
  if (isAsked) warn(['An agent reads the repository and proposes tasks. This may take minutes.']);
  const asked = { refresh: call.options.flag('force-refresh'), signal };
  const { proposal, agent = '', usage } = await proposePlan(opened, config.value, goal, asked);
  if (signal.aborted) return ok(4);
  warn(usageNotes(agent, usage));
  if (!proposal.ok) return proposal;
  const { effect, canceled, work } = proposal.value;
  const { plan, open } = work;
  const critique = await critiquePlan(opened, config.value, { open, found: plan.found }, asked);
  if (signal.aborted) return ok(4);
  const concerns = concernsAbout(critique, [...effect.added, ...effect.changed]);
  warn([...proposal.value.warnings, ...(await critiqueNotes(critique))]);
  const diff = importDiff(effect.added, changesOf(effect), canceled);
  const isEmpty = diff.added.length + diff.changed.length + canceled.length === 0;
  const screen = screenOf(call);
  const hasJson = call.options.flag('json');
  if (!hasJson) {
    const first = plan.found.length + 1;
    screen.lines([
      ...planText(plan, screen.style, screen.width, false),
      ...concernLines(concerns, { first, stored: false, ...screen }),
      '',
      ...importDiffText(diff, screen.width),
    ]);
  }
  const blocking = concerns.find(({ severity }) => severity === 'block');
  const consent = await consentTo(call, { isEmpty, isAsked, blocking });
  const stored = consent === 'given' ? await store(opened, proposal.value) : undefined;
  if (stored?.ok === false) return stored;
  if (hasJson) {
    const { cached } = proposal.value;
    const about = { agent, cached, usage, stored: stored !== undefined, diff };
    screen.json({ ...about, plan, critique: summaryOf(critique), concerns });
  }
  if (consent === 'refused') return ok(await refuse(blocking));
  if (!hasJson) screen.lines([endText(consent, diff)]);
  return ok(0);
}

type Consent = 'given' | 'refused' | 'declined' | 'not-asked' | 'not-needed';

async function consentTo(
  call: Call,
  about: {
    readonly isEmpty: boolean;
    readonly isAsked: boolean;
    readonly blocking: Concern | undefined;
  },
): Promise<Consent> {
  if (about.isEmpty) return 'not-needed';
  if (about.blocking !== undefined) return 'refused';
  if (call.options.flag('yes')) return 'given';
  if (!about.isAsked) return 'not-asked';
  const { confirm, isCancel } = await import('@clack/prompts');
  const output = promptOutput();
  const answer = await confirm({ output, message: 'Store these tasks?', initialValue: false });
  return !isCancel(answer) && answer ? 'given' : 'declined';
}

function store(opened: Project, { tasks, canceled }: ShownProposal) {
  return importTasks(opened, { tasks, sources: [], notes: [] }, { canceled });
}

function refuse(blocking: Concern | undefined): Promise<number> {
  const problem = `the plan was refused, and nothing was stored: ${blocking?.text ?? ''}`;
  const remedy = 'Change the goal, or plan again with `--force-refresh`.';
  return complain([{ kind: 'usage', problem, remedy }]);
}

function endText(consent: Consent, diff: ReturnType<typeof importDiff>): string {
  switch (consent) {
    case 'not-needed':
      return 'The agent proposes no change.';
    case 'given': {
      const changed = diff.changed.length === 0 ? '' : `, changed ${diff.changed.length}`;
      const canceled = diff.canceled.length === 0 ? '' : `, canceled ${diff.canceled.length}`;
      return `Added ${counted(diff.added.length, 'task')}${changed}${canceled}`;
    }
    case 'not-asked':
      return 'Nothing was stored. The same command with `--yes` stores exactly these tasks.';
    case 'declined':
    case 'refused':
      return 'Nothing was stored.';
  }
}
