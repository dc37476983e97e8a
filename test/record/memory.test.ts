import { memoryStore } from '../../src/record/memory.ts';
import { storeConformance } from '../conformance/store.ts';

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
