import { pullBody, pullTitle } from '../delivery/body.ts';
import { deliver } from '../delivery/deliver.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Delivery } from '../model/run.ts';
import type { Candidate } from '../plan/record.ts';
import type { State } from '../plan/state.ts';
import { keepRef } from '../worktree/branch.ts';
import type { Ports, Yard } from './yard.ts';

/** Hands judged work over as a branch or a pull request. What does not land is one branch at a time. */
export async function deliverCandidate(
  { git, forge }: Ports,
  yard: Yard,
  state: State,
  candidate: Candidate,
  how: Exclude<Delivery, 'land'>,
): Promise<Result<readonly EventBody[]>> {
  const [car] = candidate.cars;
  const record = car === undefined ? undefined : state.task(car.id);
  if (car === undefined || record?.attempt === undefined) return ok([]);
  const { task, attempt } = record;
  const { branch, agent, model, changes, reviews, sessionUsage } = attempt;
  const work = {
    task,
    run: yard.run,
    attempt: car.attempt,
    agent,
    gate: yard.gate.commands,
    verdict: { id: 'passed' } as const,
    ...(car.riders === undefined ? {} : { riders: car.riders }),
    ...(model === undefined ? {} : { model }),
    ...(changes === undefined ? {} : { changes }),
    ...(reviews === undefined ? {} : { reviews }),
    ...(sessionUsage === undefined ? {} : { usage: sessionUsage }),
  };
  const handed = await deliver(git, forge, {
    how,
    branch,
    commit: car.commit,
    target: yard.target,
    ...(how === 'branch' ? {} : { remote: yard.remote }),
    parents: parentBranches(state, task.after),
    title: pullTitle(work),
    body: pullBody(work),
  });
  if (!handed.ok) return handed;
  const { url } = handed.value;
  await git.moveRefs([{ ref: keepRef(yard.run, car.id, car.attempt) }]);
  const of = { run: yard.run, candidate: candidate.id, how, cars: candidate.cars, branch };
  return ok([{ type: 'delivered', ...of, ...(url === undefined ? {} : { url }) }]);
}

/** Finds out what became of pull requests, with one question for all of them. */
export async function performWatch(
  { forge }: Ports,
  { run }: Yard,
  { branches }: { readonly branches: readonly string[] },
): Promise<Result<readonly EventBody[]>> {
  const states = await forge.states(branches);
  const seen = { type: 'pulls-seen', run, branches } as const;
  return ok([states.ok ? { ...seen, states: states.value } : seen]);
}

/** Branches of parents that are handed over and not merged yet. */
function parentBranches(state: State, parents: readonly string[]): readonly string[] {
  return parents.flatMap((id) => {
    const standing = state.task(id)?.standing;
    return standing?.id === 'delivered' ? [standing.branch] : [];
  });
}
