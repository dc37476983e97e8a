import { fail, ok, type Result } from '../model/failure.ts';
import type { DeliveredAs } from '../model/run.ts';
import type { Forge } from '../port/forge.ts';
import type { Git } from '../port/git.ts';

export interface Handover {
  readonly how: DeliveredAs;
  /** Branch name without `refs/heads/`; the remote gets the same name. */
  readonly branch: string;
  readonly commit: string;
  /** Branch to merge into. */
  readonly target: string;
  readonly remote?: string;
  /** Delivered branches of parent tasks that are not merged yet. */
  readonly parents?: readonly string[];
  readonly title: string;
  readonly body: string;
}

interface HandedOver {
  readonly branch: string;
  readonly url?: string;
}

type DeliveryGit = Pick<Git, 'resolve' | 'isAncestor' | 'moveRefs' | 'push'>;

/**
 * Delivers finished work as a branch or a pull request. Each step checks whether it is done already, so this may be
 * repeated after an interruption. Nothing is forced: a branch with other commits, here or on the remote, stays as it
 * is.
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
  if (remote === undefined) return failed(how, 'no remote is configured to push to');
  if (forge === undefined) return failed(how, 'no program for opening pull requests is configured');
  const pushed = await git.push(remote, [{ from: commit, to: `refs/heads/${branch}` }]);
  if (pushed.id === 'refused') {
    return failed(how, `${remote} rejected ${branch}: ${pushed.cause}`);
  }
  const opened = await openOn(forge, handover);
  return opened.ok ? ok({ branch, url: opened.value.url }) : opened;
}

/** Creates or fast-forwards the branch to the commit. */
async function nameBranch(
  git: DeliveryGit,
  { how, branch, commit }: Handover,
): Promise<Result<void>> {
  const ref = `refs/heads/${branch}`;
  const now = await git.resolve(ref);
  if (now === commit) return ok(undefined);
  if (now !== undefined) {
    const behind = await git.isAncestor(now, commit);
    if (!behind) return failed(how, `${branch} has other commits, at ${now}`);
  }
  const moved = await git.moveRefs([{ ref, from: now ?? null, to: commit }]);
  if (moved.id === 'moved') return ok(undefined);
  return failed(how, `${branch} was moved by another process: ${moved.detail}`);
}

/**
 * Opens the pull request on its base. If the parent branch has been merged, and may be gone, the base becomes the
 * target.
 */
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

/** Several parents cannot be one base: the request then shows their changes until they are merged. */
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
