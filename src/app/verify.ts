import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { readyTree, stillExact, withSpace } from '../engine/gate-tree.ts';
import { sealed } from '../engine/seal.ts';
import { lowSpace, writtenPlaces } from '../files/space.ts';
import { runGate } from '../gate/checks.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isOfFullDisk } from '../model/run-record.ts';
import type { Verdict } from '../model/verdict.ts';
import type { ProcessEnd, Processes, Sandbox } from '../port/processes.ts';
import { removeAnyway } from '../worktree/owner.ts';
import { nothingPrepared } from '../worktree/setup.ts';
import { copyFiles } from '../worktree/slot-files.ts';
import { usableGate } from './gate.ts';
import type { Project } from './ports.ts';
import { findTarget } from './target.ts';

export interface Verified {
  readonly verdict: Verdict;
  readonly branch: string;
  readonly commit: string;
}

/**
 * Runs the gate on the target's tip in a temporary worktree, as a run does, and stores the verdict. On a full disk there
 * is none: the failure is `no-space`.
 */
export async function verifyTarget(
  project: Project,
  { config, sandbox }: { readonly config: Config; readonly sandbox: Sandbox },
  signal: AbortSignal,
): Promise<Result<Verified>> {
  const { git } = project;
  const target = await findTarget(project, config);
  if (!target.ok) return target;
  const { branch, commit } = target.value;
  const found = await usableGate(project, config, target.value);
  if (!found.ok) return found;
  const space = () => lowSpace(writtenPlaces(project));
  const full = await space();
  if (full !== undefined) return fail(full);
  const env = project.childEnv;
  const processes = interruptible(await project.children(config, sandbox), signal);
  const interrupted = () => fail({ kind: 'interrupted', by: String(signal.reason) } as const);
  const dir = mkdtempSync(join(tmpdir(), 'ym-verify-'));
  const worktree = join(dir, 'tree');
  try {
    const added = await git.addWorktree(worktree, commit, { empty: true });
    if (!added.ok) return fail((await space()) ?? added.failure);
    const { outputBytes, setupWallMs } = config.limits;
    const { setup, copy } = config.worktree;
    const tree = { where: 'target', worktree, commit, dir, first: 'gate-1', env } as const;
    const ready = await readyTree(
      {
        git,
        processes,
        prepared: nothingPrepared,
        copyFiles: (at) => copyFiles(project.root, at, copy),
      },
      { setup, cache: [], limits: { setup: { wallMs: setupWallMs, outputBytes } } },
      tree,
    );
    const clean = () => git.exactly(worktree, commit, []);
    const counted = (verdict: Verdict) => withSpace({ space }, verdict, undefined, clean);
    if (!ready.ok) {
      const unset = await counted({ id: 'not-run', failure: ready.failure });
      const failure = unset.id === 'not-run' ? unset.failure : ready.failure;
      return fail(withKeptLog(project, failure));
    }
    if (ready.value === 'interrupted') return interrupted();
    const { gate } = found.value;
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
    const kept = withVerdictLog(project, verdict);
    const noted = await storeVerdict(project, commit, gate.id, kept);
    return noted.ok ? ok({ verdict: kept, branch, commit }) : noted;
  } finally {
    await git.removeWorktree(worktree);
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
  if (!info.ok) return info;
  const secret = project.secret();
  if (!secret.ok) return secret;
  const opened = await project.openStore('write');
  if (!opened.ok) return opened;
  const { tree } = info.value;
  const given = sealed({ secret: secret.value }, tree, gate, verdict);
  const of = { type: 'target-judged', run: byHand, commit, tree, gate, verdict: given } as const;
  const stored = await opened.value.append(project.clock.now(), [of]);
  await opened.value.close();
  return stored.ok ? ok(undefined) : stored;
}

function withVerdictLog(project: Project, verdict: Verdict): Verdict {
  if (verdict.id === 'passed') return verdict;
  return { ...verdict, failure: withKeptLog(project, verdict.failure) };
}

/** Copies the log that a failure names out of the temporary folder. */
function withKeptLog<F extends Failure>({ stateDir, id }: Project, failure: F): F {
  if (!('log' in failure) || failure.log === undefined) return failure;
  const folder = join(stateDir, 'verify');
  const log = join(folder, `${id}.out`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(failure.log)) copyFileSync(failure.log, log);
  return { ...failure, log };
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
