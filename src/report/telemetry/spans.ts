import { partIn } from '../../history/attempt-history.ts';
import { callName } from '../../model/call.ts';
import {
  type AttemptEnd,
  type AttemptRecord,
  type CallRecord,
  endedAt,
  type TurnRecord,
} from '../../model/history.ts';
import type { GatedWork, GateRun, QueueStep } from '../../model/queue-history.ts';
import { endOf, type RunRecord, stopOf } from '../../model/run-record.ts';
import { genAiAttributes, inputTokens, type ProviderOf } from './agent-process.ts';
import type { Span } from './otlp.ts';
import {
  attemptKey,
  type SpanPart as Part,
  runKey,
  type SpanOptions,
  type SpanPart,
  spanOf,
} from './span-part.ts';

interface TraceSource {
  readonly run: RunRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly queue: readonly QueueStep[];
}

/**
 * The whole trace of a run: run, attempts, turns, calls, gates, landings. Ids depend on the records only, so a span that
 * is made twice has the same id. Only what has ended has a span, so that none is sent with two ends: the run is absent
 * while it goes on, an attempt while it waits. Spans have ids, kinds and numbers, and no text of tasks, agents or gates.
 */
export function spansOfRun({ run, attempts, queue }: TraceSource, options: SpanOptions): Span[] {
  const end = endOf(run);
  const inRun = end === undefined ? [] : [spanOf(run.id, runPart(run, end), options)];
  return [...inRun, ...spansSoFar(run, attempts, { queue, judged: attempts }, options)];
}

/** Spans of attempts that have ended, and of gates. `judged` are the attempts in the candidates of these gates. */
export function spansSoFar(
  run: RunRecord,
  ended: readonly AttemptRecord[],
  { queue, judged }: { queue: readonly QueueStep[]; judged: readonly AttemptRecord[] },
  options: SpanOptions,
): Span[] {
  const parts = [
    ...ended.flatMap((attempt) => attemptParts(run, attempt, options.providerOf)),
    ...gateParts(run, judged, queue),
  ];
  return parts.map((part) => spanOf(run.id, part, options));
}

function runPart(run: RunRecord, to: number): SpanPart {
  const stop = stopOf(run);
  return {
    key: runKey(run),
    name: 'run',
    from: run.resumedAt ?? run.startedAt,
    to,
    error: stop?.failure?.kind,
    attributes: {
      'yardmaster.run.stop': stop?.reason,
      'yardmaster.run.resumed': run.resumedAt !== undefined,
      'yardmaster.run.jobs': run.settings.jobs,
      'yardmaster.run.agent_starts': run.spent.starts,
      'yardmaster.run.landings': run.train.landed,
    },
  };
}

/** A gate of a branch belongs to its attempt, any other to the run. That of a candidate links to the attempts in it. */
function gateParts(
  run: RunRecord,
  attempts: readonly AttemptRecord[],
  queue: readonly QueueStep[],
): readonly SpanPart[] {
  const inCandidate = new Map<string, AttemptRecord[]>();
  for (const attempt of attempts) {
    for (const prefix of attempt.prefixes) {
      if (prefix.run !== run.id) continue;
      const known = inCandidate.get(prefix.candidate) ?? [];
      inCandidate.set(prefix.candidate, known);
      known.push(attempt);
    }
  }
  return queue.flatMap(({ at, what }) => {
    if (what.type !== 'gated') return [];
    const { work, since, verdict, cached } = what.run;
    const part = {
      // The same piece of work is judged again at another time.
      key: `gate ${at} ${workKey(work)}`,
      name: 'gate',
      from: since,
      to: at,
      error: errorOf(verdict),
      attributes: {
        'yardmaster.gate.of': work.id,
        'yardmaster.gate.verdict': verdict,
        'yardmaster.gate.cached': cached,
        ...attributesOfWork(work),
      },
    };
    if (work.id === 'branch') {
      return [{ ...part, parent: attemptKey({ task: work.task, number: work.attempt }) }];
    }
    const own = work.id === 'candidate' ? (inCandidate.get(work.candidate) ?? []) : [];
    const links = own.filter(({ task }) => work.id === 'candidate' && work.tasks.includes(task));
    return [{ ...part, parent: runKey(run), links: links.map(attemptKey) }];
  });
}

function workKey(work: GatedWork): string {
  switch (work.id) {
    case 'branch':
      return attemptKey({ task: work.task, number: work.attempt });
    case 'candidate':
      return `${work.candidate} ${work.tasks.join(' ')}`;
    case 'target':
      return work.commit;
  }
}

/** An abandoned gate has no verdict, and nothing failed. */
function errorOf(verdict: GateRun['verdict']): string | undefined {
  switch (verdict) {
    case 'failed':
      return 'gate-red';
    case 'not-run':
      return 'gate-not-run';
    case 'passed':
    case 'abandoned':
      return undefined;
  }
}

function attributesOfWork(work: GatedWork): SpanPart['attributes'] {
  switch (work.id) {
    case 'branch':
      return { 'yardmaster.task.id': work.task, 'yardmaster.attempt.number': work.attempt };
    case 'candidate':
      return {
        'yardmaster.candidate.id': work.candidate,
        'yardmaster.candidate.branches': work.tasks.length,
      };
    case 'target':
      return { 'yardmaster.target.commit': work.commit };
  }
}

/** An attempt that has not ended has no span, only its processes that have ended. */
function attemptParts(
  run: RunRecord,
  record: AttemptRecord,
  providerOf: ProviderOf,
): readonly Part[] {
  const own = partIn(record, run.id);
  const { task, number, end } = own;
  const to = endedAt(own);
  const of = { 'yardmaster.task.id': task, 'yardmaster.attempt.number': number };
  const parent = attemptKey(own);
  const attempt = (until: number): Part => ({
    key: parent,
    parent: runKey(run),
    name: 'attempt',
    from: Math.max(own.startedAt, run.startedAt),
    to: until,
    error: 'failure' in end ? end.failure.kind : undefined,
    attributes: {
      ...of,
      'yardmaster.attempt.end': end.id,
      'yardmaster.attempt.turns': own.turns.length,
      'gen_ai.agent.name': own.agent,
    },
  });
  const processes = [...own.turns, ...own.calls].flatMap((one): readonly Part[] => {
    const until = one.end?.at ?? to;
    if (until === undefined) return [];
    const { key, error, attributes } = 'turn' in one ? turnFacts(one) : callFacts(one);
    const part: Part = {
      key: `${parent} ${key}`,
      parent,
      name: `invoke_agent ${one.agent}`,
      from: one.startedAt,
      to: until,
      error,
      attributes: {
        ...of,
        ...attributes,
        'yardmaster.slot': one.slot,
        ...genAiAttributes(one, providerOf),
        ...usageAttributes(one),
      },
    };
    return [part];
  });
  const whole = to === undefined ? [] : [attempt(to)];
  return [...whole, ...processes, ...handOver(parent, end, of)];
}

type Facts = Pick<Part, 'key' | 'error' | 'attributes'>;

function turnFacts({ turn, outcome, failure }: TurnRecord): Facts {
  return {
    key: `turn ${turn}`,
    error: failure?.kind,
    attributes: { 'yardmaster.turn.number': turn, 'yardmaster.turn.outcome': outcome },
  };
}

function callFacts(call: CallRecord): Facts {
  return {
    key: `call ${callName(call)}`,
    error: call.end?.answer === 'failed' ? 'call-failed' : undefined,
    attributes: {
      'yardmaster.call.kind': call.kind,
      'yardmaster.call.round': call.round,
      'yardmaster.call.answer': call.end?.answer,
    },
  };
}

function usageAttributes({ end }: TurnRecord | CallRecord): Part['attributes'] {
  const usage = end?.usage;
  if (usage === undefined) return {};
  return {
    'gen_ai.usage.input_tokens': inputTokens(usage),
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'yardmaster.cost.usd': usage.costUsd === undefined ? undefined : { doubleValue: usage.costUsd },
  };
}

/** The moment at which the work landed or was delivered. */
function handOver(parent: string, end: AttemptEnd, of: Part['attributes']): readonly Part[] {
  if (end.id !== 'landed' && end.id !== 'delivered') return [];
  const more =
    end.id === 'landed'
      ? { 'yardmaster.landing.commit': end.commit, 'yardmaster.landing.order': end.order }
      : { 'yardmaster.delivery.how': end.how };
  return [
    {
      key: `${parent} ${end.id}`,
      parent,
      name: end.id === 'landed' ? 'landing' : 'delivery',
      from: end.at,
      to: end.at,
      error: undefined,
      attributes: { ...of, ...more, 'yardmaster.co_claims': end.coClaims.length },
    },
  ];
}
