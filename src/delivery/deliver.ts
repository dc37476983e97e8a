import type { Git } from '../git/git.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Delivery } from '../model/run.ts';
import type { Forge } from './forge.ts';

export interface Handover {
  readonly how: Exclude<Delivery, 'land'>;
  /** Name of the branch that is handed over, without `refs/heads/`; the remote gets it under the same name. */
  readonly branch: string;
  readonly commit: string;
  /** The branch it is meant for. */
  readonly target: string;
  /** Where branches are pushed to. */
  readonly remote?: string;
  /** Branches of parent tasks that were handed over and are not merged yet. */
  readonly parents?: readonly string[];
  readonly title: string;
  readonly body: string;
}

export interface HandedOver {
  readonly branch: string;
  readonly url?: string;
}

type DeliveryGit = Pick<Git, 'resolve' | 'isAncestor' | 'moveRefs' | 'push'>;

/**
 * Hands finished work over as a branch, or as a pull request for it. Every part finds out whether it is done already,
 * so that this may be repeated after it broke off anywhere. Nothing is forced: a branch that holds something else,
 * here or on the remote, is left as it is.
 */
export async function deliver(
  git: DeliveryGit,
  forge: Forge | undefined,
  handover: Handover,
): Promise<Result<HandedOver>> {
  const { how, branch, commit, remote } = handover;
  const named = await nameBranch(git, handover);
  if (!named.ok) return named;
  if (how === 'branch' || (how === 'stack' && remote === undefined)) return ok({ branch });
  if (remote === undefined) return failed(how, 'no remote is set to push to');
  if (forge === undefined) return failed(how, 'there is no program to open pull requests with');
  const pushed = await git.push(remote, [{ from: commit, to: `refs/heads/${branch}` }]);
  if (!pushed.ok) return pushed;
  if (pushed.value.id === 'refused') {
    return failed(how, `${remote} does not take ${branch}: ${pushed.value.cause}`);
  }
  const opened = await openOn(forge, handover);
  return opened.ok ? ok({ branch, url: opened.value.url }) : opened;
}

/** The branch exists and is at the commit, or the reason why it cannot be put there. */
async function nameBranch(
  git: DeliveryGit,
  { how, branch, commit }: Handover,
): Promise<Result<void>> {
  const ref = `refs/heads/${branch}`;
  const now = await git.resolve(ref);
  if (!now.ok) return now;
  if (now.value === commit) return ok(undefined);
  if (now.value !== undefined) {
    const behind = await git.isAncestor(now.value, commit);
    if (!behind.ok) return behind;
    if (!behind.value) return failed(how, `${branch} holds other work, at ${now.value}`);
  }
  const moved = await git.moveRefs([{ ref, from: now.value ?? null, to: commit }]);
  if (!moved.ok) return moved;
  if (moved.value.id === 'moved') return ok(undefined);
  return failed(how, `${branch} was moved by somebody else: ${moved.value.detail}`);
}

/** On the branch of its only parent where it stands on one, unless that has been merged and may be gone. */
async function openOn(forge: Forge, handover: Handover): ReturnType<Forge['open']> {
  const { branch, target, title, body } = handover;
  const base = baseOf(handover);
  const request = { branch, base, title, body };
  const opened = await forge.open(request);
  if (opened.ok || base === target) return opened;
  const parent = await forge.states([base]);
  if (!parent.ok || parent.value[0]?.state !== 'merged') return opened;
  return forge.open({ ...request, base: target });
}

/** Several parents cannot be one base: what they have changed shows in the request until they are merged. */
export function baseOf({
  how,
  target,
  parents = [],
}: Pick<Handover, 'how' | 'target' | 'parents'>): string {
  const [only, ...others] = parents;
  return how === 'stack' && only !== undefined && others.length === 0 ? only : target;
}

function failed(how: string, cause: string): Result<never> {
  return fail({ kind: 'delivery-failed', how, cause });
}
