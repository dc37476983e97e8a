import type { Push } from '../../src/port/git.ts';
import { need } from '../rig/need.ts';
import { type Commit, reaches } from './git-history.ts';

/** Repositories to push to: refs by name. */
export class MemoryRemotes {
  readonly #remotes: ReadonlyMap<string, Map<string, string>>;

  constructor(names: readonly string[]) {
    this.#remotes = new Map(names.map((name) => [name, new Map()]));
  }

  refsOf(name: string): Map<string, string> {
    const refs = need(this.#remotes.get(name));
    return refs;
  }

  /** Moves all refs or none. `known` are the refs of the repository that follow. */
  push(
    commits: ReadonlyMap<string, Commit>,
    remote: string,
    ends: readonly { readonly commit: string; readonly to: string }[],
  ): { readonly pushed: Push; readonly known: ReadonlyMap<string, string> } {
    const refs = this.#remotes.get(remote);
    const known = new Map<string, string>();
    for (const { commit, to } of ends) {
      const at = refs?.get(to);
      const fits = at === undefined || reaches(commits, commit, at);
      const cause = refs === undefined ? `there is no remote ${remote}` : `${to} is at ${at}`;
      if (refs === undefined || !fits || !to.startsWith('refs/'))
        return { pushed: { id: 'refused', cause }, known };
    }
    for (const { commit, to } of ends) {
      refs?.set(to, commit);
      if (to.startsWith('refs/heads/'))
        known.set(to.replace('refs/heads', `refs/remotes/${remote}`), commit);
    }
    return { pushed: { id: 'pushed' }, known };
  }
}
