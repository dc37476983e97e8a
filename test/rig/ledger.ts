// The ledger of a test repository, as `ym ledger` makes it up, for the end of a scenario.
import { existsSync } from 'node:fs';
import { readLedger } from '../../src/wire/ledger.ts';
import { openProject, openStore } from '../../src/wire/project.ts';

/**
 * One line for every commit that nothing accounts for; empty when all is well. Stricter than the program: work whose
 * branch is gone counts as lost here even where the task landed later, as no scenario deletes branches by itself.
 */
export async function unaccounted(repoRoot: string): Promise<string[]> {
  const project = await openProject(repoRoot);
  if (!project.ok) return [`the project cannot be opened: ${JSON.stringify(project.failure)}`];
  const { git, storeFile } = project.value;
  try {
    // Where nothing was ever stored nothing can be lost.
    if (!existsSync(storeFile)) return [];
    const store = await openStore(project.value, 'read');
    if (!store.ok) return [`the store cannot be opened: ${JSON.stringify(store.failure)}`];
    try {
      const entries = await readLedger(project.value, store.value);
      if (!entries.ok) return [`there is no ledger: ${JSON.stringify(entries.failure)}`];
      return entries.value.flatMap(({ run, task, attempt, commit, fate }) => {
        const which = `${commit} of ${run}/${task}-${attempt}`;
        if (fate.id === 'lost') return [`${which} is lost: ${fate.why}`];
        if (fate.id !== 'superseded' || fate.gone === undefined) return [];
        return [`${which} was returned, and its branch ${fate.gone} is gone`];
      });
    } finally {
      await store.value.close();
    }
  } finally {
    await git.close();
  }
}
