import type { Actor } from '../../src/model/actor.ts';
import { storeConformance } from '../conformance/store.ts';
import { memoryStore, slowMemoryStore } from '../memory/store.ts';

const worldOf = (store: ReturnType<typeof memoryStore>) => ({
  open: async () => store,
  openAs: async (actor: Actor) => {
    store.actor = actor;
    return store;
  },
  spoil: async (id: string) => {
    const record = store.records.task(id);
    if (record !== undefined) store.records.putTask({ ...record, blockers: 7 });
  },
  end: () => store.close(),
});

storeConformance('The store in memory', async () => worldOf(memoryStore()));
storeConformance('A store whose database answers later', async () => worldOf(slowMemoryStore()));
