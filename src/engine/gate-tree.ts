import type { GateResult } from '../gate/checks.ts';
import { type Failure, type GateSubject, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Gate } from '../model/verdict.ts';
import { setUp } from '../worktree/set-up.ts';
import type { Ports, RunContext } from './context.ts';

export type TreePorts = Pick<Ports, 'git' | 'processes' | 'copyFiles' | 'prepared'>;
export type TreeContext = Pick<RunContext, 'setup' | 'cache'> & {
  readonly gate?: Pick<Gate, 'environment'>;
  readonly limits: Pick<RunContext['limits'], 'setup'>;
};

/** A worktree of the gate, and the judgement it is wanted for. */
export interface GateTree {
  readonly where: GateSubject;
  readonly worktree: string;
  readonly commit: string;
  /** Where the outputs go; together with `first` it names the judgement. */
  readonly dir: string;
  /** Name of the first process of the judgement. */
  readonly first: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes a worktree of the gate exactly the commit and sets it up. What a set-up command does to tracked files is taken
 * back. A judgement that has begun, in a process that has died since, keeps the tree it began with.
 */
export async function readyTree(
  ports: TreePorts,
  { setup: commands, cache, limits, gate }: TreeContext,
  { where, worktree, commit, dir, first, env }: GateTree,
): Promise<Result<'ready' | 'interrupted'>> {
  const { git, processes, prepared } = ports;
  const isJudging = processes.hasBegun(dir, first);
  const hasBegun = isJudging || processes.hasBegun(dir, 'setup-1');
  const status = hasBegun ? await git.status(worktree) : undefined;
  const isUnderWay = status?.ok === true && status.value.head === commit;
  // Commands of the gate may be at work in it at this moment.
  if (isUnderWay && isJudging) return ok('ready');
  if (!isUnderWay) {
    const keep = [...cache, ...(await prepared.kept(worktree))];
    const made = await git.exactly(worktree, commit, keep);
    if (!made.ok) return made;
  }
  const run = { where, commands, worktree, dir, env, limits: limits.setup, commit, isJudged: true };
  const ready = await setUp(ports, {
    ...run,
    ...given({ environment: gate?.environment }),
    isUnderWay,
  });
  if (!ready.ok || ready.value === 'interrupted' || commands.length === 0) return ready;
  const again = await git.exactly(worktree, commit, 'all');
  return again.ok ? ready : again;
}

/**
 * A green result counts only if the tree is still the commit; otherwise something else was judged. `isRed`: work that
 * changed its tree is red, since it is not the first time that this happened.
 */
export async function stillExact(
  { git }: Pick<Ports, 'git'>,
  { where, isRed }: { readonly where: GateSubject; readonly isRed: boolean },
  { worktree, commit }: Pick<GateTree, 'worktree' | 'commit'>,
  judged: GateResult,
): Promise<GateResult> {
  if (judged.verdict.id !== 'passed') return judged;
  const found = await git.differing(worktree, commit);
  if (found.ok && found.value.length === 0) return judged;
  if (!found.ok) {
    const failure: Failure = { kind: 'gate-not-run', where, cause: uncompared };
    return { ...judged, verdict: { id: 'not-run', failure } };
  }
  const failure: Failure = { kind: 'gate-changed-tree', where, files: found.value };
  const { ms } = judged.verdict;
  return { ...judged, verdict: isRed ? { id: 'failed', ms, failure } : { id: 'not-run', failure } };
}

const uncompared = 'Git could not compare the tree with the commit afterwards';
