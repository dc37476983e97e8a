import type { Git, Merge } from '../git/git.ts';
import type { Car, EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { standsOn } from './lineage.ts';

/** What goes into the landing commit besides the tree. */
export interface Waybill {
  readonly car: Car;
  readonly title: string;
  readonly agent: string;
  readonly model?: string;
  readonly branch: string;
}

/**
 * Builds the commit that the target would become: its tip and one branch, as a merge commit, without any checkout. The
 * tree is what git's own merge makes of the two.
 */
export async function couple(
  git: Git,
  run: RunId,
  target: string,
  candidate: string,
  bill: Waybill,
): Promise<Result<readonly EventBody[]>> {
  const { car, branch } = bill;
  const tip = await git.resolve(`refs/heads/${target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: target });
  const parent = tip.value;
  const merged = await mergedTree(git, parent, car.commit);
  if (!merged.ok) return merged;
  if (merged.value.id === 'unrelated') {
    const repository = await git.inspect();
    if (!repository.ok) return repository;
    // What they have in common may merely have been left out when this repository was cloned.
    if (repository.value.shallow) {
      return fail({ kind: 'shallow-repository', dir: repository.value.root });
    }
    const cause = 'it has no history in common with the target';
    const failure = { kind: 'unmergeable', branch, cause } as const;
    return ok([{ type: 'coupling-refused', run, id: car.id, attempt: car.attempt, failure }]);
  }
  if (merged.value.id === 'conflict') {
    const { files } = merged.value;
    const failure = { kind: 'conflict', files, target: parent, branch } as const;
    return ok([{ type: 'coupling-refused', run, id: car.id, attempt: car.attempt, failure }]);
  }
  const { tree } = merged.value;
  const message = landingMessage(bill, run);
  const commit = await git.commitTree(tree, [parent, car.commit], message);
  if (!commit.ok) return commit;
  const built = { run, candidate, parent, commit: commit.value, tree, cars: [car] };
  return ok([{ type: 'candidate-built', ...built }]);
}

/** A branch that was made on top of the tip is its own merge; asking git again would cost a process. */
async function mergedTree(git: Git, parent: string, commit: string): Promise<Result<Merge>> {
  if (!(await standsOn(git, commit, parent))) return git.merge(parent, commit);
  const top = await git.commit(commit);
  return top.ok ? ok({ id: 'clean', tree: top.value.tree }) : top;
}

export function landingMessage({ car, title, agent, model }: Waybill, run: RunId): string {
  const subject = title.replace(/\s+/g, ' ').trim();
  const trailers = [
    ...[car.id, ...(car.riders ?? [])].map((id) => `Yard-Task: ${id}`),
    `Yard-Run: ${run}`,
    `Yard-Attempt: ${car.attempt}`,
    `Yard-Agent: ${agent}`,
    ...(model === undefined ? [] : [`Yard-Model: ${model}`]),
  ];
  return `${subject}\n\n${trailers.join('\n')}\n`;
}
