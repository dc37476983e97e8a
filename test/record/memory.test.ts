import { storeConformance } from '../conformance/store.ts';
import { memoryStore } from '../memory/store.ts';

storeConformance('The store in memory', async () => {
  const store = memoryStore();
  return {
    open: async () => store,
    spoil: async (id) => {
      const record = store.records.task(id);
      if (record !== undefined) store.records.putTask({ ...record, blockers: 7 });
    },
    end: () => store.close(),
  };
});
