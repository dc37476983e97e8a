import type { Git, Merge } from '../git/git.ts';
import type { Car, EventBody, Link } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { RunId, TrainSettings } from '../model/run.ts';
import { conflictWith } from './clash.ts';
import { standsOn } from './lineage.ts';
import { type Styled, styled } from './style.ts';

/** What goes into the landing commit besides the tree. */
export interface Waybill {
  readonly car: Car;
  readonly title: string;
  readonly agent: string;
  readonly model?: string;
  readonly branch: string;
}

export interface Coupling {
  readonly run: RunId;
  /** Id of the candidate that is built. */
  readonly candidate: string;
  readonly bills: readonly Waybill[];
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
export async function couple(git: Git, coupling: Coupling): Promise<Result<readonly EventBody[]>> {
  const { run, candidate, bills, parent, on } = coupling;
  const events: EventBody[] = [];
  const cars: Car[] = [];
  const links: Link[] = [];
  for (const bill of bills) {
    const { car, branch } = bill;
    const head = links.at(-1)?.commit ?? parent;
    const merged = await mergedTree(git, head, car.commit);
    if (!merged.ok) return merged;
    const of = { run, id: car.id, attempt: car.attempt };
    if (merged.value.id === 'clean') {
      const link = await linkOf(git, coupling, bill, head, merged.value.tree);
      if (!link.ok) return link;
      cars.push(car);
      links.push(link.value);
      continue;
    }
    const behind = links.length > 0 ? candidate : on;
    if (merged.value.id === 'conflict' && behind !== undefined) {
      events.push({ type: 'coupling-put-off', ...of, behind });
      continue;
    }
    const failure =
      merged.value.id === 'unrelated'
        ? await unrelated(git, branch)
        : ok(
            await conflictWith(git, { target: head, commit: car.commit, branch, ...merged.value }),
          );
    if (!failure.ok) return failure;
    events.push({ type: 'coupling-refused', ...of, failure: failure.value });
  }
  const last = links.at(-1);
  if (last === undefined) return ok(events);
  const built = { run, candidate, parent, ...last, cars, ...(links.length > 1 ? { links } : {}) };
  const place = {
    ...(on === undefined ? {} : { on }),
    ...(coupling.urgent === true ? { urgent: true } : {}),
  };
  return ok([...events, { type: 'candidate-built', ...built, ...place }]);
}

/** A branch that was made on top of the tip is its own merge; asking git again would cost a process. */
async function mergedTree(git: Git, parent: string, commit: string): Promise<Result<Merge>> {
  if (!(await standsOn(git, commit, parent))) return git.merge(parent, commit);
  const top = await git.commit(commit);
  return top.ok ? ok({ id: 'clean', tree: top.value.tree }) : top;
}

async function linkOf(
  git: Git,
  { run, style }: Coupling,
  bill: Waybill,
  head: string,
  tree: string,
): Promise<Result<Link>> {
  const wish: Styled = { head, commit: bill.car.commit, tree, message: landingMessage(bill, run) };
  const commit = await styled(git, style, wish);
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

export function landingMessage({ car, title, agent, model }: Waybill, run: RunId): string {
  const subject = title.replace(/\s+/g, ' ').trim();
  return `${subject}\n\n${trailersOf({ car, agent, ...(model === undefined ? {} : { model }) }, run)}\n`;
}

function trailersOf({ car, agent, model }: Pick<Waybill, 'car' | 'agent' | 'model'>, run: RunId) {
  return [
    ...[car.id, ...(car.riders ?? [])].map((id) => `Yard-Task: ${id}`),
    `Yard-Run: ${run}`,
    `Yard-Attempt: ${car.attempt}`,
    `Yard-Agent: ${agent}`,
    ...(model === undefined ? [] : [`Yard-Model: ${model}`]),
  ].join('\n');
}
