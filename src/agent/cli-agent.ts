import { existsSync } from 'node:fs';
import type { Action } from '../model/action.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TurnFacts, TurnResult } from '../model/turn.ts';
import { inRange } from '../model/version.ts';
import type { Agent, AgentHealth, Launch, Turn, TurnListener } from '../port/agent.ts';
import type { ProcessEnd } from '../port/processes.ts';
import { failedCall } from './action.ts';
import { oneLine, streamBroken } from './classify.ts';
import { agentProgram, turnEnvironment, versionOf } from './command.ts';
import type { Harness, HarnessOptions, StreamFacts } from './harness.ts';
import { jsonOf } from './stream.ts';
import {
  answerResult,
  type Done,
  endedFromOutside,
  exitFailure,
  killedFromOutside,
  type Redact,
  signalResult,
  signalsFor,
  withoutSecrets,
} from './turn-end.ts';
import { settled } from './wait.ts';

export interface CliAgentOptions extends HarnessOptions {
  /** Program to run instead of the usual one: a name on PATH, or a path relative to `root`. */
  readonly binary?: string;
  readonly done?: Done;
  readonly env?: Readonly<Record<string, string>>;
  readonly root: string;
  /** Environment of every child process; used to find the program and a sign-in. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Removes secrets. The stream contains them; stored text must not. */
  readonly redact?: Redact;
}

/** Makes an agent of a coding agent's command line. */
export function cliAgent(harness: Harness, options: CliAgentOptions): Agent {
  const { name, root, base, env = {}, done = 'signal' } = options;
  const environment = { ...base, ...env };
  const given = options.binary ?? harness.binary;
  const { binary, check } = agentProgram(name, given, root, environment.PATH);
  return {
    name,
    capabilities: harness.capabilities,
    ...signalsFor(done),
    check,
    async probe(): Promise<AgentHealth> {
      const version = await versionOf(binary(), root, environment);
      const [from, below] = harness.supported;
      return {
        supported: `${from} or newer, below ${below}`,
        ...(version === undefined ? {} : { version, fits: inRange(version, harness.supported) }),
        ...harness.signIn(environment, existsSync),
      };
    },
    launch(defined): Launch {
      const turn = withoutSession(defined);
      return {
        argv: [binary(), ...harness.argv(turn, options)],
        env: { ...turnEnvironment(turn), ...harness.env(turn, options), ...env },
        state: harness.state({ ...environment, ...env }),
        endSignal: harness.endSignal,
      };
    },
    ...attachOf(harness, binary, options),
    listen: (turn) => streamListener(harness, withoutSession(turn), options, binary),
  };
}

function attachOf(
  { attach, state }: Harness,
  binary: () => string,
  { sandbox, base, env = {} }: CliAgentOptions,
): Pick<Agent, 'attach'> {
  if (attach === undefined) return {};
  return {
    attach: (session, worktree) => ({
      argv: [binary(), ...attach(session, worktree, { sandbox })],
      env,
      state: state({ ...base, ...env }),
    }),
  };
}

/** A one-shot call never resumes a conversation. */
export function withoutSession(turn: Turn): Turn {
  if (turn.purpose !== 'review') return turn;
  const { session: _session, sessionUsage: _usage, ...rest } = turn;
  return rest;
}

function streamListener(
  harness: Harness,
  turn: Turn,
  options: CliAgentOptions,
  binary: () => string,
): TurnListener {
  const reader = harness.read(turn, options);
  const failed: string[] = [];
  return {
    line(text) {
      const json = jsonOf(text);
      if (json !== undefined) noteFailed(failed, reader.line(json));
      return reader.facts().end !== undefined;
    },
    conclude(end, tail) {
      const heard = reader.facts();
      const result = turnResult({ harness, turn, options, binary: binary() }, heard, end, tail);
      const whole = result.ok && failed.length > 0 ? { ...result, failed } : result;
      return withoutSecrets(whole, options.redact);
    },
  };
}

/** Keeps the newest failed tool calls. */
function noteFailed(failed: string[], actions: readonly Action[]): void {
  for (const action of actions) {
    if (action.id !== 'tool' || action.call.outcome?.ok !== false) continue;
    failed.push(failedCall(action.call));
    if (failed.length > limits.failedCalls) failed.shift();
  }
}

interface TurnContext {
  readonly harness: Harness;
  readonly turn: Turn;
  readonly options: CliAgentOptions;
  readonly binary: string;
}

/** Result of a turn from its exit and its stream, the most reliable source first. */
function turnResult(
  judge: TurnContext,
  heard: StreamFacts,
  end: ProcessEnd,
  tail: string,
): TurnResult {
  const reviews = judge.turn.purpose === 'review';
  const facts = factsOf(heard, !reviews);
  const failure =
    limitInLog(judge, end, tail) ??
    endedFromOutside(judge.turn, end, readable(heard, tail), judge.binary) ??
    failureOf(judge, heard, end, tail);
  if (failure !== undefined) return failed(settled(failure, end.endedAt), facts);
  if (reviews) return answerResult(heard.finalText, endOf(heard.finalText), facts);
  const { name, done = 'signal' } = judge.options;
  const result = signalResult(heard.finalText, endOf(heard.finalText), done, facts);
  return hasSignal(result) ? result : (deniedResult(name, heard, facts) ?? result);
}

/**
 * Rate limit or quota that a silent agent was waiting for, if its log has one. Some agents wait for hours without
 * output; the cause says more than our time limit.
 */
function limitInLog(
  { harness, turn, options }: TurnContext,
  end: ProcessEnd,
  tail: string,
): Failure | undefined {
  if (end.how.id !== 'limit' || end.how.limit !== 'idle') return undefined;
  const found = harness.diagnose(turn, end, tail, options);
  return found?.kind === 'provider-rate-limit' || found?.kind === 'quota-exhausted'
    ? found
    : undefined;
}

/** A lost session must not be resumed, even if the stream printed its id. */
function failed(failure: Failure, { session, ...facts }: TurnFacts): TurnResult {
  const known = session === undefined || failure.kind === 'session-lost' ? {} : { session };
  return { ok: false, failure, ...known, ...facts };
}

function failureOf(
  { harness, turn, options }: TurnContext,
  heard: StreamFacts,
  end: ProcessEnd,
  tail: string,
): Failure | undefined {
  const shown = readable(heard, tail);
  // Some agents report an error of their own while they are killed.
  const reported = heard.end === 'ok' || heard.end?.kind === 'agent-error' ? undefined : heard.end;
  const first = reported ?? killedFromOutside(end, shown);
  if (first !== undefined) return first;
  if (heard.end !== undefined) return heard.end === 'ok' ? exitFailure(end, shown) : heard.end;
  return (
    harness.diagnose(turn, end, tail, options) ??
    exitFailure(end, shown) ??
    streamBroken(options.name, shown.trimEnd().split('\n').at(-1) ?? '')
  );
}

/** Readable end of the output: the final message and all lines that are not part of the stream. */
function readable({ finalText }: StreamFacts, tail: string): string {
  const lines = tail.split('\n').filter((line) => !isStreamLine(line));
  return endOf([finalText, lines.join('\n')].filter((part) => part.trim() !== '').join('\n'));
}

/** True for an event, or for the rest of one whose beginning was cut off. */
function isStreamLine(line: string): boolean {
  return jsonOf(line) !== undefined || /"\s*[\]}]*\}$/.test(line);
}

/** Refused tools are a failure only if the agent did not end its turn by a signal. */
function deniedResult(agent: string, heard: StreamFacts, facts: TurnFacts): TurnResult | undefined {
  const { denied = [], finalText } = heard;
  if (denied.length === 0) return undefined;
  const failure: Failure = {
    kind: 'permission-denied',
    agent,
    message: oneLine(finalText),
    tools: [...new Set(denied)],
  };
  return { ok: false, failure, ...facts };
}

function hasSignal(result: TurnResult): boolean {
  return result.ok && result.signal !== undefined && result.signal.id !== 'nothing';
}

function factsOf({ session, model, usage }: StreamFacts, goesOn: boolean): TurnFacts {
  return { session: goesOn ? session : undefined, model, usage };
}

const endOf = (text: string): string => text.slice(-limits.tailBytes);
