// Locks of a store that several machines share: the store renews them by itself, and their leases end by its own clock.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sharedLease } from '../../src/model/lease.ts';
import { limits } from '../../src/model/limits.ts';
import { holderUntil } from '../conformance/store-takeover.ts';
import { need } from '../rig/need.ts';
import { hasPostgres } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { started } from './life.ts';
import { type TestSchema, testSchema } from './postgres-project.ts';

const hour = 3_600_000;

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A lock in Postgres', () => {
  let project: TestSchema;
  beforeEach(async () => {
    project = await testSchema();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await project.end();
  });

  it('has a short lease, whatever it was asked for, which says when it was renewed', async () => {
    const store = await project.open();
    need(await store.append(1, [started('r')]));
    need(await store.lock('run r', holderUntil(1, Date.now() + hour)));
    const { leaseUntil = 0, heardAt = 0 } = need(await store.run('r')) ?? {};
    expect(Math.abs(heardAt - Date.now())).toBeLessThan(5_000);
    expect(leaseUntil - heardAt).toBe(sharedLease.ms);
    need(await store.renew('r', Date.now() + hour));
    expect(need(await store.holder('run r'))?.until).toBeLessThan(Date.now() + hour / 2);
  });

  it('is renewed while its process does something else, until another one has taken it', async () => {
    const store = await project.open({ beatMs: 20 });
    const other = await project.open();
    const heldUntil = async () => need(await other.holder('run r'))?.until ?? 0;
    need(await store.lock('run r', holderUntil(1, 100)));
    await until(async () => (await heldUntil()) > Date.now(), 'the first renewal');
    const first = await heldUntil();
    await until(async () => (await heldUntil()) > first, 'the next renewal');
    const taken = JSON.stringify(holderUntil(2, 100));
    await project.sql(`UPDATE lock SET owner = '${taken}' WHERE name = 'run r'`);
    need(await store.lock('run s', holderUntil(1, 100)));
    await until(async () => {
      return (need(await other.holder('run s'))?.until ?? 0) > Date.now();
    }, 'a renewal of the other lock');
    expect(need(await other.holder('run r'))).toEqual(holderUntil(2, 100));
  });

  it('ends by the clock of the server, not by those of the machines', async () => {
    const ahead = vi.spyOn(Date, 'now');
    const real =
      ahead.getMockImplementation() ?? (() => performance.timeOrigin + performance.now());
    const skewed = (ms: number) => ahead.mockImplementation(() => Math.round(real() + ms));
    const store = await project.open();
    skewed(hour);
    need(await store.lock('run r', holderUntil(1, Date.now() + limits.leaseMs)));
    for (const ms of [hour, 0, -hour]) {
      skewed(ms);
      const left = (need(await store.holder('run r'))?.until ?? 0) - Date.now();
      expect(left).toBeGreaterThan(sharedLease.ms / 2);
      expect(left).toBeLessThan(sharedLease.ms + 2_000);
    }
  });
});
