import { land } from '../merge/land.ts';
import { obsoleteRefs } from '../model/command-facts.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded } from '../model/run-record.ts';
import type { State } from '../plan/state.ts';
import { baseOf } from '../train/candidates.ts';
import { candidateDir, folderOf, type Ports, plannerDir, type RunContext } from './context.ts';
import { dropRevision } from './revision.ts';

/**
 * Opens the worktree pools of runs that have ended: this run may adopt some of their worktrees, others were left by a
 * crash.
 */
export async function openEarlierPools({ pool, store }: Ports): Promise<Result<void>> {
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
export async function prepareTakeover(
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
