import type { Place, QuickProject } from '../app/ports.ts';
import { tipInFiles } from '../git/branch-tip.ts';
import type { Result } from '../model/failure.ts';
import { quickStore } from '../record/quick.ts';
import { findPlace, here } from './place.ts';
import { storeSetting } from './store-setting.ts';

/** Opens a project for reading a little, without git and without the whole store. Undefined outside of a repository. */
export function openQuick(cwd: string): QuickProject | undefined {
  const place = findPlace(cwd);
  if (place === undefined) return undefined;
  return {
    ...place,
    ...here,
    store: {
      status: async (choose) => quickly(place, (store) => store.status(choose)),
      ids: async (what, most) => quickly(place, (store) => store.ids(what, most)),
    },
    tipOf: (branch) => tipInFiles(place.commonDir, branch),
    async isAncestor(ancestor, descendant) {
      const git = (await import('../git/cli.ts')).gitCli(place.root, process.env);
      return git.isAncestor(ancestor, descendant).finally(() => git.close());
    },
    lastActions: async () =>
      (await import('./agent-output.ts')).lastActionReader({ ...place, ...here }),
  };
}

type QuickStore = QuickProject['store'];

async function quickly<T>(
  { root, storeFile }: Place,
  ask: (store: QuickStore) => Promise<Result<T>>,
): Promise<Result<T>> {
  const setting = await storeSetting(root, process.env);
  if (!setting.ok) return setting;
  if (setting.value.kind === 'sqlite') return ask(quickStore(storeFile));
  const { openPostgres } = await import('../record/postgres/store.ts');
  const { rootsOf } = await import('../git/roots.ts');
  const repository = rootsOf(root, process.env);
  const store = await openPostgres(setting.value, { mode: 'read', repository });
  if (!store.ok) return store;
  try {
    return await ask(store.value);
  } finally {
    await store.value.close();
  }
}
