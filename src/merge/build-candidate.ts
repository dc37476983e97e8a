import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { CandidatePrefix, LandingFacts, QueueEntry } from '../model/queue-entry.ts';
import type { RunId, TrainSettings } from '../model/run.ts';
import type { Git, Merge } from '../port/git.ts';
import { conflictWith, isStraightOn } from './conflict-details.ts';
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
    const { entry, branch } = facts;
    const head = prefixes.at(-1)?.commit ?? parent;
    const merged = await mergedTree(git, head, entry.commit);
    if (!merged.ok) return merged;
    const of = { run, id: entry.id, attempt: entry.attempt };
    if (merged.value.id === 'clean') {
      const prefix = await prefixOf(git, plan, facts, head, merged.value.tree);
      if (!prefix.ok) return prefix;
      entries.push(entry);
      prefixes.push(prefix.value);
      continue;
    }
    const behind = prefixes.length > 0 ? candidate : on;
    if (merged.value.id === 'conflict' && behind !== undefined) {
      events.push({ type: 'merge-deferred', ...of, behind });
      continue;
    }
    const failure =
      merged.value.id === 'unrelated'
        ? await unrelated(git, branch)
        : ok(
            await conflictWith(git, {
              target: head,
              commit: entry.commit,
              branch,
              ...merged.value,
            }),
          );
    if (!failure.ok) return failure;
    events.push({ type: 'merge-refused', ...of, failure: failure.value });
  }
  const last = prefixes.at(-1);
  if (last === undefined) return ok(events);
  const built = {
    run,
    candidate,
    parent,
    ...last,
    entries,
    ...(prefixes.length > 1 ? { prefixes } : {}),
  };
  const place = {
    ...(on === undefined ? {} : { on }),
    ...(plan.urgent === true ? { urgent: true } : {}),
  };
  return ok([...events, { type: 'candidate-built', ...built, ...place }]);
}

/** A branch that was made on top of the tip is its own merge; asking git again would cost a process. */
async function mergedTree(git: Git, parent: string, commit: string): Promise<Result<Merge>> {
  if (!(await isStraightOn(git, commit, parent))) return git.merge(parent, commit);
  const top = await git.commit(commit);
  return top.ok ? ok({ id: 'clean', tree: top.value.tree }) : top;
}

async function prefixOf(
  git: Git,
  { run, style }: CandidatePlan,
  facts: LandingFacts,
  head: string,
  tree: string,
): Promise<Result<CandidatePrefix>> {
  const wish: LandingCommit = {
    head,
    commit: facts.entry.commit,
    tree,
    message: landingMessage(facts, run),
  };
  const commit = await landingCommit(git, style, wish);
  return commit.ok ? ok({ commit: commit.value, tree }) : commit;
}

/** What they have in common may merely have been left out when this repository was cloned. */
async function unrelated(git: Git, branch: string) {
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const { shallow, root } = repository.value;
  if (shallow) return fail({ kind: 'shallow-repository', dir: root } as const);
  const cause = 'it has no history in common with the target';
  return ok({ kind: 'unmergeable', branch, cause } as const);
}

export function landingMessage({ entry, title, agent, model }: LandingFacts, run: RunId): string {
  const subject = title.replace(/\s+/g, ' ').trim();
  return `${subject}\n\n${trailersOf({ entry, agent, ...(model === undefined ? {} : { model }) }, run)}\n`;
}

function trailersOf(
  { entry, agent, model }: Pick<LandingFacts, 'entry' | 'agent' | 'model'>,
  run: RunId,
) {
  return [
    ...[entry.id, ...(entry.coClaims ?? [])].map((id) => `Yard-Task: ${id}`),
    `Yard-Run: ${run}`,
    `Yard-Attempt: ${entry.attempt}`,
    `Yard-Agent: ${agent}`,
    ...(model === undefined ? [] : [`Yard-Model: ${model}`]),
  ].join('\n');
}
