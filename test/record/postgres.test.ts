import { describe } from 'vitest';
import { storeConformance } from '../conformance/store.ts';
import { hasPostgres } from '../rig/postgres.ts';
import { testSchema } from './postgres-project.ts';

describe.skipIf(!hasPostgres)('With a server', () => {
  storeConformance('The store in Postgres', async () => {
    const project = await testSchema();
    return {
      open: () => project.open(),
      openAs: (actor) => project.open({ actor }),
      spoil: async (id) => {
        const text = `UPDATE task SET record = regexp_replace(record, '"blockers":[0-9]+', '"blockers":7')`;
        await project.sql(`${text} WHERE id = '${id}'`);
      },
      end: () => project.end(),
    };
  });
});
