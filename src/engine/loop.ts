import { dirname } from 'node:path';
import { land } from '../merge/land.ts';
import { type Command, type CommandOf, keyOf } from '../model/command.ts';
import { obsoleteRefs } from '../model/command-facts.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import { isSameOwner } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner, RunId } from '../model/run.ts';
import { gateStep, hasEnded, type RunRecord, startStep } from '../model/run-record.ts';
import { caught, settled } from '../model/trouble.ts';
import { decide } from '../plan/decide.ts';
import type { State } from '../plan/state.ts';
import { workerOf } from '../plan/workers.ts';
import { baseOf } from '../train/candidates.ts';
import { candidateDir, folderOf, type Ports, plannerDir, type RunContext } from './context.ts';
import type { Dispatcher, Perform } from './dispatcher.ts';
import { isTemporary, type Journal } from './journal.ts';
import { withoutWork } from './lost-work.ts';
import { isImmediate, perform } from './perform.ts';
import { dropRevision } from './revision.ts';
import { giveBack, rescueWork } from './save.ts';

/** A shared abort reason; without one `abort` creates an error with a stack each time. */
const woken = 'woken';

interface Done {
  readonly command: Command;
  readonly result: Result<readonly EventBody[]>;
}

/**
 * The control loop: store what happened, decide, perform, until the run has ended. Commands run in parallel; their
 * results queue in the inbox, so that all events have one order.
 */
export class Engine {
  readonly #ports: Ports;
  readonly #context: RunContext;
  readonly #state: State;
  readonly #journal: Journal;
  readonly #perform: Perform;
  /** Present if workers can join the run. */
  readonly #dispatcher: Dispatcher | undefined;
  readonly #busy = new Set<string>();
  readonly #inbox: Done[] = [];
  #wake = new AbortController();
  #renewAt = 0;
  #leaseEnd = 0;
  #spaceAt = 0;
  #workersAt = 0;
  /** This process, as the run knows it. */
  #owner: Owner | undefined;
  /** Last event of the last decision, and when a new decision is due without further events. */
  #decided = { seq: -1, dueAt: 0 };

  constructor(
    ports: Ports,
    context: RunContext,
    state: State,
    journal: Journal,
    dispatcher?: Dispatcher,
  ) {
    this.#dispatcher = dispatcher;
    this.#perform = dispatcher?.perform ?? ((command) => perform(ports, context, command));
    this.#ports = ports;
    this.#context = context;
    this.#state = state;
    this.#journal = journal;
  }

  /** Resolves with the run's record when it has ended, or with the failure that stopped it. */
  async run(): Promise<Result<RunRecord>> {
    try {
      return await this.#drive();
    } finally {
      this.#dispatcher?.close();
    }
  }

  async #drive(): Promise<Result<RunRecord>> {
    const opened = await openEarlierPools(this.#ports);
    if (!opened.ok) return opened;
    await this.#giveBack();
    this.#owner = this.#state.run(this.#context.run)?.owner;
    const recovered = await this.#recover();
    if (!recovered.ok) return recovered;
    for (;;) {
      const run = this.#state.run(this.#context.run);
      if (run?.phase.id === 'ended') {
        // Another run considered this one dead and continues its tasks.
        if (run.phase.stop.reason === 'died') this.#ports.processes.interruptAll();
        return ok(run);
      }
      const step = await this.#step();
      if (!step.ok) return this.#ended(step.failure);
    }
  }

  /** Gets what an earlier process of this run had on another machine, and gives up the rest of it. */
  async #recover(): Promise<Result<void>> {
    const run = this.#state.run(this.#context.run);
    const tasks = this.#dispatcher === undefined ? ok([]) : await this.#ports.store.tasks();
    if (!tasks.ok || run === undefined) return tasks.ok ? ok(undefined) : tasks;
    const attempts = tasks.value.flatMap(({ attempt }) => (attempt?.run === run.id ? attempt : []));
    const fetched = await this.#dispatcher?.recover(run, attempts);
    if (fetched?.ok === false) return fetched;
    const live = [...this.#state.live].flatMap((id) => this.#state.task(id) ?? []);
    return this.#append(await withoutWork(this.#ports.git, this.#context, run, live));
  }

  /** If the store is lost the run cannot be resumed, so its work is saved first. */
  async #ended(found: Failure): Promise<Result<never>> {
    const failure = asLoss(found);
    const isLost = failure.kind === 'records-deleted' || failure.kind === 'run-taken-over';
    if (isLost) this.#ports.processes.interruptAll();
    if (failure.kind !== 'records-deleted') return fail(failure);
    const { clock } = this.#ports;
    const end = clock.now() + limits.rescueMs;
    while (this.#inbox.length < this.#busy.size && clock.now() < end) {
      await clock.sleep(limits.followMs);
    }
    const branches = await rescueWork(this.#ports, this.#context, this.#state);
    return fail({ ...failure, branches });
  }

  /** Decides again at once, for example after a signal. */
  nudge(): void {
    this.#decided = { seq: -1, dueAt: 0 };
    this.#wake.abort(woken);
  }

  async #step(): Promise<Result<void>> {
    const refreshed = await this.#journal.refresh();
    if (!refreshed.ok) return refreshed;
    const kept = await this.#keepClaims();
    if (!kept.ok) return kept;
    const hasNews = this.#inbox.length > 0;
    const taken = await this.#takeInbox();
    if (!taken.ok) return taken;
    const watched = await this.#watchSpace();
    if (!watched.ok) return watched;
    const seen = this.#dispatcher && (await this.#watchWorkers(this.#dispatcher));
    if (seen?.ok === false) return seen;
    const now = this.#ports.clock.now();
    const { seq } = this.#journal;
    if (hasNews || seq !== this.#decided.seq || now >= this.#decided.dueAt) {
      const decision = decide(this.#state, this.#context.run, now);
      const moved = await this.#dispatch(decision.commands);
      if (!moved.ok || moved.value) return moved.ok ? ok(undefined) : moved;
      const { wakeAt = Number.POSITIVE_INFINITY } = decision;
      this.#decided = { seq, dueAt: Math.min(wakeAt, now + limits.decideMs) };
    }
    await this.#wait();
    return ok(undefined);
  }

  /** A process whose machine slept finds here that another one has resumed its run. */
  async #keepClaims(): Promise<Result<void>> {
    const run = this.#state.run(this.#context.run);
    if (run !== undefined && !isSameOwner(run.owner, this.#owner)) {
      const { pid, host } = run.owner;
      return fail({ kind: 'run-taken-over', run: run.id, pid, host });
    }
    const now = this.#ports.clock.now();
    if (now < this.#renewAt) return ok(undefined);
    const renewed = await this.#journal.renew();
    if (renewed.ok) this.#leaseEnd = now + limits.leaseMs;
    // A full disk may have room again before the lease ends.
    const isEarly = !renewed.ok && isTemporary(renewed) && now < this.#leaseEnd;
    this.#renewAt = now + (isEarly ? limits.storeRetryMs : limits.heartbeatMs);
    return isEarly ? ok(undefined) : renewed;
  }

  /** Pauses all starts while a disk is nearly full. */
  async #watchSpace(): Promise<Result<void>> {
    const now = this.#ports.clock.now();
    if (now < this.#spaceAt) return ok(undefined);
    this.#spaceAt = now + limits.spaceCheckMs;
    const { run } = this.#context;
    const isPaused = this.#state.run(run)?.pausedSteps[startStep] !== undefined;
    const failure = await this.#ports.space();
    if (failure === undefined) return this.#append(this.#recovered(startStep));
    return isPaused ? ok(undefined) : this.#pause(startStep, failure);
  }

  /** Stores which workers have joined or are gone. */
  async #watchWorkers(dispatcher: Dispatcher): Promise<Result<void>> {
    const now = this.#ports.clock.now();
    const run = this.#state.run(this.#context.run);
    if (run === undefined || now < this.#workersAt) return ok(undefined);
    this.#workersAt = now + jobLimits.lookMs;
    return this.#append(await dispatcher.changes(run, now));
  }

  async #takeInbox(): Promise<Result<void>> {
    for (let done = this.#inbox.shift(); done !== undefined; done = this.#inbox.shift()) {
      const key = keyOf(done.command);
      this.#busy.delete(key);
      const noted = done.result.ok
        ? await this.#append([...done.result.value, ...this.#recoveredBy(key, done.result.value)])
        : await this.#pause(key, done.result.failure);
      if (!noted.ok) return noted;
    }
    return ok(undefined);
  }

  /** Stores events. A fenced write means that another run owns the task now; our events are dropped. */
  async #append(events: readonly EventBody[]): Promise<Result<void>> {
    const stored = await this.#journal.append(events);
    if (!stored.ok && stored.failure.kind === 'fenced') return this.#journal.refresh();
    if (stored.ok && events.some(isOver)) await this.#giveBack();
    return stored;
  }

  async #giveBack(): Promise<void> {
    await giveBack(this.#ports, async (id) => ok(this.#state.task(id)));
  }

  /** A command that failed is decided again after a pause; a bug ends the run immediately. */
  async #pause(step: string, failure: Failure): Promise<Result<void>> {
    if (failure.kind === 'internal') return fail(failure);
    return this.#append([{ type: 'step-paused', run: this.#context.run, step, failure }]);
  }

  /** A step that succeeded is paused no more, and a gate that came to a verdict ends the pause of all gates. */
  #recoveredBy(step: string, events: readonly EventBody[]): readonly EventBody[] {
    const gates = events.some(isVerdict) ? this.#recovered(gateStep) : [];
    return [...this.#recovered(step), ...gates];
  }

  #recovered(step: string): readonly EventBody[] {
    const { run } = this.#context;
    const isPaused = this.#state.run(run)?.pausedSteps[step] !== undefined;
    return isPaused ? [{ type: 'step-resumed', run, step }] : [];
  }

  /** Returns true if an immediate command stored something, so that a new decision is due before waiting. */
  async #dispatch(commands: readonly Command[]): Promise<Result<boolean>> {
    let changed = false;
    for (const command of commands) {
      if (command.type === 'claim') continue;
      if (!isImmediate(command)) {
        this.#start(command);
        continue;
      }
      if (command.type === 'end-run' && this.#busy.size > 0) continue;
      if (this.#isInUse(command)) continue;
      const done = await settled(this.#performNow(command));
      if (!done.ok && !isOfGit(done.failure)) return done;
      const noted = done.ok ? ok(undefined) : await this.#pause(keyOf(command), done.failure);
      if (!noted.ok) return noted;
      changed ||= !done.ok || done.value;
    }
    const claimed = await this.#claim(commands.filter((command) => command.type === 'claim'));
    return claimed.ok ? ok(changed || claimed.value) : claimed;
  }

  /** True if the attempt's worktree is still being prepared. */
  #isInUse(command: Command): boolean {
    return command.type === 'give-up' && this.#busy.has(`prepare ${command.id} ${command.attempt}`);
  }

  #start(command: Command): void {
    const key = keyOf(command);
    if (this.#busy.has(key)) return;
    // It needs the gate's worktree for itself and a target that no longer moves.
    if (command.type === 'verify' && this.#busy.size > 0) return;
    this.#busy.add(key);
    const finish = (result: Done['result']): void => {
      this.#inbox.push({ command, result });
      this.#wake.abort(woken);
    };
    this.#perform(command).then(finish, (error: unknown) => finish(fail(caught(error))));
  }

  async #performNow(command: Command): Promise<Result<boolean>> {
    if (command.type === 'adopt') return this.#adopt(command);
    const done = await this.#perform(command);
    if (!done.ok) return done;
    const stored = await this.#append(done.value);
    return stored.ok ? ok(done.value.length > 0) : stored;
  }

  /** Stores unreported landings of the old run first, then adopts the attempt unless another run was faster. */
  async #adopt({ id, attempt, from, slot }: Extract<Command, { type: 'adopt' }>) {
    const unreported = await prepareTakeover(this.#ports, this.#context, this.#state, from);
    if (!unreported.ok) return unreported;
    if (unreported.value.length > 0) {
      const stored = await this.#journal.appendFor(from, unreported.value);
      return stored.ok ? ok(true) : stored;
    }
    const adopted = await this.#journal.adopt({ id, attempt, from, slot });
    if (adopted.ok) return ok(true);
    if (adopted.failure.kind !== 'claim-lost') return adopted;
    const refreshed = await this.#journal.refresh();
    return refreshed.ok ? ok(true) : refreshed;
  }

  /** Claims the tasks of all free slots at once. A lost race is harmless: the slot stays free for the next task. */
  async #claim(commands: readonly CommandOf<'claim'>[]): Promise<Result<boolean>> {
    const run = this.#state.run(this.#context.run);
    const wanted = commands.map(({ id, attempt, slot, agent, branch }) => {
      const worker = run && workerOf(run, slot);
      return { id, attempt, slot, agent, branch, worker };
    });
    // A requested task is not ready until the log shows which run got it.
    for (const { id } of wanted) this.#state.withdraw(id);
    const lost = await this.#journal.claim(wanted);
    if (!lost.ok) return lost;
    const refreshed = lost.value.length === 0 ? ok(undefined) : await this.#journal.refresh();
    return refreshed.ok ? ok(wanted.length > 0) : refreshed;
  }

  async #wait(): Promise<void> {
    if (this.#inbox.length > 0) return;
    const ms = Math.min(this.#decided.dueAt - this.#ports.clock.now(), limits.refreshMs);
    this.#wake = new AbortController();
    await this.#ports.clock.sleep(Math.max(1, ms), this.#wake.signal);
  }
}

/** A damaged store is lost like a deleted one: nothing more can be stored in it. */
function asLoss(failure: Failure): Failure {
  if (failure.kind !== 'store-corrupt') return failure;
  return { kind: 'records-deleted', dir: dirname(failure.file), how: 'damaged', branches: [] };
}

/** Trouble of the store ends the engine; that of git pauses the command. */
function isOfGit({ kind }: Failure): boolean {
  return kind === 'git-failed' || kind === 'worktree-failed' || kind === 'git-missing';
}

/** True if a gate has run and come to a verdict. */
function isVerdict(event: EventBody): boolean {
  switch (event.type) {
    case 'branch-judged':
    case 'candidate-judged':
    case 'target-judged':
      return event.verdict.id !== 'not-run' && event.cached !== true;
    default:
      return false;
  }
}

/** True if the event ends an attempt and frees its worktree. */
function isOver(event: EventBody): boolean {
  switch (event.type) {
    case 'landed':
    case 'delivered':
    case 'work-planned':
    case 'attempt-failed':
      return true;
    default:
      return false;
  }
}

/**
 * Opens the worktree pools of runs that have ended: this run may adopt some of their worktrees, others were left by a
 * crash.
 */
async function openEarlierPools({ pool, store }: Ports): Promise<Result<void>> {
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  for (const run of runs.value) {
    const joined = hasEnded(run) ? await pool.join(run.id) : ok(undefined);
    if (!joined.ok) return joined;
  }
  return ok(undefined);
}

/**
 * Prepares the takeover from a run that has ended: joins its pool, stops its gates, and returns events for a landing
 * that it did but could not store.
 */
async function prepareTakeover(
  ports: Ports,
  context: RunContext,
  state: State,
  from: RunId,
): Promise<Result<readonly EventBody[]>> {
  const { git, pool, processes, clock } = ports;
  const joined = await pool.join(from);
  if (!joined.ok) return joined;
  const run = state.run(from);
  const old = { ...context, run: from, dir: folderOf(context, from) };
  if (run?.batches?.call !== undefined) await processes.endIn(plannerDir(old));
  if (run?.revisions?.call !== undefined) await dropRevision(ports, old, run.revisions.call.number);
  for (const { candidate, count } of run?.train.runningGates ?? []) {
    await processes.endIn(candidateDir(old, candidate, count));
  }
  if (run === undefined || (run.settings.delivery ?? 'land') !== 'land') return ok([]);
  const { target } = run.settings;
  const tip = await git.resolve(`refs/heads/${target}`);
  for (const candidate of run.train.candidates) {
    const { entries, landed: gone, green } = candidate;
    if (green <= gone || tip === undefined || tip === baseOf(candidate)) continue;
    const spent = entries.slice(gone, green).flatMap((entry) => obsoleteRefs(state, entry));
    const landing = { run: from, target, candidate, count: green, spent, now: clock.now() };
    const found = await land(git, landing);
    if (!found.ok) return found;
    const landed = found.value.filter(({ type }) => type === 'landed');
    if (landed.length > 0) return ok(landed);
  }
  return ok([]);
}
