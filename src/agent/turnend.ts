import { constants } from 'node:os';
import type { TurnResult } from '../model/attempt.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import type { ProcessEnd } from '../process/processes.ts';
import type { Agent, Turn } from './agent.ts';
import { completeLine, doneLine, signalIn } from './signal.ts';
import { usageIn } from './usage.ts';

/** `exit`: exit code 0 is all it takes. `signal`: the agent also has to say that it is complete. */
export type Done = 'exit' | 'signal';

/** What the agent has to be told to print, if anything. */
export function signalsFor(done: Done): Pick<Agent, 'signals'> {
  return done === 'exit' ? {} : { signals: { complete: completeLine, giveUp: doneLine } };
}

/** What a process that ended means for its turn. A failed process outranks anything it said. */
export function concludeTurn(
  turn: Pick<Turn, 'turn'>,
  end: ProcessEnd,
  tail: string,
  done: Done,
  binary: string,
): TurnResult {
  const failure =
    failureOf(turn, end, tail, binary) ?? (done === 'signal' ? unsaid(tail) : undefined);
  const usage = usageIn(tail);
  const used = usage === undefined ? {} : { usage };
  return failure === undefined ? { ok: true, tail, ...used } : { ok: false, failure, ...used };
}

function failureOf(
  { turn }: Pick<Turn, 'turn'>,
  { how }: ProcessEnd,
  tail: string,
  binary: string,
): Failure | undefined {
  switch (how.id) {
    case 'exited':
      return how.code === 0 ? undefined : { kind: 'agent-exited', exit: how.code, tail };
    case 'signalled':
      return {
        kind: 'agent-exited',
        exit: 128 + signalNumber(how.signal),
        signal: how.signal,
        tail,
      };
    case 'limit':
      return { kind: 'limit-crossed', phase: 'agent', limit: how.limit, value: how.value, tail };
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

function signalNumber(name: string): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}

function unsaid(tail: string): Failure | undefined {
  const signal = signalIn(tail);
  switch (signal.id) {
    case 'complete':
      return undefined;
    case 'done':
      return { kind: 'agent-gave-up', message: signal.message };
    case 'none':
      return { kind: 'agent-silent', expected: completeLine };
    default:
      return unreachable(signal);
  }
}
