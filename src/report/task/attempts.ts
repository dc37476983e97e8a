import { outcomeOfEnd } from '../../history/attempt-history.ts';
import {
  type AttemptRecord,
  driverOf,
  endedAt,
  rangeOf,
  type TurnRecord,
} from '../../model/history.ts';
import type { Usage } from '../../model/turn.ts';
import { type FailureView, failureView } from '../view/failure.ts';
import { attemptCost } from './evidence.ts';

/** An attempt with its turns, for people and programs. */
export interface AttemptStory {
  readonly number: number;
  readonly run: string;
  readonly agent: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome: string;
  readonly failure?: FailureView;
  readonly turns: readonly TurnStory[];
  readonly calls: readonly CallStory[];
  /** True if there is a diff to show. */
  readonly hasWork: boolean;
  readonly tokens?: number;
  readonly costUsd?: number;
}

interface ProcessStory {
  readonly agent: string;
  readonly model?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly usage?: Usage;
}

interface TurnStory extends ProcessStory {
  readonly turn: number;
  readonly outcome: string;
  readonly failure?: FailureView;
}

interface CallStory extends ProcessStory {
  readonly kind: string;
  readonly round: number;
  readonly answer?: string;
}

export function attemptStory(record: AttemptRecord): AttemptStory {
  const { number, task, agent, branch, startedAt, end, turns, calls } = record;
  const { ms: _ms, ...cost } = attemptCost(record);
  const failure = 'failure' in end ? failureView(end.failure, task) : undefined;
  return {
    number,
    run: driverOf(record),
    agent,
    branch,
    startedAt,
    outcome: outcomeOfEnd(end),
    endedAt: endedAt(record),
    failure,
    turns: turns.map((turn) => ({
      turn: turn.turn,
      outcome: isAwaiting(turn) ? 'awaiting approval' : turn.outcome,
      ...processStory(turn),
      failure: turn.failure && failureView(turn.failure, task),
    })),
    calls: calls.map((call) => {
      const { kind, round } = call;
      return { kind, round, ...processStory(call), answer: call.end?.answer };
    }),
    hasWork: rangeOf(record) !== undefined,
    ...cost,
  };
}

function isAwaiting({ outcome, failure }: TurnRecord): boolean {
  return outcome === 'incomplete' && failure?.kind === 'approval-needed';
}

type Process = AttemptRecord['turns'][number] | AttemptRecord['calls'][number];

function processStory({ agent, model, startedAt, end }: Process): ProcessStory {
  const known = { model: end?.model ?? model, endedAt: end?.at, usage: end?.usage };
  return { agent, startedAt, ...known };
}
