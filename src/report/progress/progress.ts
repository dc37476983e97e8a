import { type Event, tasksOf } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { isKilled } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import { changeNames } from '../../model/revision.ts';
import { startStep, type WorkerState } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import { tokensOf } from '../../model/turn.ts';
import { waitText } from '../../model/wait.ts';
import { volunteersOf } from '../../plan/agent-pool.ts';
import { conflictOf } from '../../task/conflict.ts';
import { isWhole } from '../../task/scope.ts';
import { actorText } from '../event/actor.ts';
import { choiceAskedText, choiceText, variantsText } from '../event/choice.ts';
import { droppedLandingText, dropReasonText } from '../event/dropped.ts';
import { decisionReason, isByRun, slotChangeText } from '../event/step.ts';
import { verifyLines, verifyPaint, verifyText } from '../event/verify.ts';
import { explain, oneLine } from '../explain/explain.ts';
import { amount, counted } from '../format/amount.ts';
import { cut, wrap } from '../format/layout.ts';
import { scopeText } from '../format/scope.ts';
import { plain } from '../format/style.ts';
import { clockTime, shortCommit, span } from '../format/time.ts';
import { beforeGate, targetCheckText } from '../view/check.ts';
import { gateNumber } from '../view/train.ts';
import { attemptLines } from './attempt.ts';
import { bad, type Line, type ProgressContext, withRemedy } from './line.ts';

const causeChars = 100;
const killedText = 'was killed before it answered, and is asked again';

function proposalLines(
  { run: id, id: task, agent, outcome }: Extract<Event, { type: 'plan-proposed' }>,
  { run }: ProgressContext,
): Line[] {
  switch (outcome.id) {
    case 'failed': {
      const isRepeated = run?.(id)?.revisions?.due.includes(task) === true;
      if (isRepeated) return [{ verb: 'plan', task, rest: `${agent} ${killedText}` }];
      const rest = `${agent} did not revise the plan: ${oneLine(outcome.failure, causeChars)}`;
      return [{ verb: 'plan', task, rest, paint: 'yellow' }];
    }
    case 'unchanged':
      return [{ verb: 'plan', task, rest: `${agent} proposes no change of the plan` }];
    case 'proposed': {
      const rest = `${agent} proposes ${changeNames(outcome).join(', ')}: ym why ${task}`;
      return [{ verb: 'plan', task, rest, paint: 'yellow' }];
    }
  }
}

/** A disabled planner is not worth a line. */
function batchLines(
  { run: id, plan, usage }: Extract<Event, { type: 'batch-planned' }>,
  { run }: ProgressContext,
): Line[] {
  const { batches, settings } = run?.(id) ?? {};
  const agent = settings?.planner?.agent ?? '';
  if (plan.source === 'skipped') {
    if (plan.reason === 'planner_disabled') return [];
    const isRepeated = isKilled(plan.failure) && (batches?.killed ?? 0) > 0;
    if (isRepeated) return [{ verb: 'planner', rest: `${agent} ${killedText}` }];
    const cause = plan.failure === undefined ? '' : `: ${oneLine(plan.failure, causeChars)}`;
    return [{ verb: 'planner', rest: `chose no tasks (${plan.reason})${cause}`, paint: 'yellow' }];
  }
  const next = plan.ids.join(', ') || 'any';
  const used = usage === undefined ? '' : `  (${amount(tokensOf(usage))} tokens)`;
  return [{ verb: 'planner', rest: `${agent} chose next: ${next}${used}` }];
}

const widthDefault = 160;
const verbWidth = 9;
/** Lines of the gate's output that are shown for a red target. */
const outputLines = 10;

/** Plain lines for one event, for output without a terminal. Most events give none. */
export function progressLines(event: Event, context: ProgressContext): string[] {
  const style = context.style ?? plain;
  const time = clockTime(event.at, context.offsetMin ?? 0);
  const room = Math.max(1, (context.width ?? widthDefault) - time.length - verbWidth - 2);
  return linesOf(event, context).flatMap(({ verb, task, rest, paint, whole }) => {
    const text = [task ?? '', rest ?? ''].filter(Boolean).join('  ');
    const word = verb.padEnd(verbWidth);
    const painted = paint === undefined ? word : style[paint](word);
    const over = Math.max(0, word.length - verbWidth);
    const [first = '', ...further] = whole === true ? wrap(text, room) : [cut(text, room - over)];
    const indent = ' '.repeat(time.length + verbWidth + 2);
    return [
      `${style.dim(time)} ${painted} ${first}`.trimEnd(),
      ...further.map((line) => `${indent}${line}`),
    ];
  });
}

const withoutContext: ProgressContext = { record: () => undefined };

/** One sentence for any event, without remedies. An event that a run prints no line for is named by its type. */
export function eventText(event: Event, context = withoutContext): string {
  const lines = linesOf(event, context)
    .filter(({ verb }) => verb !== 'do')
    .map(({ verb, task = '', rest = '' }) => [verb, task, rest].filter(Boolean).join(' '));
  if (lines.length > 0) return lines.join('; ').replaceAll(/\s+/g, ' ');
  const verdict = 'verdict' in event ? `: ${event.verdict.id.replace('-', ' ')}` : '';
  return [event.type.replaceAll('-', ' '), ...tasksOf(event)].join(' ') + verdict;
}

function linesOf(event: Event, context: ProgressContext): Line[] {
  switch (event.type) {
    case 'run-started':
      return [startedLine(event)];
    case 'task-added': {
      const other = conflictOf(event.task);
      if (other === undefined) return [];
      const rest = `resolves the conflict of ${other}; --max-new-tasks limits such tasks`;
      return [{ verb: 'filed', task: event.task.id, rest, paint: 'yellow' }];
    }
    case 'run-resumed':
      return resumedLines(event, context);
    case 'stop-asked':
    case 'slots-changed':
    case 'run-reloaded':
    case 'message-sent':
    case 'task-decided':
      return personLines(event);
    case 'worker-changed':
      return [workerLine(event)];
    case 'step-paused':
    case 'step-resumed':
      return stepLines(event, context);
    case 'run-ended': {
      // Why it ended and what to do about it is part of the summary, which comes right after this line.
      const left = (event.left ?? []).map((one) => bad('left', one.dir, one.failure, 'yellow'));
      return [{ verb: 'ended', rest: event.run, paint: 'bold' }, ...left];
    }
    case 'note-added': {
      const { kind, text, origin } = event;
      const line = { verb: 'note', rest: `${kind}: ${text}` };
      return origin.by === 'agent' ? [{ ...line, task: origin.task }] : [line];
    }
    case 'landing-dropped': {
      return [
        { verb: 'dropped', task: event.id, rest: droppedLandingText(event), paint: 'yellow' },
      ];
    }
    case 'landing-restored': {
      const rest = `${event.target} contains ${shortCommit(event.commit)} again`;
      return [{ verb: 'restored', task: event.id, rest }];
    }
    case 'source-sync-failed':
      return syncLines(event, context);
    case 'wait-over':
      return [
        { verb: 'goes on', task: event.id, rest: `no longer waits for ${waitText(event.wait)}` },
      ];
    case 'variants-added':
    case 'choice-asked':
      return variantLines(event);
    case 'run-verified': {
      const { outcome } = event;
      const paint = verifyPaint(outcome);
      const reason = verifyLines(outcome).map((rest): Line => ({ verb: '', rest }));
      return [{ verb: 'verify', rest: verifyText(outcome), paint }, ...reason];
    }
    case 'plan-proposed':
      return proposalLines(event, context);
    case 'batch-planned':
      return batchLines(event, context);
    case 'check-flaked': {
      const rest = `"${event.command}" failed, then passed on the same tree`;
      return [{ verb: 'flaky', rest, paint: 'yellow' }];
    }
    default:
      return trainLines(event, context);
  }
}

const workerText: Readonly<Record<WorkerState, string>> = {
  joined: 'joined',
  draining: 'takes nothing new',
  ended: 'ended',
  lost: 'is lost',
  refused: 'gets nothing more',
};

function startedLine({ run, settings }: Extract<Event, { type: 'run-started' }>): Line {
  const { target, jobs, scope } = settings;
  const slots = counted(jobs, 'slot');
  const tasks = isWhole(scope) ? '' : `  ${scopeText(scope)}`;
  const rest = `${run}  ${slots} of ${volunteersOf(settings).join(', ')} → ${target}${tasks}`;
  return { verb: 'run', rest, paint: 'bold' };
}

function workerLine(event: Extract<Event, { type: 'worker-changed' }>): Line {
  const { worker, host, slots, state, versions } = event;
  if (state === 'refused' && versions !== undefined) {
    const rest = `${worker} has version ${versions.worker} and gets nothing; this run has ${versions.run}`;
    return { verb: 'worker', rest, paint: 'red' };
  }
  const rest = `${worker} ${workerText[state]} (${host}, ${counted(slots, 'slot')})`;
  return {
    verb: 'worker',
    rest,
    ...(state === 'lost' || state === 'refused' ? { paint: 'red' } : {}),
  };
}

/** A slot that a person paused stays paused. */
function resumedLines(
  { run: id }: Extract<Event, { type: 'run-resumed' }>,
  { run }: ProgressContext,
): Line[] {
  const { slots = [], settings } = run?.(id) ?? {};
  const paused = slots.flatMap(({ paused }, at) =>
    paused === true && at < (settings?.jobs ?? 0) ? [at + 1] : [],
  );
  return [
    { verb: 'resumed', rest: id, paint: 'bold' },
    ...paused.map((slot): Line => {
      const rest = `slot ${slot} stays paused: \`ym slots --resume ${slot}\``;
      return { verb: 'paused', rest, paint: 'yellow' };
    }),
  ];
}

/** The variants of a task, and the question which of them lands. */
function variantLines(
  event: Extract<Event, { readonly type: 'variants-added' | 'choice-asked' }>,
): Line[] {
  const { id: task } = event;
  if (event.type === 'variants-added') {
    const ids = event.variants.map((variant) => variant.id);
    return [{ verb: 'variants', task, rest: variantsText(ids, shortCommit(event.base)) }];
  }
  const rest = `${choiceAskedText(event.finished)}; see \`ym compare ${task}\``;
  return [{ verb: 'choice', task, rest, paint: 'yellow' }];
}

function syncLines(
  { run: id, id: task, note }: Extract<Event, { type: 'source-sync-failed' }>,
  { run }: ProgressContext,
): Line[] {
  const troubles = Object.entries(run?.(id)?.syncTrouble ?? {}).filter(
    ([, one]) => one.note === note,
  );
  if (troubles.some(([other, { times }]) => other !== task || times > 1)) return [];
  return [
    { verb: 'unwritten', task, rest: `its state was not written back: ${note}`, paint: 'yellow' },
  ];
}

type StepEvent = Extract<Event, { type: 'step-paused' | 'step-resumed' }>;

/** Short trouble, such as a lock of another process, is not worth a line. A worker that is dropped is told once. */
function stepLines(event: StepEvent, { run }: ProgressContext): Line[] {
  if (event.type === 'step-resumed') {
    return event.step === startStep
      ? [{ verb: 'continues', rest: 'there is disk space again' }]
      : [];
  }
  const paused = run?.(event.run)?.pausedSteps ?? {};
  const { times = 1 } = paused[event.step] ?? {};
  const unfit = event.failure.kind === 'worker-unfit' ? event.failure.worker : undefined;
  const ofWorker = Object.values(paused).filter(({ failure }) => {
    return failure.kind === 'worker-unfit' && failure.worker === unfit;
  });
  const isDropped = unfit !== undefined && times === 1 && ofWorker.length <= 1;
  const isNews = event.step === startStep || times === limits.stepTries || isDropped;
  return isNews ? withRemedy('waits', undefined, event.failure, 'yellow') : [];
}

function trainLines(event: Event, context: ProgressContext): Line[] {
  switch (event.type) {
    case 'landed': {
      const arrived = event.entries.flatMap((entry, place) => {
        const commit = event.commits?.[place] ?? event.commit;
        return [
          landed(entry, commit, event.at, context),
          ...(entry.coClaims ?? []).map((task) => coClaimLanded(task, entry, commit)),
        ];
      });
      return [...arrived, ...blamedLines(context)];
    }
    case 'delivered':
      return event.entries.map((entry): Line => {
        const rest = `${event.url ?? event.branch}  (${triesOf(entry, event.at, context)})`;
        return { verb: 'delivered', task: entry.id, rest, paint: 'green' };
      });
    case 'gate-started': {
      // One branch in a gate is what people expect; several are worth a word.
      if (event.tasks.length < 2) return [];
      const tasks = event.tasks.join(', ');
      return [
        { verb: 'gate', rest: `${tasks}  together, gate ${gateNumber(event.slot)}`, paint: 'blue' },
      ];
    }
    case 'target-moved': {
      const mover = event.by === undefined ? 'someone else' : `the agent of ${event.by.id}`;
      const rest = `target from ${shortCommit(event.from)} to ${shortCommit(event.to)} by ${mover}`;
      return [{ verb: 'moved', rest, paint: 'yellow' }];
    }
    case 'landing-waits':
      return withRemedy('waits', coClaims(event.candidate, context), event.failure, 'yellow');
    case 'candidate-dropped':
      return [{ verb: 'rebuild', rest: dropReasonText(event.reason) }];
    case 'target-check-started': {
      const settings = context.run?.(event.run)?.settings;
      const before = settings && beforeGate(event.before, settings);
      const check = { reason: event.reason, before };
      return [{ verb: 'check', rest: targetCheckText(check, settings?.target), paint: 'blue' }];
    }
    case 'target-judged':
      return event.verdict.id === 'failed' ? redTarget(event.verdict.failure) : [];
    case 'candidate-judged': {
      if (event.verdict.id === 'passed') {
        return [...quarantineLines(event.verdict.quarantined), ...blamedLines(context)];
      }
      const red = bad(
        'red',
        coClaims(event.candidate, context, event.count),
        event.verdict.failure,
        'yellow',
      );
      const several = (event.count ?? context.entries?.(event.candidate).length ?? 1) > 1;
      return several ? [red, ...blamedLines(context)] : [red];
    }
    default:
      return attemptLines(event, context);
  }
}

/** Includes the end of the gate's output: this is why the run stops. */
function redTarget(failure: Failure): Line[] {
  const { output = [] } = explain(failure);
  const shown = output.slice(-outputLines).map((rest): Line => ({ verb: '', rest }));
  return [bad('red', undefined, failure), ...shown];
}

/** Reported every time, so that it does not look like a normal pass. */
function quarantineLines(quarantined: readonly string[] = []): Line[] {
  return quarantined.map((command) => {
    const rest = `"${command}" is quarantined as flaky: it passed after extra retries`;
    return { verb: 'flaky', rest, paint: 'yellow' };
  });
}

/** The branch at fault goes back to its agent. */
function blamedLines({ blamed }: ProgressContext): Line[] {
  return blamed === undefined ? [] : [bad('returned', blamed.task, blamed.failure, 'yellow')];
}

function coClaims(
  candidate: string,
  { entries }: ProgressContext,
  count?: number,
): string | undefined {
  return entries?.(candidate)
    .slice(0, count)
    .map((entry) => entry.id)
    .join(', ');
}

function landed(entry: QueueEntry, commit: string, at: number, context: ProgressContext): Line {
  const rest = `${shortCommit(commit)}  (${triesOf(entry, at, context)})`;
  return { verb: 'landed', task: entry.id, rest, paint: 'green' };
}

function coClaimLanded(task: TaskId, { id }: QueueEntry, commit: string): Line {
  const rest = `${shortCommit(commit)}  (with ${id})`;
  return { verb: 'landed', task, rest, paint: 'green' };
}

function triesOf(entry: QueueEntry, at: number, { record }: ProgressContext): string {
  const attempt = record(entry.id)?.attempt;
  const took =
    attempt?.number === entry.attempt ? `, ${span(Math.max(0, at - attempt.startedAt))}` : '';
  return `attempt ${entry.attempt}${took}`;
}

function personLines(
  event: Extract<
    Event,
    { type: 'stop-asked' | 'slots-changed' | 'run-reloaded' | 'message-sent' | 'task-decided' }
  >,
): Line[] {
  const person = actorText(event.actor);
  switch (event.type) {
    case 'stop-asked': {
      const by = event.actor === undefined ? event.by : `${person} with ${event.by}`;
      return [{ verb: 'stopping', rest: `${event.how}, asked by ${by}` }];
    }
    case 'slots-changed':
      return [{ verb: 'slots', rest: `${slotChangeText(event.change)}, by ${person}` }];
    case 'run-reloaded':
      return [{ verb: 'reloaded', rest: `limits and programs of agents, by ${person}` }];
    case 'message-sent':
      return [{ verb: 'message', task: event.id, rest: `from ${person}: ${event.text}` }];
    case 'task-decided': {
      const { decision, id: task } = event;
      if (decision.kind === 'choose') {
        const rest = choiceText({ ...decision, actor: event.actor });
        return [{ verb: 'chosen', task, rest }];
      }
      const reason = decisionReason(decision);
      const by = isByRun(decision) ? 'the run' : person;
      const why = reason === undefined ? '' : `: ${shortCommit(reason)}`;
      return [{ verb: decision.kind, task, rest: `by ${by}${why}` }];
    }
  }
}
