import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/record/postgres/store.ts';
import { storeConformance } from '../conformance/store.ts';
import { describeTakeover } from '../conformance/store-takeover.ts';
import { need } from '../rig/need.ts';
import { hasPostgres, postgres } from '../rig/postgres.ts';
import { Relay } from '../rig/relay.ts';
import { until } from '../rig/until.ts';
import { added, decided, started, wish } from './life.ts';
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
        return need(await openPostgres(address, { mode: 'write', beatMs: 3_600_000 }));
      },
      vanish: async () => {
        relay.cutAll();
        const locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'";
        await until(async () => (await project.sql(locks)).length === 0, 'the server to notice');
      },
    }));
  });

  describe('Sixteen claimers of one store in Postgres', () => {
    let project: TestSchema;
    beforeEach(async () => {
      project = await testSchema();
    });
    afterEach(() => project.end());

    it('never claim a task twice, and every claim has a fence of its own', async () => {
      const first = await project.open();
      const ids = Array.from({ length: 48 }, (_, index) => `t${index}`);
      const added48 = ids.map((id) => added(id));
      need(await first.append(1, [...added48, started('r0')]));
      const stores = await Promise.all(Array.from({ length: 16 }, () => project.open()));
      const won = await Promise.all(
        stores.map(async (store, number) => {
          const mine: string[] = [];
          // Each begins elsewhere, and all want everything.
          for (const id of [...ids.slice(number), ...ids.slice(0, number)]) {
            const claimed = await store.claim(5, wish(`r${number}`, id));
            if (claimed.ok) mine.push(id);
            else expect(claimed.failure.kind).toBe('claim-lost');
          }
          return mine;
        }),
      );
      expect(won.flat().toSorted()).toEqual(ids.toSorted());
      const fences = need(await first.tasks()).map(({ attempt }) => attempt?.fence ?? 0);
      expect(new Set(fences).size).toBe(ids.length);
      const events = need(await first.events({}));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(need(await first.audit())).toEqual([]);
    });

    it('count what has failed and what is blocked as the other stores do', async () => {
      const store = await project.open();
      need(await store.append(1, [added('a'), added('b', ['a']), added('c', ['b']), added('d')]));
      need(await store.append(2, [decided('a', 'block'), decided('d', 'cancel')]));
      const status = need(await store.status());
      expect(status.counts).toEqual({ blocked: 3, canceled: 1 });
      expect(status.blocked).toEqual([
        ['blocked-by-person', 1],
        ['parent-stuck', 2],
      ]);
      expect(status.troubled.map(({ task }) => task.id)).toEqual(['a']);
      expect(need(await store.audit())).toEqual([]);
    });
  });
});
