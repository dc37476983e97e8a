// What a daemon costs that has nothing to do.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres, postgres } from '../../rig/postgres.ts';
import { testProject, until } from '../../rig.ts';

/** Clock ticks of /proc per second. */
const TICKS = 100;
const windowMs = 3_000;

/** Processor time of a process and its threads, in milliseconds. It stands still while other programs run. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}

// reason: only Linux tells the processor time of a process in a file, and the server is not installed everywhere.
describe.skipIf(!existsSync('/proc/self/stat') || !hasPostgres)('An idle daemon', () => {
  test('needs under 1 % of a core and sends no statement to Postgres', async () => {
    const server = await postgres();
    const url = await server.database();
    const task = { title: 'Once a year' };
    const y = testProject({
      config: { schedules: { yearly: { cron: '0 0 1 1 *', task } } },
      env: { YARDMASTER_STORE: url },
    });
    onTestFinished(async () => {
      await y.ym('daemon', 'stop', '--now');
    });
    await y.ym('add', 'Later');
    await y.ym('daemon', 'start');
    const { owner, projects } = JSON.parse((await y.ym('daemon', 'status', '--json')).stdout);
    expect(projects).toEqual([y.root]);
    // Asks from another database. Without a connection and without a new one, there is no statement.
    const name = new URL(url).pathname.slice(1);
    const sessions = async (): Promise<{ readonly open: number; readonly ever: number }> => {
      const [row] = await server.sql(
        server.url('postgres'),
        `SELECT sessions::int AS ever, (SELECT count(*)::int FROM pg_stat_activity
           WHERE datname = '${name}' AND backend_type = 'client backend') AS open
         FROM pg_stat_database WHERE datname = '${name}'`,
      );
      return { open: Number(row?.open), ever: Number(row?.ever) };
    };
    await until(async () => (await sessions()).open === 0, 'the end of all connections');
    const before = await sessions();
    expect(before.ever).toBeGreaterThan(0);
    // The first window may still contain the end of the start, and any window the look at the schedules.
    const shares: number[] = [];
    while (shares.length < 2 && !shares.some((share) => share < 0.01)) {
      const [cpu, since] = [cpuMs(owner.pid), performance.now()];
      await delay(windowMs);
      shares.push((cpuMs(owner.pid) - cpu) / (performance.now() - since));
    }
    expect(Math.min(...shares)).toBeLessThan(0.01);
    // It looks at the schedules right after a reload, and answers the next question after that.
    await y.ym('daemon', 'reload');
    await y.ym('daemon', 'status');
    expect(await sessions()).toEqual({ open: 0, ever: before.ever });
  });
});
