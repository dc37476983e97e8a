import { callKey } from '../model/call.ts';
import { type Command, keyOf } from '../model/command.ts';
import { type Event, runOf } from '../model/event.ts';
import type { RunId, Scope } from '../model/run.ts';
import { inScope, isOverLimit } from '../task/scope.ts';
import { decide } from './decide.ts';
import { fold } from './fold.ts';
import { State } from './state.ts';

/** An event of the log that does not follow from what this program decides. */
export interface ReplayDifference {
  readonly event: Event;
  /** Commands of the same type that are decided instead. */
  readonly instead: readonly Command[];
}

/** Result of replaying a run. */
export interface Replay {
  readonly run: RunId;
  /** Events that were folded, of all runs, up to the end of this one. */
  readonly events: number;
  /** Events that record a decision, such as a claim or the start of a turn. */
  readonly decisions: number;
  /** Events that are the result of a command, such as the end of a turn or a landing. */
  readonly results: number;
  readonly differences: readonly ReplayDifference[];
}

/** The command that an event records, or the key of the command whose result it is. */
type Origin =
  | {
      readonly id: 'decision';
      readonly command: Command['type'];
      readonly fields: readonly string[];
    }
  /** A decision of a person, or one that several commands can lead to, so that it is not compared. */
  | { readonly id: 'unchecked' }
  | { readonly id: 'result'; readonly keys: readonly string[] }
  | { readonly id: 'other' };

/**
 * Folds a log event by event and decides after each, as the engine does. An event that records a decision must be among
 * the commands that are decided from the state before it, or from a state since the last result: the engine stores
 * several decisions one after the other. An event that is a result must belong to a command that was decided before. The
 * time of an event is the time of the decision; since the engine decided a little earlier, that of the event before
 * counts as well.
 */
export class Replayer {
  readonly #run: RunId;
  readonly #state: State;
  /** Commands decided since the last event that was no decision. */
  #recent: Command[] = [];
  readonly #keys = new Set<string>();
  readonly #differences: ReplayDifference[] = [];
  #events = 0;
  #decisions = 0;
  #results = 0;
  #lastAt = 0;
  #hasBegun = false;

  constructor(run: RunId, scope: Scope) {
    this.#run = run;
    const within = inScope(scope, (id) => this.#state.task(id)?.task);
    this.#state = new State((task) => within(task) && !isOverLimit(this.#state.run(run), task.id));
  }

  take(event: Event): void {
    this.#events += 1;
    const isOwn = runOf(event) === this.#run;
    const origin: Origin = isOwn && this.#hasBegun ? originOf(event) : { id: 'other' };
    if (isOwn) this.#hasBegun = true;
    if (origin.id !== 'other' && event.at !== this.#lastAt) this.#decide(event.at);
    if (origin.id === 'decision') this.#checkDecision(event, origin);
    if (origin.id === 'result') this.#checkResult(event, origin.keys);
    fold(this.#state, event);
    this.#state.takeSteps();
    // The engine stores the events of a finished command before it decides again.
    if (isOwn && (origin.id === 'result' || origin.id === 'other')) this.#recent = [];
    this.#lastAt = event.at;
    if (this.#hasBegun) this.#decide(event.at);
  }

  result(): Replay {
    return {
      run: this.#run,
      events: this.#events,
      decisions: this.#decisions,
      results: this.#results,
      differences: this.#differences,
    };
  }

  #decide(at: number): void {
    const { commands } = decide(this.#state, this.#run, at);
    for (const command of commands) this.#keys.add(workOf(command));
    this.#recent.push(...commands);
  }

  #checkDecision(
    event: Event,
    { command: type, fields }: Extract<Origin, { id: 'decision' }>,
  ): void {
    this.#decisions += 1;
    const same = this.#recent.filter((command) => command.type === type);
    if (same.some((command) => fields.every((field) => isSame(command, event, field)))) return;
    const instead = new Map(same.map((command) => [JSON.stringify(command), command]));
    this.#differences.push({ event, instead: [...instead.values()] });
  }

  #checkResult(event: Event, keys: readonly string[]): void {
    this.#results += 1;
    if (keys.some((key) => this.#keys.has(key))) return;
    this.#differences.push({ event, instead: [] });
  }
}

function isSame(command: object, event: object, field: string): boolean {
  const valueIn = (from: object): unknown =>
    Object.entries(from).find(([key]) => key === field)?.[1];
  return JSON.stringify(valueIn(command)) === JSON.stringify(valueIn(event));
}

const ofAttempt = ['id', 'attempt'];

function decision(command: Command['type'], ...fields: readonly string[]): Origin {
  return { id: 'decision', command, fields };
}

/** The work of a command. Landings share a key, but each is of one candidate. */
function workOf(command: Command): string {
  return command.type === 'land' ? `land ${command.candidate.id}` : keyOf(command);
}

function resultOf(...keys: readonly string[]): Origin {
  return { id: 'result', keys };
}

/** Events of people, of the machine and of agents during their turn follow from no command. */
function originOf(event: Event): Origin {
  switch (event.type) {
    case 'attempt-started':
      return decision('claim', ...ofAttempt, 'slot', 'agent', 'branch');
    case 'attempt-adopted':
      return decision('adopt', ...ofAttempt, 'from', 'slot');
    case 'turn-started':
      return decision('begin-turn', ...ofAttempt, 'turn', 'slot', 'messages');
    case 'call-started':
      return decision('begin-call', ...ofAttempt, 'call', 'slot');
    case 'branch-gate-started':
      return decision('begin-branch-gate', ...ofAttempt, 'tree', 'gateSlot');
    case 'gate-skipped':
      return decision('skip-gate', ...ofAttempt, 'tree', 'reason');
    case 'approval-asked':
      return decision('ask-approval', ...ofAttempt, 'failure');
    case 'gate-started':
      return decision('begin-gate', 'candidate', 'count', 'commit', 'tree', 'slot');
    case 'planner-started':
      return decision('begin-batch', 'call', 'agent');
    case 'batch-widened':
      return decision('widen-batch', 'number');
    case 'revision-started':
      return decision('begin-revision', 'call', 'agent');
    case 'plan-proposed':
      return resultOf('revise-plan');
    case 'variants-added':
      return decision('expand', 'variants', 'choose');
    case 'choice-asked':
      return decision('ask-choice', 'finished');
    case 'attempt-given-up':
    // A person or a worker may do this after the engine has decided and before it stores what it decided.
    case 'slots-changed':
    case 'run-reloaded':
    case 'worker-changed':
    case 'stop-asked':
      return { id: 'unchecked' };
    case 'batch-planned':
      return event.call === undefined ? decision('skip-batch', 'plan') : resultOf('plan-batch');
    case 'worktree-ready':
      return resultOf(`prepare ${event.id} ${event.attempt}`);
    case 'turn-ended':
      return resultOf(`run-turn ${event.id} ${event.attempt} ${event.turn}`);
    case 'call-ended':
      return resultOf(`run-call ${callKey(event)}`);
    case 'work-captured':
    case 'work-left-out':
    case 'work-planned':
      return resultOf(`capture ${event.id} ${event.attempt}`);
    case 'target-merged':
      return resultOf(`merge-target ${event.id} ${event.attempt}`);
    case 'branch-judged':
      return resultOf(`judge-branch ${event.id} ${event.attempt}`);
    case 'attempt-failed':
      return resultOf(`save ${event.id} ${event.attempt}`);
    case 'candidate-built':
      return resultOf('build-candidate');
    case 'landed':
    case 'delivered':
    case 'landing-waits':
      return resultOf(`land ${event.candidate}`);
    case 'target-judged':
      return resultOf('judge-target', 'verify');
    case 'run-verified':
      return resultOf('verify');
    default:
      return { id: 'other' };
  }
}
