import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { readyTree, stillExact, withSpace } from '../engine/gate-tree.ts';
import { sealed } from '../engine/seal.ts';
import { lowSpace, writtenPlaces } from '../files/space.ts';
import { runGate } from '../gate/checks.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { isOfFullDisk } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import type { ProcessEnd, Processes, Sandbox } from '../port/processes.ts';
import type { Store } from '../port/store.ts';
import { removeAnyway } from '../worktree/owner.ts';
import { nothingPrepared } from '../worktree/setup.ts';
import { copyFiles } from '../worktree/slot-files.ts';
import { usableGate } from './gate.ts';
import { existingRun } from './lookup.ts';
import type { Project } from './ports.ts';
import { findTarget } from './target.ts';

interface Verified {
  readonly verdict: Verdict;
  readonly branch: string;
  readonly commit: string;
}

interface Settings {
  readonly config: Config;
  readonly sandbox: Sandbox;
  /** Called with each command of the set-up and of the gate when it starts. */
  readonly onCommand?: (text: string) => void;
}

/** Runs the gate on the target's tip, as a run does, and stores the verdict. */
export async function verifyTarget(
  project: Project,
  settings: Settings,
  signal: AbortSignal,
): Promise<Result<Verified>> {
  const target = await findTarget(project, settings.config);
  if (!target.ok) return target;
  const { branch, commit } = target.value;
  const found = await usableGate(project, settings.config, target.value);
  if (!found.ok) return found;
  const { gate } = found.value;
  const judged = await judgeCommit(project, settings, { gate, commit, log: project.id }, signal);
  if (!judged.ok) return judged;
  const noted = await storeVerdict(project, commit, gate.id, judged.value);
  return noted.ok ? ok({ verdict: judged.value, branch, commit }) : noted;
}

interface TargetValue {
  readonly commit: string;
  readonly tasks: readonly TaskId[];
}

/** The values that the landings of a run gave its target, in order. */
export async function targetValues(
  store: Pick<Store, 'runs' | 'queueSteps'>,
  name: string,
): Promise<Result<{ readonly run: RunId; readonly values: readonly TargetValue[] }>> {
  const run = await existingRun(store, name);
  if (!run.ok) return run;
  const steps = await store.queueSteps(run.value.id);
  if (!steps.ok) return steps;
  const values = steps.value.flatMap(({ what }) => (what.type === 'landed' ? [what] : []));
  if (values.length > 0) return ok({ run: run.value.id, values });
  return usage(`run ${run.value.id} has landed nothing`, 'List runs with `ym runs`.');
}

/** Runs today's gate on each of the values, one after the other, until it fails to run. Stores nothing. */
export async function* verifyValues(
  project: Project,
  settings: Settings,
  values: readonly TargetValue[],
  signal: AbortSignal,
): AsyncGenerator<Result<Verified & TargetValue>> {
  const target = await settled(findTarget(project, settings.config));
  if (!target.ok) return yield target;
  const found = await settled(usableGate(project, settings.config, target.value));
  if (!found.ok) return yield found;
  const { gate } = found.value;
  const { branch } = target.value;
  for (const { commit, tasks } of values) {
    const log = `${project.id}-${commit.slice(0, 10)}`;
    const judged = await judgeCommit(project, settings, { gate, commit, log }, signal);
    if (!judged.ok) return yield judged;
    yield ok({ branch, commit, tasks, verdict: judged.value });
  }
}

/** Runs the gate on a commit in a temporary worktree. On a full disk there is no verdict: the failure is `no-space`. */
async function judgeCommit(
  project: Project,
  { config, sandbox, onCommand = () => undefined }: Settings,
  { gate, commit, log }: { readonly gate: Gate; readonly commit: string; readonly log: string },
  signal: AbortSignal,
): Promise<Result<Verdict>> {
  const { git } = project;
  const space = () => lowSpace(writtenPlaces(project));
  const full = await space();
  if (full !== undefined) return fail(full);
  const env = project.childEnv;
  const children = interruptible(await project.children(config, sandbox), signal);
  const commands = { setup: config.worktree.setup, gate: gate.commands };
  const processes = announced(children, commands, onCommand);
  const interrupted = () => fail({ kind: 'interrupted', by: String(signal.reason) } as const);
  const dir = mkdtempSync(join(tmpdir(), 'ym-verify-'));
  const worktree = join(dir, 'tree');
  try {
    const added = await outcomeOf(git.addWorktree(worktree, commit, { empty: true }));
    if (!added.ok) return fail((await space()) ?? added.failure);
    const { outputBytes, setupWallMs } = config.limits;
    const { setup, copy } = config.worktree;
    const tree = { where: 'target', worktree, commit, dir, first: 'gate-1', env } as const;
    const ready = await settled(
      readyTree(
        {
          git,
          processes,
          prepared: nothingPrepared,
          copyFiles: (at) => copyFiles(project.root, at, copy),
        },
        { setup, cache: [], limits: { setup: { wallMs: setupWallMs, outputBytes } } },
        tree,
      ),
    );
    const clean = () => outcomeOf(git.exactly(worktree, commit, []));
    const counted = (verdict: Verdict) => withSpace({ space }, verdict, undefined, clean);
    if (!ready.ok) {
      const unset = await counted({ id: 'not-run', failure: ready.failure });
      const failure = unset.id === 'not-run' ? unset.failure : ready.failure;
      return fail(withKeptLog(project, failure, log));
    }
    if (ready.value === 'interrupted') return interrupted();
    const judged = await runGate(processes, {
      gate,
      where: 'target',
      worktree,
      dir,
      name: 'gate',
      env,
      limits: { wallMs: gate.timeoutMs, outputBytes },
      reruns: config.gate.reruns,
      quarantined: [],
      confirmed: [],
      pause: (ms) => project.clock.sleep(ms),
    });
    if (judged === undefined) return interrupted();
    const exact = await stillExact({ git }, { where: 'target', isRed: false }, tree, judged);
    const verdict = await counted(exact.verdict);
    if (verdict.id === 'not-run' && isOfFullDisk(verdict.failure)) return fail(verdict.failure);
    return ok(withVerdictLog(project, verdict, log));
  } finally {
    await outcomeOf(git.removeWorktree(worktree));
    removeAnyway(dir);
  }
}

/** Stands for the run of a verdict that `ym verify` stores; no run has this name. */
const byHand = 'verify';

/**
 * Stores the verdict. A green one saves a run the same gate; a red one replaces an earlier green one, so that the tree is
 * tested again. Without a store there is no green one to replace.
 */
async function storeVerdict(
  project: Project,
  commit: string,
  gate: string,
  verdict: Verdict,
): Promise<Result<void>> {
  if (verdict.id === 'not-run') return ok(undefined);
  const isFile = project.storeSetting.ok && project.storeSetting.value.kind === 'sqlite';
  const isNew = isFile && !existsSync(project.storeFile);
  if (verdict.id === 'failed' && isNew) return ok(undefined);
  const info = await project.git.commit(commit);
  const secret = project.secret();
  if (!secret.ok) return secret;
  const opened = await project.openStore('write');
  if (!opened.ok) return opened;
  const { tree } = info;
  const given = sealed({ secret: secret.value }, tree, gate, verdict);
  const of = { type: 'target-judged', run: byHand, commit, tree, gate, verdict: given } as const;
  const stored = await opened.value.append(project.clock.now(), [of]);
  await opened.value.close();
  return stored.ok ? ok(undefined) : stored;
}

function withVerdictLog(project: Project, verdict: Verdict, name: string): Verdict {
  if (verdict.id === 'passed') return verdict;
  return { ...verdict, failure: withKeptLog(project, verdict.failure, name) };
}

/** Copies the log that a failure names out of the temporary folder. */
function withKeptLog<F extends Failure>({ stateDir }: Project, failure: F, name: string): F {
  if (!('log' in failure) || failure.log === undefined) return failure;
  const folder = join(stateDir, 'verify');
  const log = join(folder, `${name}.out`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(failure.log)) copyFileSync(failure.log, log);
  return { ...failure, log };
}

/** Announces the commands that children run. Their processes are called `setup-1`, `gate-2` and the like. */
function announced(
  children: Processes,
  commands: Readonly<Record<'setup' | 'gate', readonly string[]>>,
  onCommand: (text: string) => void,
): Processes {
  const run: Processes['run'] = (spec) => {
    const [, kind, number] = /^(setup|gate)-(\d+)/.exec(spec.name) ?? [];
    const command = commands[kind === 'setup' ? 'setup' : 'gate'][Number(number) - 1];
    if (command !== undefined) onCommand(`${kind === 'setup' ? 'set-up' : 'gate'}: ${command}`);
    return children.run(spec);
  };
  return { ...children, run };
}

/** Children that are ended when `signal` aborts, so that a command can still clean up. None is started after it. */
export function interruptible(children: Processes, signal: AbortSignal): Processes {
  signal.addEventListener('abort', () => children.interruptAll(), { once: true });
  return {
    ...children,
    run: (spec) => (signal.aborted ? Promise.resolve(neverStarted) : children.run(spec)),
  };
}

const neverStarted: ProcessEnd = {
  how: { id: 'interrupted' },
  startedAt: 0,
  endedAt: 0,
  stragglers: 0,
};
