import { ok, type Result } from '../model/failure.ts';
import { gitRunner } from './command.ts';
import { gitEnv } from './env.ts';

/** The history of a repository, by which clones of it are known. */
interface Roots {
  /** First commits of its history; none if it has no commit, or not all of them. */
  roots(): Promise<Result<readonly string[]>>;
  /** True if its history begins with one of these commits, or that cannot be told because it is shallow. */
  hasAny(roots: readonly string[]): Promise<Result<boolean>>;
}

export function rootsOf(dir: string, env: Readonly<Record<string, string | undefined>>): Roots {
  const run = gitRunner(gitEnv(env));
  const call = async (...args: readonly string[]): Promise<Result<string | undefined>> => {
    const done = await run({ cwd: dir, args });
    if (!done.ok) return done;
    return ok(done.value.exit === 0 ? done.value.stdout.toString('utf8').trim() : undefined);
  };
  const isShallow = async (): Promise<Result<boolean>> => {
    const answer = await call('rev-parse', '--is-shallow-repository');
    return answer.ok ? ok(answer.value === 'true') : answer;
  };
  return {
    async roots() {
      const shallow = await isShallow();
      if (!shallow.ok || shallow.value) return shallow.ok ? ok([]) : shallow;
      const found = await call('rev-list', '--max-parents=0', 'HEAD');
      return found.ok ? ok(found.value?.split('\n').filter(Boolean) ?? []) : found;
    },
    async hasAny(roots) {
      for (const root of roots) {
        const found = await call('cat-file', '-e', `${root}^{commit}`);
        if (!found.ok) return found;
        if (found.value !== undefined) return ok(true);
      }
      return isShallow();
    },
  };
}
