import { gitRunner } from './command.ts';
import { gitEnv } from './env.ts';

/** The history of a repository, by which clones of it are known. */
interface Roots {
  /** First commits of its history; none if it has no commit, or not all of them. */
  roots(): Promise<readonly string[]>;
  /** True if its history begins with one of these commits, or that cannot be told because it is shallow. */
  hasAny(roots: readonly string[]): Promise<boolean>;
}

export function rootsOf(dir: string, env: Readonly<Record<string, string | undefined>>): Roots {
  const run = gitRunner(gitEnv(env));
  const call = async (...args: readonly string[]): Promise<string | undefined> => {
    const done = await run({ cwd: dir, args });
    return done.exit === 0 ? done.stdout.toString('utf8').trim() : undefined;
  };
  const isShallow = async (): Promise<boolean> => {
    const answer = await call('rev-parse', '--is-shallow-repository');
    return answer === 'true';
  };
  return {
    async roots() {
      if (await isShallow()) return [];
      const found = await call('rev-list', '--max-parents=0', 'HEAD');
      return found?.split('\n').filter(Boolean) ?? [];
    },
    async hasAny(roots) {
      for (const root of roots) {
        const found = await call('cat-file', '-e', `${root}^{commit}`);
        if (found !== undefined) return true;
      }
      return isShallow();
    },
  };
}
