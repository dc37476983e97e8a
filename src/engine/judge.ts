import { type GateResult, type GateRun, runGate } from '../gate/checks.ts';
import { branchGateId, checksInQuarantine, gateOfBranch, gateWith } from '../gate/gate.ts';
import { testsOutcome } from '../inspection/tests-first.ts';
import { changedFiles } from '../model/attempt-state.ts';
import type { CommandOf } from '../model/command.ts';
import { type Failure, type GateSubject, ok, type Result } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { gateStep, isOfFullDisk } from '../model/run-record.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { ConfirmedRed, Gate, RedVerdict, Verdict } from '../model/verdict.ts';
import { isUndecided } from '../train/candidates.ts';
import { commandFailure, type FailedCommand, runCommands } from '../worktree/setup.ts';
import { gateEnv } from '../worktree/slot-files.ts';
import { envOf, of } from './attempt.ts';
import {
  attemptDir,
  beforeDir,
  candidateDir,
  type Events,
  type Ports,
  type RunContext,
  targetDir,
} from './context.ts';
import { readyTree, stillExact, withSpace } from './gate-tree.ts';
import { forgedVerdict, sealed, sealState } from './seal.ts';

/** Runs the gate on a branch in the attempt's worktree, where its agent can fix it. */
export async function judgeBranch(
  ports: Ports,
  context: RunContext,
  { work, checks, reds, confirmed }: CommandOf<'judge-branch'>,
): Promise<Events> {
  const { task, attempt } = work;
  if (attempt.state.id !== 'gating' || attempt.worktree === undefined) return [];
  const testsFirst = attempt.testsFirst?.id === 'writing';
  const gate = gateOfBranch(context, attempt, checks);
  const flaky = await flakyIn(ports, gate, confirmed);
  const { tree } = attempt.state;
  const id = branchGateId(gate);
  const about = { ...of(context, work), tree, gate: id };
  const tests = (verdict: Verdict) =>
    testsFirst ? testsOutcome(verdict, changedFiles(attempt)) : undefined;
  const known = await knownVerdict(ports, context, { tree, gate: id, reds });
  if (known !== undefined) {
    return [{ type: 'branch-judged', ...about, verdict: known, cached: true, tests: tests(known) }];
  }
  const worktree = attempt.worktree.dir;
  const name = `gate-${attempt.conversation.turns}`;
  const { commit } = attempt.state;
  const before = await ports.space();
  const judged = await runGate(ports.processes, {
    gate,
    where: 'branch',
    worktree,
    dir: attemptDir(context, task.id, attempt),
    name: attempt.state.again === 0 ? name : `${name}-retry${attempt.state.again}`,
    env: envOf(context, work, worktree, attempt.conversation.turns),
    limits: context.limits.gate,
    reruns: context.reruns,
    ...flaky,
    pause: (ms) => ports.clock.sleep(ms),
  });
  if (judged === undefined) return [];
  // A person may take the worktree next: what the gate left is not part of the work.
  const clean = () => outcomeOf(ports.git.point(worktree, commit, attempt.branch));
  const counted = await withSpace(ports, judged.verdict, before, clean);
  if (counted === judged.verdict) await clean();
  const verdict = sealed(context, tree, id, counted);
  return [
    ...flakes(context, tree, judged),
    { type: 'branch-judged', ...about, verdict, cached: false, tests: tests(verdict) },
    ...gatePause(context, verdict),
  ];
}

/** Runs the gate on exactly the tree that would land, in a worktree used for nothing else. */
export async function judgeCandidate(
  ports: Ports,
  context: RunContext,
  { gate: at, checks, reds, confirmed, gateChangedTree: isRed }: CommandOf<'judge-candidate'>,
): Promise<Result<Events>> {
  const { candidate, count, tree, commit, slot, tasks } = at;
  const gate = gateWith(context.gate, checks);
  const flaky = await flakyIn(ports, gate, confirmed);
  const of = { run: context.run, candidate, count, tree, gate: gate.id };
  const known = await knownVerdict(ports, context, { tree, gate: gate.id, reds });
  if (known !== undefined) {
    return ok([{ type: 'candidate-judged', ...of, verdict: known, cached: true }]);
  }
  const dir = candidateDir(context, candidate, count);
  const task = tasks.join(' ');
  const run = { where: 'candidate', isRed, commit, dir, gate, slot, flaky, task } as const;
  const tried = await judgeTree(ports, context, run);
  const judged = tried.ok ? tried.value : undefined;
  if (judged !== undefined) {
    const verdict = sealed(context, tree, gate.id, judged.verdict);
    const forged = await forgedVerdict(ports, context, { tree, gate: gate.id, tasks });
    return ok([
      ...flakes(context, tree, judged),
      ...forged,
      { type: 'candidate-judged', ...of, verdict, cached: false },
      ...gatePause(context, verdict),
    ]);
  }
  // Interrupted, or the candidate is on another machine: if the verdict is no longer needed, the slot is free; if the
  // whole run was stopped, a resumed run judges again.
  const now = await ports.store.run(context.run);
  const found = now.ok ? now.value?.train.candidates.find(({ id }) => id === candidate) : undefined;
  const isNeeded = !now.ok || (found !== undefined && isUndecided(found, count));
  if (!isNeeded) return ok([{ type: 'gate-abandoned', run: context.run, candidate, count }]);
  return tried.ok ? ok([]) : tried;
}

/** Returns whether the current gate passed the tree for these tasks, or another gate or machine of this project did. */
export async function proofOf(
  ports: Ports,
  context: RunContext,
  about: {
    readonly tree: string;
    readonly checks: readonly string[];
    readonly judgedBy: string;
  },
): Promise<'green' | 'elsewhere' | 'none'> {
  const { tree, checks, judgedBy } = about;
  const isGreenBy = async (gate: string): Promise<boolean> =>
    (await knownVerdict(ports, context, { tree, gate, reds: [] }))?.id === 'passed';
  const gate = gateWith(context.gate, checks).id;
  if (await isGreenBy(gate)) return 'green';
  if (await isGreenBy(judgedBy)) return 'elsewhere';
  const wasGreenBy = async (id: string): Promise<boolean> => {
    const found = await storedVerdict(ports, tree, id);
    return found !== undefined && sealState(context, tree, id, found) === 'elsewhere';
  };
  return (await wasGreenBy(gate)) || (await wasGreenBy(judgedBy)) ? 'elsewhere' : 'none';
}

/** Known flakiness of a gate's commands. */
type Flaky = Pick<GateRun, 'quarantined' | 'confirmed'>;

/** Quarantined commands get extra tries. A failure of a command that flaked lately is never taken as confirmed. */
async function flakyIn(
  { store, clock }: Ports,
  gate: Gate,
  confirmed: readonly ConfirmedRed[],
): Promise<Flaky> {
  const now = clock.now();
  const flaked = await store.flakes(now - limits.flakeWindowMs);
  if (!flaked.ok) return { quarantined: [], confirmed: [] };
  const found = checksInQuarantine(gate.commands, flaked.value, now);
  const isSteady = ({ command }: ConfirmedRed): boolean =>
    flaked.value.every((flake) => flake.command !== command);
  return {
    quarantined: found.map(({ command }) => command),
    confirmed: confirmed.filter(isSteady),
  };
}

function flakes({ run }: RunContext, tree: string, { flaked }: GateResult): Events {
  return flaked.map(({ command, log }) => ({ type: 'check-flaked', run, command, tree, log }));
}

/**
 * Runs the gate on the target. The first call looks for a stored verdict, unless a fresh one is required, and
 * otherwise records that the gate starts; the next call runs it. A gate run in progress is followed.
 * The preflight runs the commands of `run.before` first, also if the verdict of the gate is stored. If it is outdated,
 * or has such commands and the run was resumed since, it is ended instead and starts again if it is still needed.
 */
export async function judgeTarget(
  ports: Ports,
  context: RunContext,
  { commit: asked, reason, fresh, slot, check, outdated }: CommandOf<'judge-target'>,
): Promise<Result<Events>> {
  const hasCommands = (check?.reason ?? reason) === 'preflight' && context.before.length > 0;
  if (check !== undefined && (outdated || (hasCommands && check.resumed === true))) {
    await ports.processes.endIn(beforeDir(context, check));
    await ports.processes.endIn(targetDir(context, check));
    return ok([{ type: 'target-check-ended', run: context.run }]);
  }
  const commit = check?.commit ?? asked;
  const info = await ports.git.commit(commit);
  const { tree } = info;
  const { gate } = context;
  const flaky = await flakyIn(ports, gate, []);
  const of = { type: 'target-judged', run: context.run, commit, tree, gate: gate.id } as const;
  const known = () => knownVerdict(ports, context, { tree, gate: gate.id, reds: [] });
  if (check === undefined) {
    const verdict = fresh || hasCommands ? undefined : await known();
    if (verdict !== undefined) return ok([{ ...of, verdict, cached: true }]);
    const before = hasCommands ? context.before : undefined;
    return ok([{ type: 'target-check-started', run: context.run, commit, reason, before }]);
  }
  const dir = targetDir(context, check);
  if (hasCommands) {
    const run = { commit, dir: beforeDir(context, check), slot };
    const before = await runBefore(ports, context, run);
    if (!before.ok) return before;
    if (before.value === undefined) return ok([{ type: 'target-check-ended', run: context.run }]);
    const { verdict } = before.value;
    if (verdict.id !== 'passed') return ok([{ ...of, verdict }, ...gatePause(context, verdict)]);
    const green = await known();
    if (green !== undefined) return ok([{ ...of, verdict: green, cached: true }]);
  }
  const tested = { where: 'target', isRed: false, commit, dir, gate, slot, flaky } as const;
  const tried = await judgeTree(ports, context, tested);
  if (!tried.ok) return tried;
  const judged = tried.value;
  if (judged === undefined) return ok([{ type: 'target-check-ended', run: context.run }]);
  const verdict = sealed(context, tree, gate.id, judged.verdict);
  return ok([...flakes(context, tree, judged), { ...of, verdict }, ...gatePause(context, verdict)]);
}

/**
 * Returns a verdict that is still valid. A passed verdict with our seal is valid forever; without a seal, another
 * program wrote it. A failed one is valid only within this process: the machine may have been the cause, and a person
 * who retries wants it to run again.
 */
async function knownVerdict(
  ports: Ports,
  context: RunContext,
  { tree, gate, reds }: { tree: string; gate: string; reds: readonly RedVerdict[] },
): Promise<Verdict | undefined> {
  const red = reds.find((known) => known.gate === gate);
  if (red !== undefined) return red.verdict;
  const found = await storedVerdict(ports, tree, gate);
  // If the gate itself failed the tree later, the gate with more checks does not pass it either.
  if (
    gate !== context.gate.id &&
    (await storedVerdict(ports, tree, context.gate.id))?.id === 'failed'
  )
    return undefined;
  return found !== undefined && sealState(context, tree, gate, found) === 'valid'
    ? found
    : undefined;
}

async function storedVerdict(
  { store }: Ports,
  tree: string,
  gate: string,
): Promise<Verdict | undefined> {
  const found = await store.verdict(tree, gate);
  return found.ok ? found.value : undefined;
}

/** Gates pause while the disk is full, instead of failing again. */
function gatePause({ run }: RunContext, verdict: Verdict): Events {
  if (verdict.id !== 'not-run' || !isOfFullDisk(verdict.failure)) return [];
  return [{ type: 'step-paused', run, step: gateStep, failure: verdict.failure }];
}

interface TreeRun {
  readonly where: GateSubject;
  readonly commit: string;
  readonly dir: string;
  /** Slot of the gate worktree to use. */
  readonly slot: number;
  readonly task?: string;
}

interface TreeGate extends TreeRun {
  /** True if a tree that the gate changed counts as failed; otherwise as not run. */
  readonly isRed: boolean;
  readonly gate: Gate;
  readonly flaky: Flaky;
}

/** Runs the gate in a gate worktree that is exactly the commit. */
function judgeTree(
  ports: Ports,
  context: RunContext,
  { isRed, gate, flaky, ...at }: TreeGate,
): Promise<Result<GateResult | undefined>> {
  const { where, dir, commit } = at;
  return inGateTree(ports, context, { ...at, first: 'gate-1' }, async (worktree, env) => {
    const judged = await runGate(ports.processes, {
      gate,
      where,
      worktree,
      dir,
      name: 'gate',
      env,
      limits: context.limits.gate,
      reruns: context.reruns,
      ...flaky,
      pause: (ms) => ports.clock.sleep(ms),
    });
    return judged && stillExact(ports, { where, isRed }, { worktree, commit }, judged);
  });
}

/** Runs the commands of `run.before` where the gate would run. One that fails leaves the gate without a verdict. */
function runBefore(
  ports: Ports,
  context: RunContext,
  at: Omit<TreeRun, 'where'>,
): Promise<Result<GateResult | undefined>> {
  const run = { ...at, where: 'target', first: 'before-1' } as const;
  return inGateTree(ports, context, run, async (worktree, env) => {
    const failed = await runCommands(ports.processes, {
      commands: context.before,
      worktree,
      dir: at.dir,
      name: 'before',
      env,
      limits: context.limits.gate,
      role: 'gate',
    });
    if (failed === 'interrupted') return undefined;
    const verdict: Verdict =
      failed === undefined
        ? { id: 'passed', ms: 0 }
        : { id: 'not-run', failure: refusedBy(failed) };
    return { verdict, flaked: [] };
  });
}

function refusedBy(failed: FailedCommand): Failure {
  const { how, tail } = failed;
  const refused = { kind: 'run-refused', ...commandFailure(failed) } as const;
  if (how.id !== 'limit') return refused;
  return { ...refused, tail, limit: { id: how.limit, value: how.value } };
}

/** Judges in a gate worktree of the commit, after its set-up. Undefined if interrupted. */
async function inGateTree(
  ports: Ports,
  context: RunContext,
  { where, commit, dir, slot, task = '', first }: TreeRun & { readonly first: string },
  judge: (
    worktree: string,
    env: Readonly<Record<string, string>>,
  ) => Promise<GateResult | undefined>,
): Promise<Result<GateResult | undefined>> {
  const taken = await ports.pool.gateTree(slot);
  if (!taken.ok) return taken;
  const worktree = taken.value.dir;
  const env = {
    ...context.env,
    YARD_RUN: context.run,
    YARD_WORKTREE: worktree,
    YARD_TASK: task,
    ...gateEnv(slot),
  };
  const before = await ports.space();
  const counted = async (result: GateResult): Promise<Result<GateResult>> => {
    const clean = () => outcomeOf(ports.git.exactly(worktree, commit, []));
    return ok({ ...result, verdict: await withSpace(ports, result.verdict, before, clean) });
  };
  const ready = await settled(
    readyTree(ports, context, { where, worktree, commit, dir, first, env }),
  );
  if (!ready.ok) {
    const { failure } = ready;
    // The target can be set up and the work cannot: the work is to blame, as for a failed gate.
    if (failure.kind === 'setup-failed' && where === 'candidate') {
      return counted({ verdict: { id: 'failed', ms: 0, failure }, flaked: [] });
    }
    if (troubleOf(failure) === 'retry') return ready;
    return counted({ verdict: { id: 'not-run', failure }, flaked: [] });
  }
  if (ready.value === 'interrupted') return ok(undefined);
  const judged = await judge(worktree, env);
  return judged === undefined ? ok(undefined) : counted(judged);
}
