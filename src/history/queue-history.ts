import type { Event } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { GatedWork, GateRun, QueueStep } from '../model/queue-history.ts';
import type { Records } from '../model/records.ts';
import type { Candidate, RunningGate } from '../model/train-record.ts';
import { isNoGate, type Verdict } from '../model/verdict.ts';

/** Names of failing tests that a gate run keeps. */
const failingMax = 3;

/**
 * Writes what an event adds to the history of a run's merge queue. Runs before the event changes the state, which says
 * since when a gate runs and what it judges.
 */
export function foldQueueHistory(
  records: Records,
  event: Extract<Event, { readonly run: string }>,
): void {
  const { run, at } = event;
  for (const what of stepsOf(records, event)) records.addQueueStep(run, { at, what });
}

type RunEvent = Extract<Event, { readonly run: string }>;
type StepBody = QueueStep['what'];

function stepsOf(records: Records, event: RunEvent): readonly StepBody[] {
  switch (event.type) {
    case 'candidate-built': {
      const tasks = event.entries.map(({ id }) => id);
      return [{ type: 'built', candidate: event.candidate, tasks, on: event.on }];
    }
    case 'candidate-judged':
      return isNoGate(event.gate) ? [] : [gated(candidateRun(records, event))];
    case 'gate-abandoned': {
      const gate = runningGate(records, event);
      return gate === undefined ? [] : [gated(abandonedRun(records, event.run, gate))];
    }
    case 'branch-judged':
      return isNoGate(event.gate) ? [] : [gated(branchRun(records, event))];
    case 'target-judged':
      return isNoGate(event.gate) ? [] : [gated(targetRun(records, event))];
    case 'run-ended':
      return (records.run(event.run)?.train.runningGates ?? []).map((gate) =>
        gated(abandonedRun(records, event.run, gate)),
      );
    case 'merge-refused':
    case 'merge-deferred': {
      const { id: task, attempt } = event;
      const conflict = event.type === 'merge-refused' ? filesOf(event.failure) : [];
      const behind = event.type === 'merge-deferred' ? event.behind : undefined;
      return [{ type: 'conflicted', task, attempt, files: conflict, behind }];
    }
    case 'candidate-dropped':
      return [{ type: 'dropped', candidate: event.candidate, reason: event.reason }];
    case 'landed':
    case 'delivered': {
      const { candidate, entries } = event;
      const of = { candidate, tasks: entries.map(({ id }) => id) };
      return event.type === 'landed'
        ? [{ type: 'landed', ...of, commit: event.commit }]
        : [{ type: 'delivered', ...of, branch: event.branch }];
    }
    default:
      return [];
  }
}

function gated(run: GateRun): StepBody {
  return { type: 'gated', run };
}

function filesOf(failure: Failure): readonly string[] {
  return failure.kind === 'conflict' ? failure.files : [];
}

function candidateRun(
  records: Records,
  event: Extract<RunEvent, { type: 'candidate-judged' }>,
): GateRun {
  const { verdict, cached, at } = event;
  const gate = runningGate(records, event);
  const work = candidateWork(records, event.run, event.candidate, event.count);
  return {
    work,
    slot: gate?.slot,
    since: gate?.since ?? at,
    cached,
    ...outcomeOf(verdict),
  };
}

function abandonedRun(records: Records, run: string, gate: RunningGate): GateRun {
  const work = candidateWork(records, run, gate.candidate, gate.count);
  const { slot, since } = gate;
  return { work, slot, since, verdict: 'abandoned', cached: false, failing: [] };
}

function branchRun(records: Records, event: Extract<RunEvent, { type: 'branch-judged' }>): GateRun {
  const { id, attempt, at, cached, verdict } = event;
  const known = records.task(id)?.attempt;
  const isOwn = known?.number === attempt && known.state.id === 'gating';
  const gate = isOwn && known.state.id === 'gating' ? known.state.gate : undefined;
  return {
    work: { id: 'branch', task: id, attempt },
    slot: gate?.slot,
    since: gate?.since ?? at,
    cached,
    ...outcomeOf(verdict),
  };
}

function targetRun(records: Records, event: Extract<RunEvent, { type: 'target-judged' }>): GateRun {
  const check = records.run(event.run)?.target.check;
  const since = check?.commit === event.commit ? check.since : event.at;
  const cached = event.cached === true;
  const work: GatedWork = { id: 'target', commit: event.commit };
  return { work, since, cached, ...outcomeOf(event.verdict) };
}

function candidateWork(
  records: Records,
  run: string,
  candidate: string,
  count: number | undefined,
): GatedWork {
  const entries = candidateIn(records, run, candidate)?.entries ?? [];
  const tasks = entries.slice(0, count).map(({ id }) => id);
  return { id: 'candidate', candidate, tasks, of: entries.length };
}

function candidateIn(records: Records, run: string, id: string): Candidate | undefined {
  return records.run(run)?.train.candidates.find((one) => one.id === id);
}

function runningGate(
  records: Records,
  { run, candidate, count }: { run: string; candidate: string; count?: number },
): RunningGate | undefined {
  const whole = candidateIn(records, run, candidate)?.entries.length;
  return records
    .run(run)
    ?.train.runningGates.find(
      (gate) => gate.candidate === candidate && gate.count === (count ?? whole),
    );
}

function outcomeOf(verdict: Verdict): Pick<GateRun, 'verdict' | 'failing'> {
  if (verdict.id === 'passed' || verdict.failure.kind !== 'gate-red') {
    return { verdict: verdict.id, failing: [] };
  }
  const { failures } = verdict.failure.evidence;
  return {
    verdict: verdict.id,
    failing: failures.slice(0, failingMax).map(({ name }) => name),
  };
}
