import { candidateRef } from '../model/branch.ts';
import { commitMessage } from '../model/commit-message.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { CandidatePrefix, LandingFacts, QueueEntry } from '../model/queue-entry.ts';
import type { RunId, TrainSettings } from '../model/run.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { conflictWith } from './conflict-details.ts';
import { joinWork } from './join-work.ts';
import { type LandingCommit, landingCommit } from './style.ts';

export interface CandidatePlan {
  readonly run: RunId;
  /** Id of the candidate that is built. */
  readonly candidate: string;
  readonly landings: readonly LandingFacts[];
  /** The commit it is built on. */
  readonly parent: string;
  /** The candidate that commit belongs to; absent where it is the target itself. */
  readonly on?: string;
  readonly style: TrainSettings['style'];
  readonly urgent?: boolean;
  /** Refs of candidates that have left the queue. */
  readonly spent: readonly string[];
}

/**
 * Builds the commit that the target would become, one branch after the other, without any checkout. The tree is what
 * git's own merge makes of them. A branch that does not merge with the target is refused; one that only does not merge
 * with others on their way waits for what becomes of those.
 */
export async function buildCandidate(
  git: Git,
  plan: CandidatePlan,
): Promise<Result<readonly EventBody[]>> {
  const { run, candidate, landings, parent, on } = plan;
  const events: EventBody[] = [];
  const entries: QueueEntry[] = [];
  const prefixes: CandidatePrefix[] = [];
  for (const facts of landings) {
    const { entry, branch, base } = facts;
    const head = prefixes.at(-1)?.commit ?? parent;
    const merged = await joinWork(git, head, { commit: entry.commit, base });
    const of = { run, id: entry.id, attempt: entry.attempt };
    if (merged.id === 'clean') {
      const prefix = await prefixOf(git, plan, facts, head, merged);
      if (!prefix.ok) return prefix;
      const { commit } = merged;
      entries.push(commit === entry.commit ? entry : { ...entry, copy: commit });
      prefixes.push(prefix.value);
      continue;
    }
    const behind = prefixes.length > 0 ? candidate : on;
    if (merged.id === 'conflict' && behind !== undefined) {
      events.push({ type: 'merge-deferred', ...of, behind });
      continue;
    }
    if (merged.id === 'unrelated' && (await isReplaced(git, head, base))) {
      return ok([{ type: 'target-moved', run, from: base ?? '', to: head, unrelated: true }]);
    }
    const failure =
      merged.id === 'unrelated'
        ? await settled(unrelated(git, branch))
        : ok(
            await conflictWith(git, {
              target: head,
              commit: entry.commit,
              branch,
              ...merged,
              base,
            }),
          );
    if (!failure.ok) return failure;
    events.push({ type: 'merge-refused', ...of, failure: failure.value });
  }
  const last = prefixes.at(-1);
  if (last === undefined) return ok(events);
  // Nothing else holds the new commits, and the user may let git prune at any time.
  await git.moveRefs([
    { ref: candidateRef(run, candidate), to: last.commit },
    ...plan.spent.map((ref) => ({ ref })),
  ]);
  const built = {
    run,
    candidate,
    parent,
    ...last,
    entries,
    ...(prefixes.length > 1 ? { prefixes } : {}),
  };
  const place = {
    on,
    ...(plan.urgent === true ? { urgent: true } : {}),
  };
  return ok([...events, { type: 'candidate-built', ...built, ...place }]);
}

async function prefixOf(
  git: Git,
  { run, style }: CandidatePlan,
  facts: LandingFacts,
  head: string,
  { tree, commit: work }: { readonly tree: string; readonly commit: string },
): Promise<Result<CandidatePrefix>> {
  const wish: LandingCommit = {
    head,
    commit: work,
    tree,
    message: landingMessage(facts, run),
  };
  const commit = await landingCommit(git, style, wish);
  return commit.ok ? ok({ commit: commit.value, tree }) : commit;
}

/** True if the target itself has nothing in common with the commit that the work began on. */
async function isReplaced(git: Git, head: string, base: string | undefined): Promise<boolean> {
  const common = base === undefined ? undefined : await outcomeOf(git.mergeBase(base, head));
  return common?.ok === true && common.value === undefined;
}

/** Failure for unrelated histories. In a shallow clone the common commits may only be missing. */
async function unrelated(git: Git, branch: string) {
  const repository = await git.inspect();
  const { shallow, root } = repository;
  if (shallow) return fail({ kind: 'shallow-repository', dir: root } as const);
  const cause = 'it has no history in common with the target';
  return ok({ kind: 'unmergeable', branch, cause } as const);
}

export function landingMessage({ entry, title, agent, model }: LandingFacts, run: RunId): string {
  return commitMessage(title, [
    ...[entry.id, ...(entry.coClaims ?? [])].map((id) => `Yard-Task: ${id}`),
    `Yard-Run: ${run}`,
    `Yard-Attempt: ${entry.attempt}`,
    `Yard-Agent: ${agent}`,
    ...(model === undefined ? [] : [`Yard-Model: ${model}`]),
  ]);
}
