import type { GateResult } from '../gate/checks.ts';
import { type Failure, type GateSubject, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { machineCauseOf } from '../model/machine-cause.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import { setUp } from '../worktree/setup.ts';
import type { Ports, RunContext } from './context.ts';

type TreePorts = Pick<Ports, 'git' | 'processes' | 'copyFiles' | 'prepared'>;
type TreeContext = Pick<RunContext, 'setup' | 'cache'> & {
  readonly gate?: Pick<Gate, 'environment'>;
  readonly limits: Pick<RunContext['limits'], 'setup'>;
};

/** A worktree of the gate, and the gate run it is prepared for. */
interface GateTree {
  readonly where: GateSubject;
  readonly worktree: string;
  readonly commit: string;
  /** Folder for outputs. Together with `first` it identifies the gate run. */
  readonly dir: string;
  /** Name of the first process of the gate run. */
  readonly first: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes a gate worktree identical to the commit and sets it up. Changes of tracked files by set-up commands are
 * reverted. A gate run that started in a process that died keeps its tree.
 */
export async function readyTree(
  ports: TreePorts,
  { setup: commands, cache, limits, gate }: TreeContext,
  { where, worktree, commit, dir, first, env }: GateTree,
): Promise<Result<'ready' | 'interrupted'>> {
  const { git, processes, prepared } = ports;
  const isJudging = processes.hasBegun(dir, first);
  const hasBegun = isJudging || processes.hasBegun(dir, 'setup-1');
  const head = hasBegun ? await outcomeOf(git.headOf(worktree)) : undefined;
  const isUnderWay = head?.ok === true && head.value === commit;
  // Gate commands may be running in it right now.
  if (isUnderWay && isJudging) return ok('ready');
  if (!isUnderWay) {
    const keep = [...cache, ...(await prepared.kept(worktree))];
    await git.exactly(worktree, commit, keep);
  }
  const run = { where, commands, worktree, dir, env, limits: limits.setup, commit, isJudged: true };
  const ready = await setUp(ports, {
    ...run,
    environment: gate?.environment,
    isUnderWay,
  });
  if (!ready.ok || ready.value === 'interrupted' || commands.length === 0) return ready;
  await git.exactly(worktree, commit, 'all');
  return ready;
}

/**
 * A passed result counts only if the tree still equals the commit; otherwise something else was judged. `isRed`: a
 * changed tree is a failure of the work, because it happened before.
 */
export async function stillExact(
  { git }: Pick<Ports, 'git'>,
  { where, isRed }: { readonly where: GateSubject; readonly isRed: boolean },
  { worktree, commit }: Pick<GateTree, 'worktree' | 'commit'>,
  judged: GateResult,
): Promise<GateResult> {
  if (judged.verdict.id !== 'passed') return judged;
  const found = await differing(git, worktree, commit);
  if (found.ok && found.value.length === 0) return judged;
  if (!found.ok) {
    const why = found.failure.kind === 'git-failed' ? `: ${found.failure.stderr}` : '';
    const failure: Failure = { kind: 'gate-not-run', where, cause: `${notCompared}${why}` };
    return { ...judged, verdict: { id: 'not-run', failure } };
  }
  const failure: Failure = { kind: 'gate-changed-tree', where, files: found.value };
  const { ms } = judged.verdict;
  return { ...judged, verdict: isRed ? { id: 'failed', ms, failure } : { id: 'not-run', failure } };
}

/** A git that a signal ends gives no answer, so it is asked again, like a gate command that was killed. */
async function differing(
  git: Pick<Ports['git'], 'differing'>,
  worktree: string,
  commit: string,
): Promise<Result<readonly string[]>> {
  for (let kills = 0; ; kills += 1) {
    const found = await outcomeOf(git.differing(worktree, commit));
    const isKilled =
      !found.ok &&
      found.failure.kind === 'git-failed' &&
      machineCauseOf(found.failure.stderr) === 'signal';
    if (!isKilled || kills >= limits.gateKilledRetries) return found;
  }
}

const notCompared = 'Git could not compare the tree with the commit afterwards';

/**
 * A gate that fails on a full disk gives no verdict. `before` is the lack of space at its start. If its own files
 * alone filled the disk, so that there is room after `clean`, the verdict counts: it would be the same again.
 */
export async function withSpace(
  { space }: Pick<Ports, 'space'>,
  verdict: Verdict,
  before: Failure | undefined,
  clean: () => Promise<unknown>,
): Promise<Verdict> {
  if (verdict.id === 'passed' || (before ?? (await space())) === undefined) return verdict;
  await clean();
  const failure = before ?? (await space());
  return failure === undefined ? verdict : { id: 'not-run', failure };
}
