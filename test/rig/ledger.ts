// The ledger of a test repository, as `ym ledger` makes it up, for the end of every scenario.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readLedger } from '../../src/app/ledger.ts';
import { openProject } from '../../src/wire/project.ts';

/**
 * One line for every commit that nothing accounts for; empty when all is well. Stricter than the program: work whose
 * branch is gone counts as lost here even where the task landed later, as no scenario deletes branches by itself; so do
 * landings that the target dropped. `loses` are tasks whose work may be gone.
 */
export async function unaccounted(
  repoRoot: string,
  loses: readonly string[] = [],
): Promise<string[]> {
  // Where nothing was ever stored nothing can be lost.
  if (!existsSync(join(repoRoot, '.git', 'yardmaster', 'yard.db'))) return [];
  const project = await openProject(repoRoot);
  if (!project.ok) return [`the project cannot be opened: ${JSON.stringify(project.failure)}`];
  const { git } = project.value;
  try {
    const store = await project.value.openStore('read');
    if (!store.ok) return [`the store cannot be opened: ${JSON.stringify(store.failure)}`];
    try {
      const ledger = await readLedger({ ...project.value, store: store.value });
      if (!ledger.ok) return [`there is no ledger: ${JSON.stringify(ledger.failure)}`];
      return ledger.value.entries.flatMap(({ run, task, attempt, commit, fate }) => {
        if (loses.includes(task)) return [];
        const which = `${commit} of ${run}/${task}-${attempt}`;
        if (fate.id === 'lost') return [`${which} is lost: ${fate.why}`];
        if (fate.id === 'dropped') return [`${which} landed, and ${fate.target} lost it again`];
        if (fate.id !== 'superseded' || 'task' in fate || fate.gone === undefined) return [];
        return [`${which} was returned, and its branch ${fate.gone} is gone`];
      });
    } finally {
      await store.value.close();
    }
  } finally {
    await git.close();
  }
}
