// A run on several hosts of a small network, while links are cut, processes are killed, and the database crashes.
import { describe, expect, test } from 'vitest';
import { takeoversOf, violationsOf } from '../../rig/history.ts';
import { lackOfHosts } from '../../rig/hosts.ts';
import { network } from '../../rig/network.ts';
import { hasPostgres } from '../../rig/postgres.ts';
import { touch, until, write } from '../../rig.ts';

const lack = hasPostgres ? lackOfHosts() : 'Postgres is not installed';
if (lack !== undefined) console.warn(`Tests with several hosts are skipped: ${lack}`);

const takeoverMs = 15_000;
const wait = { waitFor: { file: 'go', ms: 120_000 } };

// reason: namespaces need root, and the server is not installed everywhere.
describe.skipIf(lack !== undefined)('A run on several hosts', () => {
  test('lands each task once, although links, workers, the database and its own process fail', async () => {
    const tasks = Array.from({ length: 10 }, (_, at) => `t${at}`);
    const script = tasks.map((id) => [id, [[touch(id), wait, write(`${id}.txt`, `${id}\n`)]]]);
    const net = await network({
      tasks,
      script: Object.fromEntries(script),
      hosts: ['lead', 'other', 'cut', 'killed', 'paused', 'steady'],
    });
    const { y, hosts } = net;
    // It never hears from the lead directly, only through the shared repository.
    const other = net.clone('other');
    const small = ['cut', 'killed', 'paused'] as const;
    const [cut, killed, paused] = small.map((name) => net.worker(name, 1));
    const steady = net.worker('steady', 10);
    const all = [cut, killed, paused, steady].flatMap((child) => child ?? []);
    for (const child of all) await child.until('worker ');
    const run = net.ym('lead', y.root, 'run', y.plan);
    for (const id of tasks) await y.seen(id);

    const faultAt = Date.now();
    hosts.cut('cut');
    killed?.signal('SIGKILL');
    paused?.signal('SIGSTOP');
    for (const name of small) await run.until(`${name} is lost`);
    await until(async () => (await net.started()) === tasks.length + 3, 'the tasks to start again');
    y.signal('go');
    await run.until('landed');
    run.signal('SIGKILL');
    await run.end();
    const killedAt = Date.now();

    hosts.restore('cut');
    paused?.signal('SIGCONT');
    const again = net.worker('killed', 1);
    const resumed = net.ym('other', other, 'resume');
    await resumed.until('joined');
    expect(Date.now() - killedAt).toBeLessThan(takeoverMs);
    await net.server.crash();
    await net.server.start();
    const { code, stderr } = await resumed.end();
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^ym: main in this clone was behind the run\. Moved it from \w{7} to \w{7}, which contains what landed on another machine\.\n$/,
    );

    const history = await net.history(other);
    expect(violationsOf(history)).toEqual([]);
    const faults = small.map((worker) => ({ worker, at: faultAt }));
    const takeovers = takeoversOf(history, faults);
    expect(takeovers.length).toBeGreaterThanOrEqual(3);
    expect(takeovers.filter(({ ms }) => ms === undefined || ms > takeoverMs)).toEqual([]);
    for (const child of [...all, again]) child.signal('SIGTERM');
    for (const child of [...all, again]) await child.end();
  });

  test('goes on elsewhere while its process is stopped, which changes nothing when it continues', async () => {
    const tasks = ['a', 'b', 'c'];
    const script = tasks.map((id) => [id, [[touch(id), wait, write(`${id}.txt`, `${id}\n`)]]]);
    const net = await network({
      tasks,
      script: Object.fromEntries(script),
      hosts: ['lead', 'other', 'steady'],
    });
    const { y } = net;
    const other = net.clone('other');
    const worker = net.worker('steady', 3);
    await worker.until('worker ');
    const stale = net.ym('lead', y.root, 'run', y.plan);
    for (const id of tasks) await y.seen(id);
    stale.signal('SIGSTOP');
    const stoppedAt = Date.now();
    const run = net.ym('other', other, 'resume');
    await run.until('resumed');
    expect(Date.now() - stoppedAt).toBeLessThan(takeoverMs);
    stale.signal('SIGCONT');
    expect(await stale.end()).toMatchObject({ code: 3 });
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect(violationsOf(await net.history(other))).toEqual([]);
    worker.signal('SIGTERM');
    await worker.end();
  });
});
