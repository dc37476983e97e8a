import { afterEach, beforeEach, describe } from 'vitest';
import { storeConformance } from '../conformance/store.ts';
import { describeTakeover } from '../conformance/store-takeover.ts';
import { type TestProject, testProject } from './run-folder.ts';

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

describe('A run that is taken over, in SQLite', () => {
  let place: TestProject;
  beforeEach(() => {
    place = testProject();
  });
  afterEach(() => place.end());
  describeTakeover(() => ({ open: () => place.open(), vanish: async () => {} }));
});
