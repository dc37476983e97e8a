// Jobs between a run and its workers, through a real database.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAssignments } from '../../src/job/assignments.ts';
import { openDispatch } from '../../src/job/dispatch.ts';
import type { Interruption, Job, JobEnd } from '../../src/model/job.ts';
import type { PostgresAddress } from '../../src/model/store-address.ts';
import type { Assignments, Dispatch, JobHandler } from '../../src/port/workers.ts';
import { postgresAddress } from '../record/postgres-project.ts';
import { need } from '../rig/need.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';

/** Texts that some encoding, or the JSON of the database, would change. */
const oddTexts = ['\u0000', '👩‍🚀 \u{1f9ea}', '\ud800', '\\u0000 "\\', 'a\r\nb\u2028', ''];

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const job = (n: number, by = 'x'): Job => ({
  id: idOf(n),
  run: 'r1',
  command: { type: 'halt', by },
  gates: [],
  refs: [{ ref: 'refs/heads/main', commit: 'c0' }],
});
const end = (log = 'l'): JobEnd => ({
  id: 'done',
  events: [{ type: 'check-flaked', run: 'r1', command: 'x', tree: 't', log }],
  refs: [{ ref: 'refs/heads/yard/r1/a-1', commit: 'c1' }],
});
const announced = (id: string) => ({
  id,
  host: 'h',
  slots: 2,
  gates: 0,
  labels: ['gpu'],
  version: '1',
  state: 'joined' as const,
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('Jobs', () => {
  let server: PostgresServer;
  let address: PostgresAddress;
  let dispatch: Dispatch;
  let open: { close(): Promise<void> }[];
  let drains: AbortController[];
  const forever = new AbortController().signal;

  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());
  beforeEach(async () => {
    address = postgresAddress(await server.database());
    [open, drains] = [[], []];
    dispatch = need(await openDispatch(address));
    open.push(dispatch);
  });
  afterEach(async () => {
    for (const drain of drains) drain.abort();
    for (const one of open) await one.close();
  });

  const assignments = async (): Promise<Assignments> => {
    const opened = need(await openAssignments(address));
    open.push(opened);
    return opened;
  };

  /** Serves the jobs of a worker until the test ends. Returns the jobs as they come. */
  const serve = async (
    worker: string,
    handle: Partial<JobHandler> = {},
  ): Promise<{ readonly jobs: Job[]; readonly side: Assignments; stop(): Promise<void> }> => {
    const side = await assignments();
    const jobs: Job[] = [];
    const drain = new AbortController();
    drains.push(drain);
    need(await side.announce(announced(worker)));
    const perform = handle.perform ?? (async () => end());
    const served = side.serve(
      worker,
      {
        interrupt: async () => {},
        ...handle,
        perform: (given) => {
          jobs.push(given);
          return perform(given);
        },
      },
      drain.signal,
    );
    const stop = async (): Promise<void> => {
      drain.abort();
      need(await served);
      await side.close();
      open = open.filter((one) => one !== side);
    };
    return { jobs, side, stop };
  };

  test('reach their worker and nobody else, and their end comes back', async () => {
    const [w1, w2] = [await serve('w1'), await serve('w2')];
    expect(need(await dispatch.perform('w1', job(1), forever))).toEqual(end());
    expect(w1.jobs).toEqual([job(1)]);
    expect(w2.jobs).toEqual([]);
  });

  test('carry every text as it is, there and back', async () => {
    const w1 = await serve('w1', {
      perform: async ({ command }) => end(command.type === 'halt' ? command.by : ''),
    });
    for (const [at, text] of oddTexts.entries()) {
      expect(need(await dispatch.perform('w1', job(at, text), forever))).toEqual(end(text));
    }
    expect(w1.jobs).toEqual(oddTexts.map((text, at) => job(at, text)));
  });

  test('that a worker cannot read fail there with an error of their own', async () => {
    const w1 = await serve('w1');
    const strange = { ...job(1), refs: 'main' } as unknown as Job;
    const ended = need(await dispatch.perform('w1', strange, forever));
    const message = 'a job that this version does not know';
    expect(ended).toEqual({ id: 'failed', failure: { kind: 'internal', message } });
    expect(w1.jobs).toEqual([]);
  });

  test('that are given before the worker is there wait for it', async () => {
    await (await serve('w1')).stop();
    const ends = Promise.all([1, 2, 3].map((n) => dispatch.perform('w1', job(n), forever)));
    const w1 = await serve('w1');
    expect((await ends).map(need)).toEqual([end(), end(), end()]);
    expect(w1.jobs.map(({ id }) => id).sort()).toEqual([1, 2, 3].map(idOf));
  });

  test('that are given twice are performed once, by whichever run asks', async () => {
    const w1 = await serve('w1');
    const other = need(await openDispatch(address));
    open.push(other);
    const both = [dispatch, other].map((side) => side.perform('w1', job(1), forever));
    expect((await Promise.all(both)).map(need)).toEqual([end(), end()]);
    expect(need(await dispatch.perform('w1', job(1), forever))).toEqual(end());
    expect(w1.jobs).toHaveLength(1);
  });

  test('that are forgotten can be given again', async () => {
    const failure = { kind: 'git-failed', args: ['x'], exit: 1, stderr: 'no' } as const;
    let tries = 0;
    await serve('w1', {
      perform: async () => {
        tries += 1;
        return tries === 1 ? { id: 'failed', failure } : end();
      },
    });
    const failed = { id: 'failed', failure };
    expect(need(await dispatch.perform('w1', job(1), forever))).toEqual(failed);
    expect(need(await dispatch.perform('w1', job(1), forever))).toEqual(failed);
    need(await dispatch.forget('w1', idOf(1)));
    expect(need(await dispatch.perform('w1', job(1), forever))).toEqual(end());
    expect(tries).toBe(2);
  });

  test('that nobody waits for any more are not begun', async () => {
    await (await serve('w1')).stop();
    const lost = new AbortController();
    const given = dispatch.perform('w1', job(1), lost.signal);
    lost.abort();
    expect(need(await given)).toBeUndefined();
    const w1 = await serve('w1');
    expect(need(await dispatch.perform('w1', job(2), forever))).toEqual(end());
    expect(w1.jobs.map(({ id }) => id)).toEqual([idOf(2)]);
  });

  test('that a process left behind come again to the next one with its name', async () => {
    const first = await serve('w1', { perform: () => new Promise(() => {}) });
    const given = dispatch.perform('w1', job(1), forever);
    await until(() => first.jobs.length === 1, 'the job to begin');
    await first.side.close();
    open = open.filter((one) => one !== first.side);
    const second = await serve('w1');
    expect(need(await given)).toEqual(end());
    expect(second.jobs).toEqual([job(1)]);
  });

  test('that run are finished before a worker ends, and others are not begun', async () => {
    let finish: () => void = () => {};
    const w1 = await serve('w1', {
      perform: () =>
        new Promise((resolve) => {
          finish = () => resolve(end());
        }),
    });
    const running = dispatch.perform('w1', job(1), forever);
    await until(() => w1.jobs.length === 1, 'the job to begin');
    const stopped = w1.stop();
    finish();
    await stopped;
    expect(need(await running)).toEqual(end());
    const later = new AbortController();
    const waiting = dispatch.perform('w1', job(2), later.signal);
    later.abort();
    expect(need(await waiting)).toBeUndefined();
    expect(w1.jobs).toHaveLength(1);
  });

  test('are interrupted at once, and only on the worker that is asked', async () => {
    const asked: (readonly [string, Interruption])[] = [];
    for (const name of ['w1', 'w2']) {
      await serve(name, { interrupt: async (one) => void asked.push([name, one]) });
    }
    const command = { type: 'halt', by: '🛑' } as const;
    const interruption: Interruption = { run: 'r1', command, jobs: ['j2'] };
    need(await dispatch.perform('w1', job(1), forever));
    need(await dispatch.perform('w2', job(2), forever));
    need(await dispatch.interrupt('w2', interruption));
    await until(() => asked.length > 0, 'the interruption');
    expect(asked).toEqual([['w2', interruption]]);
  });

  test('are not interrupted by what was asked long before their worker came back', async () => {
    await serve('w1', {});
    const queue = `SELECT retention_seconds AS seconds FROM ${address.schema}_jobs.queue`;
    const [row] = await server.sql(address.url, `${queue} WHERE name = 'interrupt.w1'`);
    expect(row?.seconds).toBe(60);
  });

  test('survive a crash of the database, on both sides', async () => {
    let finish: () => void = () => {};
    const w1 = await serve('w1', {
      perform: ({ id }) =>
        id === idOf(2)
          ? Promise.resolve(end())
          : new Promise((resolve) => {
              finish = () => resolve(end());
            }),
    });
    const given = dispatch.perform('w1', job(1), forever);
    await until(() => w1.jobs.length > 0, 'the job to begin');
    await server.crash();
    const during = dispatch.perform('w1', job(2), forever);
    const told = w1.side.announce(announced('w1'));
    await server.start();
    finish();
    need(await told);
    expect(need(await during)).toEqual(end());
    // The end of the first may have been lost with the connection; then it comes again, and ends again.
    const again = setInterval(() => finish(), 100);
    expect(need(await given)).toEqual(end());
    clearInterval(again);
  });
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A worker on the board', () => {
  let server: PostgresServer;
  let address: PostgresAddress;
  let dispatch: Dispatch;
  let open: { close(): Promise<void> }[];

  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());
  beforeEach(async () => {
    address = postgresAddress(await server.database());
    dispatch = need(await openDispatch(address));
    open = [dispatch];
  });
  afterEach(async () => {
    for (const one of open) await one.close();
  });

  const assignments = async (): Promise<Assignments> => {
    const opened = need(await openAssignments(address));
    open.push(opened);
    return opened;
  };

  test('is known with what it announced last', async () => {
    const side = await assignments();
    expect(need(await dispatch.workers())).toEqual([]);
    need(await side.announce(announced('w1')));
    need(await side.announce({ ...announced('w1'), slots: 3, state: 'draining' }));
    const [known, ...others] = need(await dispatch.workers());
    expect(others).toEqual([]);
    expect(known).toMatchObject({ ...announced('w1'), slots: 3, state: 'draining' });
  });

  test('is silent by the clock of the database, whatever its own clock says', async () => {
    const side = await assignments();
    need(await side.announce(announced('w1')));
    const table = `${address.schema}_jobs.worker`;
    const url = address.url;
    await server.sql(url, `UPDATE ${table} SET seen = seen - interval '90 seconds'`);
    const silence = async (): Promise<number> => need(await dispatch.workers())[0]?.silentMs ?? -1;
    expect(await silence()).toBeGreaterThanOrEqual(90_000);
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
    try {
      need(await side.announce(announced('w1')));
      expect(await silence()).toBeLessThan(60_000);
      expect(await silence()).toBeGreaterThanOrEqual(0);
    } finally {
      Date.now = now;
    }
  });

  test('has its name for itself, until its process has gone', async () => {
    const [first, second] = [await assignments(), await assignments()];
    need(await first.announce(announced('w1')));
    const refused = await second.announce({ ...announced('w1'), host: 'twin', state: 'ended' });
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'usage' } });
    const handler = { perform: async () => end(), interrupt: async () => {} };
    const served = await second.serve('w1', handler, AbortSignal.abort());
    expect(served).toMatchObject({ ok: false, failure: { kind: 'usage' } });
    expect(need(await dispatch.workers())[0]).toMatchObject({ host: 'h', state: 'joined' });
    await first.close();
    open = open.filter((one) => one !== first);
    need(await second.announce({ ...announced('w1'), host: 'twin' }));
    expect(need(await dispatch.workers())[0]).toMatchObject({ host: 'twin' });
  });

  test('keeps its name when the database restarts', async () => {
    const [first, second] = [await assignments(), await assignments()];
    need(await first.announce(announced('w1')));
    await server.crash();
    await server.start();
    need(await first.announce(announced('w1')));
    const refused = await second.announce(announced('w1'));
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'usage' } });
  });

  test('learns where commits are from the newest run that told', async () => {
    const side = await assignments();
    expect(need(await side.project())).toBeUndefined();
    const one = { remote: 'git://one', identity: 'A <a@b>', version: '1' };
    const two = { remote: 'git://two', identity: 'Ä "x" <a@b>', version: '2' };
    need(await dispatch.publish(one));
    need(await dispatch.publish(two));
    expect(need(await side.project())).toEqual(two);
    expect(need(await side.announce(announced('w1')))).toEqual(two);
  });

  test('of which nothing can be read is left out', async () => {
    const side = await assignments();
    need(await side.announce(announced('w1')));
    const table = `${address.schema}_jobs.worker`;
    await server.sql(address.url, `INSERT INTO ${table} VALUES ('w0', '{"newer": true}', now())`);
    expect(need(await dispatch.workers()).map(({ id }) => id)).toEqual(['w1']);
  });

  test('cannot be reached if there is no such database, which is said at once', async () => {
    const gone = postgresAddress(server.url('nowhere'));
    for (const opened of [await openDispatch(gone), await openAssignments(gone)]) {
      const failure = { kind: 'store-unavailable', problem: 'no-database' };
      expect(opened).toMatchObject({ ok: false, failure });
    }
  });
});
