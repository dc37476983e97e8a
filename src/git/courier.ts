import { KEPT } from '../model/branch.ts';
import type { RefAt } from '../model/job.ts';
import { outcomeOf, take } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import type { CallLimit, Courier } from '../port/workers.ts';
import { gitRunner, succeed } from './command.ts';
import { gitEnv } from './env.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface CourierParts {
  readonly git: Pick<Git, 'resolve'>;
  /** Folder of the repository. */
  readonly dir: string;
  /** URL or path of the shared repository. */
  readonly remote: string;
  /** Name under which commits are sent, and cleared together. */
  readonly run: string;
  readonly env: Environment;
}

/** Refs in one call of git, so that its command line stays short. */
const refsPerCall = 200;

/**
 * Sends commits to a shared repository and gets them from there. Each has a ref that is named after it, so whoever sends
 * it twice, or late, changes nothing.
 */
export function gitCourier({ git, dir, remote, run, env }: CourierParts): Courier {
  const { call, push, refsAt } = remoteCalls({ dir, remote, env });
  const sent = new Set<string>();
  const prefix = `refs/yard/shared/${run}/`;
  const listed = async (limit?: CallLimit): Promise<readonly string[]> => {
    const found = await refsAt(`${prefix}*`, limit);
    return found.map(({ ref }) => ref);
  };
  const fetch = async (commits: readonly string[]): Promise<void> => {
    const lacking: string[] = [];
    for (const commit of new Set(commits)) {
      const found = await git.resolve(commit);
      if (found === undefined) lacking.push(commit);
    }
    const plain = ['--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
    for (let at = 0; at < lacking.length; at += refsPerCall) {
      const refs = lacking.slice(at, at + refsPerCall).map((commit) => `${prefix}${commit}`);
      await call(['fetch', '-q', ...plain, '--', remote, ...refs]);
    }
    return;
  };
  return {
    fetch,
    async fetchAll() {
      const refs = await listed();
      return fetch(refs.map((ref) => ref.slice(prefix.length)));
    },
    async send(commits, signal) {
      const fresh = [...new Set(commits)].filter((commit) => !sent.has(commit));
      const pushed = await outcomeOf(
        push(
          fresh.map((commit) => `${commit}:${prefix}${commit}`),
          { signal },
        ),
      );
      if (signal?.aborted) return take(pushed);
      // Another process may have sent the same at the same time; then git refuses to create the ref again.
      const refs = pushed.ok ? undefined : await outcomeOf(listed({ signal }));
      const there = new Set(refs?.ok ? refs.value : []);
      if (!fresh.every((commit) => there.has(`${prefix}${commit}`))) take(pushed);
      for (const commit of fresh) sent.add(commit);
    },
    kept: (signal) => refsAt(`${KEPT}*`, { signal }),
    keep(refs, signal) {
      const specs = refs.map(({ ref, commit }) => `${commit}:${ref}`);
      return push(specs, { signal });
    },
    async clear(limit) {
      const refs = await listed(limit);
      return push(
        refs.map((ref) => `:${ref}`),
        limit,
      );
    },
  };
}

/** Calls of git for the shared repository. */
function remoteCalls({ dir, remote, env }: Pick<CourierParts, 'dir' | 'remote' | 'env'>) {
  const runGit = gitRunner(gitEnv(env));
  const call = async (
    args: readonly string[],
    { signal, callMs: wallMs }: CallLimit = {},
  ): Promise<string> => {
    const done = await succeed(runGit, { cwd: dir, args, signal, wallMs });
    return done.stdout.toString('utf8');
  };
  const push = async (specs: readonly string[], limit?: CallLimit): Promise<void> => {
    for (let at = 0; at < specs.length; at += refsPerCall) {
      const some = specs.slice(at, at + refsPerCall);
      await call(['push', '--no-verify', '-q', '--', remote, ...some], limit);
    }
    return;
  };
  const refsAt = async (pattern: string, limit?: CallLimit): Promise<readonly RefAt[]> => {
    const found = await call(['ls-remote', '--', remote, pattern], limit);
    const lines = found.split('\n').map((line) => line.split('\t'));
    return lines.flatMap(([commit = '', ref]) => (ref === undefined ? [] : [{ ref, commit }]));
  };
  return { call, push, refsAt };
}

/** Creates an empty repository for a worker, unless it is there. */
export async function createReplica(dir: string, env: Environment): Promise<void> {
  await succeed(gitRunner(gitEnv(env)), {
    cwd: '/',
    args: ['init', '-q', '--', dir],
  });
}

/** Checks out a commit in the repository of a worker, on no branch, and makes its commits in the project's name. */
export async function checkOut(
  dir: string,
  { commit, identity }: { readonly commit: string; readonly identity: string },
  env: Environment,
): Promise<void> {
  const [, name = identity, email = ''] = /^(.*) <(.*)>$/.exec(identity) ?? [];
  const calls = [
    ['config', 'user.name', name],
    ['config', 'user.email', email],
    ['checkout', '-q', '--force', '--detach', commit],
  ];
  for (const args of calls) {
    await succeed(gitRunner(gitEnv(env)), { cwd: dir, args });
  }
}
