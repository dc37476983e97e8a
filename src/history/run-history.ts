import type { Event } from '../model/event.ts';
import { troubleOf } from '../model/fault.ts';
import type { GateNumbers, RunHistory } from '../model/history.ts';
import type { Records } from '../model/records.ts';
import { accountOf } from '../model/run.ts';
import { isNoGate, type Verdict } from '../model/verdict.ts';

type RunEvent = Extract<Event, { readonly run: string }>;

const noGates: GateNumbers = { passed: 0, failed: 0, notRun: 0, cached: 0, ms: 0 };

/** First record of a run. */
export function newRunHistory(run: string, at: number): RunHistory {
  return {
    run,
    changedAt: at,
    gates: { branch: noGates, candidate: noGates, target: noGates },
    abandoned: 0,
    flakes: {},
    quarantined: [],
    pauses: { count: 0, ms: 0, since: {} },
  };
}

/** Verdicts, flaky checks and account pauses of a run. */
export function foldRunHistory(records: Records, event: RunEvent): void {
  const { run, at } = event;
  const before = records.runHistory(run) ?? newRunHistory(run, at);
  const next = withRunEvent(records, before, event);
  // Most events are about an attempt, whose record has the time.
  if (next !== before || !('attempt' in event)) records.putRunHistory({ ...next, changedAt: at });
}

function withRunEvent(records: Records, before: RunHistory, event: RunEvent): RunHistory {
  switch (event.type) {
    case 'branch-judged':
      return countVerdict(before, 'branch', event);
    case 'candidate-judged':
      return countVerdict(before, 'candidate', event);
    case 'target-judged':
      return countVerdict(before, 'target', { ...event, cached: event.cached === true });
    case 'gate-abandoned':
      return { ...before, abandoned: before.abandoned + 1 };
    case 'check-flaked': {
      const times = (before.flakes[event.command] ?? 0) + 1;
      return { ...before, flakes: { ...before.flakes, [event.command]: times } };
    }
    case 'turn-started':
      return resumeAccount(before, accountIn(records, event), event.at);
    case 'turn-ended': {
      const isPause = !event.result.ok && troubleOf(event.result.failure) === 'pause';
      return isPause ? pauseAccount(before, accountIn(records, event), event.at) : before;
    }
    case 'run-ended':
      return Object.keys(before.pauses.since).reduce(
        (history, account) => resumeAccount(history, account, event.at),
        before,
      );
    default:
      return before;
  }
}

function countVerdict(
  history: RunHistory,
  where: keyof RunHistory['gates'],
  { gate, verdict, cached }: { gate: string; verdict: Verdict; cached: boolean },
): RunHistory {
  if (isNoGate(gate)) return history;
  const { passed, failed, notRun, ...rest } = history.gates[where];
  const numbers: GateNumbers = {
    passed: passed + Number(verdict.id === 'passed'),
    failed: failed + Number(verdict.id === 'failed'),
    notRun: notRun + Number(verdict.id === 'not-run'),
    cached: rest.cached + Number(cached),
    ms: rest.ms + (verdict.id === 'not-run' || cached ? 0 : verdict.ms),
  };
  const named = verdict.id === 'passed' ? (verdict.quarantined ?? []) : [];
  return {
    ...history,
    gates: { ...history.gates, [where]: numbers },
    quarantined: [...new Set([...history.quarantined, ...named])],
  };
}

/** Account of the agent that takes or took a turn. */
function accountIn(
  records: Records,
  event: { run: string; id: string; attempt: number; agent?: string },
): string {
  const agent = event.agent ?? records.attempt(event.id, event.attempt)?.agent ?? '';
  const settings = records.run(event.run)?.settings;
  return settings === undefined ? agent : accountOf(settings, agent);
}

function pauseAccount(history: RunHistory, account: string, at: number): RunHistory {
  const { count, ms, since } = history.pauses;
  if (account in since) return history;
  return { ...history, pauses: { count: count + 1, ms, since: { ...since, [account]: at } } };
}

function resumeAccount(history: RunHistory, account: string, at: number): RunHistory {
  const { count, ms, since } = history.pauses;
  const { [account]: begun, ...others } = since;
  if (begun === undefined) return history;
  return {
    ...history,
    pauses: { count, ms: ms + Math.max(0, at - begun), since: others },
  };
}
