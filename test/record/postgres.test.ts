import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { openPostgres } from '../../src/record/postgres/store.ts';
import { storeConformance } from '../conformance/store.ts';
import { describeTakeover } from '../conformance/store-takeover.ts';
import { hasPostgres, postgres } from '../rig/postgres.ts';
import { Relay } from '../rig/relay.ts';
import { until } from '../rig/until.ts';
import { good } from './life.ts';
import { postgresAddress, type TestSchema, testSchema } from './postgres-project.ts';

// reason: the server is not installed everywhere.
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

  describe('A run that is taken over, in Postgres', () => {
    let project: TestSchema;
    let relay: Relay;
    let isFirst = true;
    beforeAll(async () => {
      relay = await Relay.to((await postgres()).port);
    });
    afterAll(() => relay.end());
    beforeEach(async () => {
      project = await testSchema();
      isFirst = true;
    });
    afterEach(() => project.end());
    describeTakeover(() => ({
      open: async () => {
        if (!isFirst) return project.open();
        isFirst = false;
        const address = postgresAddress(relay.through(project.url));
        return good(await openPostgres(address, { mode: 'write' }));
      },
      vanish: async () => {
        relay.cutAll();
        const locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'";
        await until(async () => (await project.sql(locks)).length === 0, 'the server to notice');
      },
    }));
  });
});
