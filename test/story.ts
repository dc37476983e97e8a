import { attemptOf, type Command, type CommandOf } from '../src/model/command.ts';
import type { Event, EventBody } from '../src/model/event.ts';
import { noEvidence } from '../src/model/evidence.ts';
import type { Failure } from '../src/model/failure.ts';
import type { Finding } from '../src/model/finding.ts';
import { type GateRuns, gateRunsIn } from '../src/model/history.ts';
import { limits, poolSize } from '../src/model/limits.ts';
import type { CallResult, ReviewVerdict } from '../src/model/review.ts';
import type { RunSettings } from '../src/model/run.ts';
import type { RunRecord } from '../src/model/run-record.ts';
import type { Decision, Task } from '../src/model/task.ts';
import { newTask } from '../src/model/task.ts';
import type { TaskRecord } from '../src/model/task-record.ts';
import { decide } from '../src/plan/decide.ts';
import { fold } from '../src/plan/fold.ts';
import { State } from '../src/plan/state.ts';
import { baseOf } from '../src/train/candidates.ts';
import { need } from './rig/need.ts';

export function task(id: string, more: Partial<Task> = {}): Task {
  return newTask({ id, title: `Task ${id}`, ...more });
}

export function settings(more: Partial<RunSettings> = {}): RunSettings {
  const jobs = more.jobs ?? 2;
  return {
    target: 'main',
    jobs,
    agent: 'scripted',
    scope: { kind: 'ready' },
    retries: limits.retriesDefault,
    quarantineAfter: limits.quarantineAfterDefault,
    slotErrors: limits.slotErrorsDefault,
    pool: poolSize(jobs),
    gate: 'gate',
    ...more,
  };
}

type OfTask = Extract<Command, { readonly id: string }>;

/** Further fields of captured work. */
type Made = Partial<
  Pick<
    Extract<EventBody, { type: 'work-captured' }>,
    'commit' | 'by' | 'changes' | 'violations' | 'resolves'
  >
>;

export const owner = { pid: 1, startedAt: 'then', host: 'here' };

/** Feeds events to the fold, and shows what is decided after them. */
export class Story {
  readonly state: State;
  readonly run = 'r1';
  now = 1_000;
  #seq = 0;
  /** Tasks that were already part of a candidate. */
  readonly #prefixes = new Set<string>();

  constructor(inScope?: (task: Task) => boolean) {
    this.state = new State(inScope);
  }

  /** Folds events, one millisecond apart. */
  tell(...events: readonly EventBody[]): this {
    for (const body of events) {
      this.#seq += 1;
      this.now += 1;
      const event: Event = { seq: this.#seq, at: this.now, version: 1, ...body };
      fold(this.state, event);
    }
    return this;
  }

  tasks(...tasks: readonly Task[]): this {
    return this.tell(...tasks.map((added) => ({ type: 'task-added', task: added }) as const));
  }

  start(more: Partial<RunSettings> = {}): this {
    return this.tell({
      type: 'run-started',
      run: this.run,
      owner,
      settings: settings(more),
      base: 'base',
    });
  }

  /** Claims the task and prepares its worktree. */
  prepared(id: string, slot = 1, base = 'base', agent = 'scripted'): this {
    const attempt = this.task(id).attempts + 1;
    const of = { run: this.run, id, attempt };
    return this.tell(
      {
        type: 'attempt-started',
        ...of,
        slot,
        fence: attempt,
        agent,
        branch: `yard/${this.run}/${id}-${attempt}`,
      },
      {
        type: 'worktree-ready',
        ...of,
        worktree: { id: `w${slot}`, dir: `/w${slot}` },
        base,
      },
    );
  }

  turn(id: string, slot = 1, assignment: { agent?: string; model?: string } = {}): this {
    const { attempt, of } = this.#of(id);
    return this.tell({
      type: 'turn-started',
      ...of,
      turn: attempt.conversation.turns + 1,
      slot,
      ...assignment,
    });
  }

  /** Starts the next turn as decided. */
  turnStarts(id: string): this {
    const { role: _role, ...command } = this.#decided('begin-turn', id);
    return this.tell({ ...command, type: 'turn-started', run: this.run });
  }

  /** A person writes to the agent of a task. */
  message(id: string, text: string): this {
    return this.tell({ type: 'message-sent', id, text });
  }

  /** The agent calls `ym agent` during its turn. */
  calls(id: string, call: Extract<EventBody, { type: 'agent-reported' }>['call']): this {
    const { attempt, of } = this.#of(id);
    return this.tell({ type: 'agent-reported', ...of, turn: attempt.conversation.turns, call });
  }

  turnEnds(id: string, result: Extract<EventBody, { type: 'turn-ended' }>['result']): this {
    const { attempt, of } = this.#of(id);
    return this.tell({ type: 'turn-ended', ...of, turn: attempt.conversation.turns, result });
  }

  /** From a prepared worktree to a captured commit. */
  works(id: string, slot = 1, made: Made = {}): this {
    return this.turn(id, slot).turnEnds(id, { ok: true, tail: '' }).captured(id, made);
  }

  /** Captures a commit; `commit` names it, otherwise it is new in each turn. */
  captured(id: string, { commit: named, ...made }: Made = {}): this {
    const { attempt, of } = this.#of(id);
    const commit = named ?? `${id}-${attempt.number}-${attempt.conversation.turns}`;
    const tree = `tree-${commit}`;
    return this.tell({ type: 'work-captured', ...of, commit, tree, by: 'agent', ...made });
  }

  /** A person decides about a task. */
  decided(id: string, decision: Decision): this {
    return this.tell({ type: 'task-decided', id, decision });
  }

  /** Starts the next reviewer as decided. */
  reviewerStarts(id: string): this {
    const command = this.#decided('begin-call', id);
    return this.tell({ ...command, type: 'call-started', run: this.run });
  }

  /** Ends the running reviewer. */
  reviewEnds(id: string, result: CallResult): this {
    const { attempt, of } = this.#of(id);
    if (attempt.state.id !== 'calling') throw new Error(`${id} is ${attempt.state.id}`);
    return this.tell({ type: 'call-ended', ...of, call: attempt.state.call, result });
  }

  /** The next reviewer reports these findings; without any it approves. */
  reviewed(id: string, ...findings: readonly Finding[]): this {
    const verdict: ReviewVerdict = findings.length === 0 ? 'approved' : 'needs-changes';
    return this.reviewerStarts(id).reviewEnds(id, { ok: true, verdict, findings });
  }

  /** The next reviewer fails. */
  reviewFails(id: string, failure: Failure): this {
    return this.reviewerStarts(id).reviewEnds(id, { ok: false, failure });
  }

  /** The next critique call, as decided, has this result. */
  criticised(id: string, result: CallResult): this {
    return this.reviewerStarts(id).reviewEnds(id, result);
  }

  judged(id: string, passed: boolean): this {
    const { attempt, of } = this.#of(id);
    if (attempt.state.id !== 'gating') throw new Error(`${id} is ${attempt.state.id}`);
    const { tree } = attempt.state;
    const verdict = passed
      ? ({ id: 'passed', ms: 1 } as const)
      : ({ id: 'failed', ms: 1, failure: red } as const);
    return this.tell({ type: 'branch-judged', ...of, tree, gate: 'gate', verdict, cached: false });
  }

  /** The gate runs on the target. */
  targetJudged(passed: boolean, commit = 'base'): this {
    const verdict = passed
      ? ({ id: 'passed', ms: 1 } as const)
      : ({ id: 'failed', ms: 1, failure: red } as const);
    const { run } = this;
    return this.tell({ type: 'target-judged', run, commit, tree: 't', gate: 'gate', verdict });
  }

  /** From the claim to the merge queue. */
  queued(id: string, slot = 1): this {
    return this.prepared(id, slot).works(id, slot).judged(id, true);
  }

  /** Builds a candidate of these branches on the last candidate, or on the target. */
  built(...ids: readonly string[]): this {
    const last = this.record().train.candidates.at(-1);
    return this.builtOn(last?.id, ...ids);
  }

  /** Builds a candidate of these branches on candidate `on`, or on the target. */
  builtOn(on: string | undefined, ...ids: readonly string[]): this {
    return this.#buildCandidate(on, ids, false);
  }

  #buildCandidate(on: string | undefined, ids: readonly string[], urgent: boolean): this {
    const below = this.record().train.candidates.find(({ id }) => id === on);
    const parent = below?.prefixes.at(-1)?.commit ?? this.record().target.tip ?? 'base';
    const entries = ids.map((id) => {
      const { attempt } = this.#of(id);
      if (attempt.state.id !== 'queued') throw new Error(`${id} is ${attempt.state.id}`);
      const { commit } = attempt.state;
      const { number, coClaims } = attempt;
      return { id, attempt: number, commit, coClaims };
    });
    const candidate = `c${this.record().train.built + 1}`;
    const prefixes = ids.map((id) => this.#prefix(id, candidate));
    const whole = prefixes.at(-1) ?? { commit: '', tree: '' };
    const built = { run: this.run, candidate, parent, ...whole, entries };
    return this.tell({
      type: 'candidate-built',
      ...built,
      ...(prefixes.length > 1 ? { prefixes } : {}),
      ...(on === undefined ? {} : { on }),
      ...(urgent ? { urgent } : {}),
    });
  }

  /** A branch gets another commit in its second candidate. */
  #prefix(id: string, candidate: string) {
    const commit = this.#prefixes.has(id) ? `landing-${id}-${candidate}` : `landing-${id}`;
    this.#prefixes.add(id);
    return { commit, tree: `tree-${commit}` };
  }

  /** Builds the next candidate as decided. */
  builds(): this {
    const command = this.decide().commands.find(({ type }) => type === 'build-candidate');
    if (command?.type !== 'build-candidate')
      throw new Error(`no build-candidate in: ${this.commands().join(', ')}`);
    const ids = command.landings.map(({ entry }) => entry.id);
    return this.#buildCandidate(command.on?.id, ids, command.urgent === true);
  }

  /** Judges the first undecided candidate, or its first `count` branches. */
  candidateJudged(passed: boolean, count?: number): this {
    const candidate = need(
      this.record().train.candidates.find(({ green, entries }) => green < entries.length),
    );
    return this.judgedAs(candidate.id, passed, count);
  }

  judgedAs(id: string, passed: boolean, count?: number): this {
    const candidate = need(this.record().train.candidates.find((one) => one.id === id));
    const verdict = passed
      ? ({ id: 'passed', ms: 1 } as const)
      : ({ id: 'failed', ms: 1, failure: { ...red, where: 'candidate' } } as const);
    return this.tell({
      type: 'candidate-judged',
      run: this.run,
      candidate: candidate.id,
      count,
      tree: candidate.prefixes[(count ?? candidate.entries.length) - 1]?.tree ?? '',
      gate: 'gate',
      verdict,
      cached: false,
    });
  }

  /** Lands the passed branches of the first candidate. */
  lands(): this {
    const candidate = need(
      this.record().train.candidates.find(({ green, landed }) => green > landed),
    );
    const { id, green, landed, prefixes } = candidate;
    const commit = prefixes[green - 1]?.commit ?? '';
    const entries = candidate.entries.slice(landed, green);
    const from = baseOf(candidate);
    return this.tell({ type: 'landed', run: this.run, candidate: id, commit, from, entries });
  }

  /** Starts all gates as decided. */
  gatesBegin(): this {
    for (const command of this.decide().commands) {
      if (command.type !== 'begin-gate') continue;
      this.tell({ ...command, type: 'gate-started', run: this.run });
    }
    return this;
  }

  /** From the claim to the landing. */
  landed(id: string, slot = 1): this {
    return this.queued(id, slot).built(id).candidateJudged(true).lands();
  }

  /** An attempt whose agent crashes and whose work is saved. */
  errs(id: string, slot = 1): this {
    this.prepared(id, slot).turn(id, slot).turnEnds(id, { ok: false, failure: crash });
    const { of } = this.#of(id);
    return this.tell({ type: 'attempt-failed', ...of, failure: crash });
  }

  task(id: string): TaskRecord {
    const record = need(this.state.task(id));
    return record;
  }

  gateRuns(): GateRuns {
    return gateRunsIn(this.state.runHistory(this.run));
  }

  record(): RunRecord {
    const run = need(this.state.run(this.run));
    return run;
  }

  decide() {
    return decide(this.state, this.run, this.now);
  }

  /** The decided commands in short form: `claim a 1`, `end-run drained`. */
  commands(): readonly string[] {
    return this.decide().commands.map((command) => {
      switch (command.type) {
        case 'end-run':
          return `end-run ${command.stop.reason}`;
        case 'build-candidate':
          return `build-candidate ${command.landings.map(({ entry }) => entry.id).join(' ')}`;
        case 'judge-target':
          return `judge-target ${command.commit}`;
        case 'begin-gate':
        case 'judge-candidate':
        case 'interrupt-gate':
        case 'land':
          return `${command.type} ${this.#prefixName(command)}`;
        default: {
          const of = attemptOf(command);
          return of === undefined ? command.type : `${command.type} ${of.id} ${of.attempt}`;
        }
      }
    });
  }

  #prefixName(command: CommandOf<'begin-gate' | 'judge-candidate' | 'interrupt-gate' | 'land'>) {
    const { candidate, count } = command.type === 'judge-candidate' ? command.gate : command;
    const name = typeof candidate === 'string' ? candidate : candidate.id;
    const whole = this.record().train.candidates.find(({ id }) => id === name)?.entries.length;
    return count === whole ? name : `${name} first ${count}`;
  }

  /** Returns the decided command of a type for a task. */
  #decided<Type extends OfTask['type']>(type: Type, id: string): Extract<OfTask, { type: Type }> {
    const isMeant = (command: Command): command is Extract<OfTask, { type: Type }> =>
      command.type === type && 'id' in command && command.id === id;
    const found = need(this.decide().commands.find(isMeant));
    return found;
  }

  #of(id: string) {
    const { attempt } = this.task(id);
    if (attempt === undefined) throw new Error(`${id} has no attempt`);
    return { attempt, of: { run: this.run, id, attempt: attempt.number } };
  }
}

export const red = {
  kind: 'gate-red',
  where: 'branch',
  command: 'npm test',
  exit: 1,
  evidence: noEvidence,
  tail: 'expected 2',
  log: 'gate.out',
} as const;

export const crash = { kind: 'agent-exited', exit: 3, tail: 'boom' } as const;
