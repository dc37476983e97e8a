import { constants } from 'node:os';
import { defined } from '../model/defined.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { killSignalOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { isTaskId } from '../model/task.ts';
import type { TurnFacts, TurnResult, Usage } from '../model/turn.ts';
import type { Agent, Turn, TurnListener } from '../port/agent.ts';
import type { HowEnded, ProcessEnd } from '../port/processes.ts';
import { followUpsIn, nextIn } from '../protocol/follow-up.ts';
import { notesIn } from '../protocol/note.ts';
import { completeLine, doneLine, endSignalIn } from '../protocol/signal.ts';
import { withoutTokens } from '../protocol/token.ts';
import type { Json } from './harness.ts';
import { countAt, finalText, jsonOf } from './stream.ts';

/** `exit`: exit code 0 completes the turn. `signal`: the agent must also print the completion line. */
export type Done = 'exit' | 'signal';

/** Lines that the agent must be told to print. */
export function signalsFor(done: Done): Pick<Agent, 'signals'> {
  return done === 'exit' ? {} : { signals: { complete: completeLine, giveUp: doneLine } };
}

/**
 * Reads a turn of an agent that prints plain text. Signals are read from the end of standard output, or of standard
 * error if standard output is empty.
 */
export function textListener(
  turn: Pick<Turn, 'turn' | 'purpose'>,
  done: Done,
  binary: () => string,
  redact?: Redact,
): TurnListener {
  const printed = finalText();
  const reviews = turn.purpose === 'review';
  return {
    ignoresOutput: done === 'exit' && !reviews,
    line(text) {
      printed.add(`${text}\n`);
      // Plain text has no final line.
      return false;
    },
    conclude(end, tail) {
      const text = printed.text().trim() === '' ? tail : printed.text();
      const facts = { usage: usageIn(text) ?? usageIn(tail) };
      const failure = endedFromOutside(turn, end, tail, binary()) ?? exitFailure(end, tail);
      const result = (): TurnResult => {
        if (failure !== undefined) return { ok: false, failure, ...facts };
        if (reviews) return answerResult(printed.text(), tail, facts);
        return signalResult(text, tail, done, facts);
      };
      return withoutSecrets(result(), redact);
    },
  };
}

/** Failure of a process that did not end by itself; its output does not count. */
export function endedFromOutside(
  { turn }: Pick<Turn, 'turn'>,
  { how }: ProcessEnd,
  tail: string,
  binary: string,
): Failure | undefined {
  switch (how.id) {
    case 'exited':
    case 'signaled':
      return undefined;
    case 'limit':
      return isLinger(how)
        ? undefined
        : { kind: 'limit-crossed', phase: 'agent', limit: how.limit, value: how.value, tail };
    case 'interrupted':
      return { kind: 'interrupted', by: 'the run' };
    case 'lost':
      return { kind: 'agent-lost', turn };
    case 'not-started':
      return { kind: 'agent-not-started', binary, cause: how.cause };
    default:
      return unreachable(how);
  }
}

/** The agent had finished its answer but did not exit; the answer counts. */
function isLinger(how: HowEnded): boolean {
  return how.id === 'limit' && how.limit === 'linger';
}

/** Failure for a nonzero exit status or a signal that we did not send. */
export function exitFailure({ how }: ProcessEnd, tail: string): Failure | undefined {
  if (how.id === 'exited') {
    return how.code === 0 ? undefined : { kind: 'agent-exited', exit: how.code, tail };
  }
  if (how.id !== 'signaled') return undefined;
  const exit = 128 + signalNumber(how.signal);
  return { kind: 'agent-exited', exit, signal: how.signal, tail };
}

/** Failure for a kill signal from outside; it outranks errors the agent reported while dying. */
export function killedFromOutside(end: ProcessEnd, tail: string): Failure | undefined {
  const failure = exitFailure(end, tail);
  if (failure?.kind !== 'agent-exited') return undefined;
  return killSignalOf(failure) === undefined ? undefined : failure;
}

function signalNumber(name: string): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}

/** Result of a process that exited cleanly, from its final message. */
export function signalResult(text: string, tail: string, done: Done, facts: TurnFacts): TurnResult {
  if (done === 'exit') return { ok: true, tail, ...facts };
  const said = endSignalIn(text);
  const all = { ...facts, ...suggestionsIn(text) };
  return said.id === 'gave-up'
    ? { ok: false, failure: { kind: 'agent-gave-up', message: said.message }, ...all }
    : { ok: true, tail, signal: said, ...all };
}

/** Result of a one-shot call that exited cleanly. */
export function answerResult(text: string, tail: string, facts: TurnFacts): TurnResult {
  return { ok: true, tail, ...facts, answer: endOf(text.trim()) };
}

/** Begins at a line start, because half a line could look like another line. */
function endOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limits.answerBytes) return text;
  const end = bytes.subarray(-limits.answerBytes).toString();
  return end.slice(end.indexOf('\n') + 1);
}

/** Follow-ups, notes and next tasks; they count however the turn ends. */
function suggestionsIn(text: string): Pick<TurnFacts, 'next' | 'followUps' | 'notes'> {
  const followUps = followUpsIn(text);
  const notes = notesIn(text);
  return {
    next: nextIn(text),
    followUps: followUps.length === 0 ? undefined : followUps,
    notes: notes.length === 0 ? undefined : notes,
  };
}

export type Redact = (text: string) => string;

/** Removes secrets from a result before it is stored. Ids stay, because they are used again. */
export function withoutSecrets(result: TurnResult, redact: Redact | undefined): TurnResult {
  const clean = (text: string): string => withoutTokens(redact?.(text) ?? text);
  const { session, model, next, ...texts } = result;
  return { ...(cleaned(texts, clean) as TurnResult), ...defined({ session, model, next }) };
}

/** Fields that hold ids or our own constants. */
const kept = new Set(['kind', 'id', 'session']);

function cleaned(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => cleaned(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    kept.has(name) ? item : cleaned(item, name === 'ids' ? exceptIds(redact) : redact),
  ]);
  return Object.fromEntries(entries);
}

/** A claim may contain words that are not ids. */
function exceptIds(redact: Redact): Redact {
  return (word) => (isTaskId(word) ? word : redact(word));
}

/**
 * The last usage line in the output, `{"type":"usage","input":…,"cacheRead":…,"cacheWrite":…,"output":…,"costUsd":…}`.
 * Missing counts are 0. All other lines are skipped.
 */
export function usageIn(text: string): Usage | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.includes('"usage"'));
  for (const line of lines.reverse()) {
    const usage = usageOf(jsonOf(line));
    if (usage !== undefined) return usage;
  }
  return undefined;
}

function usageOf(json: Json | undefined): Usage | undefined {
  if (json?.type !== 'usage') return undefined;
  const usage = {
    input: countAt(json, 'input'),
    cacheRead: countAt(json, 'cacheRead'),
    cacheWrite: countAt(json, 'cacheWrite'),
    output: countAt(json, 'output'),
  };
  return typeof json.costUsd === 'number' ? { ...usage, costUsd: countAt(json, 'costUsd') } : usage;
}

/** Subtracts the earlier turns from the usage of a conversation; never below 0. */
export function minus(all: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return all;
  return {
    input: Math.max(0, all.input - before.input),
    cacheRead: Math.max(0, all.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, all.cacheWrite - before.cacheWrite),
    output: Math.max(0, all.output - before.output),
  };
}
