import type { QuickProject } from '../app/ports.ts';
import { tipInFiles } from '../git/branch-tip.ts';
import { quickStore } from '../record/quick.ts';
import { findPlace, here } from './place.ts';

/** Opens a project for reading a little, without git and without the whole store. Undefined outside of a repository. */
export function openQuick(cwd: string): QuickProject | undefined {
  const place = findPlace(cwd);
  if (place === undefined) return undefined;
  return {
    ...place,
    ...here,
    store: quickStore(place.storeFile),
    tipOf: (branch) => tipInFiles(place.commonDir, branch),
    async isAncestor(ancestor, descendant) {
      const git = (await import('../git/cli.ts')).gitCli(place.root, process.env);
      const answer = await git.isAncestor(ancestor, descendant);
      await git.close();
      return answer;
    },
    lastActions: async () =>
      (await import('./agent-output.ts')).lastActionReader({ ...place, ...here }),
  };
}
