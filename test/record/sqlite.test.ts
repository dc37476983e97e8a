import { storeConformance } from '../conformance/store.ts';
import { testProject } from './run-folder.ts';

storeConformance('The store in SQLite', async () => {
  const place = testProject();
  return {
    open: () => place.open(),
    openAs: (actor) => place.open('write', 5_000, actor),
    spoil: async (id) => {
      const text = "UPDATE task SET record = json_set(record, '$.blockers', 7) WHERE id = ?";
      place.raw((db) => db.prepare(text).run(id));
    },
    end: () => place.end(),
  };
});
