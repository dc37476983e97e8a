import { pullBody, pullTitle } from '../delivery/body.ts';
import { deliver } from '../delivery/deliver.ts';
import { baseRefOf, candidateRef, keepRefOf } from '../model/branch.ts';
import type { CommandOf, Landing } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Pull } from '../model/run-record.ts';
import type { Candidate } from '../model/train-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import { plus, type Usage } from '../model/turn.ts';
import type { Git } from '../port/git.ts';
import type { Ports, RunContext } from './context.ts';

/** Delivers judged work as a branch or pull request, one branch at a time. */
export async function deliverCandidate(
  ports: Ports,
  context: RunContext,
  candidate: Candidate,
  { id: how, work: { task, attempt }, parents }: Exclude<Landing, { id: 'land' }>,
): Promise<Result<readonly EventBody[]>> {
  const { git, forge } = ports;
  const [entry] = candidate.entries;
  if (entry === undefined) return ok([]);
  const { branch, agent, conversation, captured, reviews } = attempt;
  const { usage, verdict } = await pastOf(ports, context, candidate, entry);
  const work = {
    task,
    run: context.run,
    attempt: entry.attempt,
    agent,
    gate: context.gate.commands,
    verdict,
    reviews,
    coClaims: entry.coClaims,
    model: conversation.model,
    changes: captured?.changes,
    usage,
  };
  const handed = await deliver(git, forge, {
    how,
    branch,
    commit: entry.commit,
    target: context.target,
    ...(how === 'branch' ? {} : { remote: context.remote }),
    parents,
    title: pullTitle(work),
    body: pullBody(work),
  });
  if (!handed.ok) return handed;
  const { url } = handed.value;
  const spent = [
    keepRefOf(attempt.branch),
    baseRefOf(attempt.branch),
    candidateRef(context.run, candidate.id),
  ];
  await outcomeOf(git.moveRefs(spent.map((ref) => ({ ref }))));
  const of = { run: context.run, candidate: candidate.id, how, entries: candidate.entries, branch };
  return ok([{ type: 'delivered', ...of, url }]);
}

/** Returns the usage of an attempt, including its reviewers, and how long the gate took. */
async function pastOf(
  { store }: Ports,
  { gate }: RunContext,
  candidate: Candidate,
  { id, attempt }: QueueEntry,
) {
  const records = await store.attempts({ task: id });
  const record = records.ok ? records.value.find(({ number }) => number === attempt) : undefined;
  const usage = [...(record?.turns ?? []), ...(record?.calls ?? [])]
    .flatMap(({ end }) => end?.usage ?? [])
    .reduce<Usage | undefined>(plus, undefined);
  const judged = await store.verdict(candidate.tree, gate.id);
  const ms = judged.ok && judged.value?.id === 'passed' ? judged.value.ms : undefined;
  return { usage, verdict: { id: 'passed', ms } as const };
}

/** Finds out what happened to delivered branches; asks the forge once for all pull requests. */
export async function performWatch(
  { forge, git }: Ports,
  { run, target }: RunContext,
  { pulls }: CommandOf<'watch-pulls'>,
): Promise<Result<readonly EventBody[]>> {
  const seen = {
    type: 'pulls-seen',
    run,
    branches: pulls.map(({ branch }) => branch),
  } as const;
  const asked: string[] = [];
  const merged: Pull[] = [];
  for (const { branch, commit, url } of pulls) {
    if (url !== undefined) {
      asked.push(branch);
      continue;
    }
    // A person may have merged the branch.
    const inside = await outcomeOf(git.isAncestor(commit, `refs/heads/${target}`));
    const of = { branch, number: 0, url: '', checks: 'none' } as const;
    if (inside.ok && inside.value) merged.push({ ...of, state: 'merged' });
  }
  if (asked.length === 0) return ok([{ ...seen, states: merged }]);
  const states = await forge.states(asked);
  if (!states.ok) return ok([seen]);
  for (const pull of states.value) merged.push(await asSeenHere(git, target, pull));
  return ok([{ ...seen, states: merged }]);
}

/**
 * A pull request counts as merged only when the local target contains its merge commit; until then nothing can be
 * built on it.
 */
async function asSeenHere(git: Git, target: string, pull: Pull): Promise<Pull> {
  if (pull.state !== 'merged' || pull.mergeCommit === undefined) return pull;
  const inside = await outcomeOf(git.isAncestor(pull.mergeCommit, `refs/heads/${target}`));
  return inside.ok && inside.value ? pull : { ...pull, state: 'open' };
}
