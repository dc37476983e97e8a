// Many tasks and many faults on several hosts; `scripts/hosts-soak.mjs` starts it. With `alone`, each fault is over before the
// next one, and agents take so long that many are at work whenever one happens; otherwise faults meet.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { resumptionsOf, takeoversOf, violationsOf } from '../../rig/history.ts';
import { network } from '../../rig/network.ts';
import { seed } from '../../rig/seed.ts';
import { type Child, until, write } from '../../rig.ts';

const { HOSTS_SOAK, SOAK_TASKS = '200', SOAK_FAULTS = '50', SOAK_HOW = 'storm' } = process.env;
const isAlone = SOAK_HOW === 'alone';
const takeoverMs = 15_000;
const workers = ['w1', 'w2', 'w3'] as const;

// reason: it takes many minutes.
test.skipIf(HOSTS_SOAK === undefined)(
  'Every task lands once in a storm of faults',
  async () => {
    const { value, random } = seed();
    const between = (low: number, high: number): number => low + random(high - low);
    const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
    const tasks = Array.from({ length: Number(SOAK_TASKS) }, (_, at) => `t${at}`);
    const script = tasks.map((id) => {
      const ms = isAlone ? between(30_000, 70_000) : between(200, 1_000);
      const pause = { run: { shell: `sleep ${ms / 1_000}` } };
      return [id, [[pause, write(`${id}.txt`, `${id}\n`)]]];
    });
    const net = await network({
      tasks,
      script: Object.fromEntries(script),
      hosts: ['lead', 'other', ...workers],
    });
    const { y, hosts, server } = net;
    const roots = { lead: y.root, other: net.clone('other') };
    const children = new Map<string, Child>();
    const startWorker = (name: string): void => void children.set(name, net.worker(name, 4));
    for (const name of workers) startWorker(name);
    let host: keyof typeof roots = 'lead';
    let run = net.ym('lead', y.root, 'run', y.plan);
    await until(() => run.stdout().includes('joined'), 'the run to start');
    const faults: { readonly worker: string; readonly at: number }[] = [];
    const kills: number[] = [];
    const counts: Record<string, number> = {};
    /** Faults of all kinds with the time at which they began, to explain slow takeovers. */
    const begun: { readonly kind: string; readonly at: number }[] = [];
    const refusals: string[] = [];
    const busy = new Set<string>();

    /** Each fault names what it uses, so that two do not meet at one worker. */
    const kinds: Readonly<Record<string, () => Promise<void>>> = {
      'cut the link of a worker': () =>
        withWorker(async (name) => {
          hosts.cut(name);
          await sleep(between(500, 16_000));
          hosts.restore(name);
        }),
      'kill a worker': () =>
        withWorker(async (name) => {
          children.get(name)?.signal('SIGKILL');
          await children.get(name)?.end();
          await sleep(between(0, 14_000));
          startWorker(name);
        }),
      'stop a worker for a while': () =>
        withWorker(async (name) => {
          children.get(name)?.signal('SIGSTOP');
          await sleep(between(500, 14_000));
          children.get(name)?.signal('SIGCONT');
        }),
      'cut the link of the run': () =>
        using('run', async () => {
          const at = host;
          hosts.cut(at);
          await sleep(between(500, 6_000));
          hosts.restore(at);
        }),
      'kill the run, and resume it elsewhere': () =>
        using('run', async () => {
          if (!run.isOver()) kills.push(Date.now());
          run.signal('SIGKILL');
          await run.end();
          host = host === 'lead' ? 'other' : 'lead';
          run = net.ym(host, roots[host], 'resume');
          await until(() => run.isOver() || run.stdout() !== '', 'the run to go on');
        }),
      'stop the run beyond its lease, and resume it elsewhere': () =>
        using('run', async () => {
          const [stale, at] = [run, Date.now()];
          stale.signal('SIGSTOP');
          const elsewhere = host === 'lead' ? 'other' : 'lead';
          const next = net.ym(elsewhere, roots[elsewhere], 'resume');
          await until(() => next.isOver() || next.stdout().includes('resumed'), 'the run to go on');
          stale.signal('SIGCONT');
          if (next.isOver()) {
            // Nobody took over, so the stopped process still drives the run.
            refusals.push((await next.end()).stderr);
            return;
          }
          kills.push(at);
          await stale.end();
          [host, run] = [elsewhere, next];
        }),
      'crash the database': () =>
        using('database', async () => {
          await server.crash();
          await sleep(between(0, 3_000));
          await server.start();
        }),
    };
    async function using(name: string, work: () => Promise<void>): Promise<void> {
      if (busy.has(name)) return;
      busy.add(name);
      await work();
      busy.delete(name);
    }
    function withWorker(work: (name: string) => Promise<void>): Promise<void> {
      const name = one(workers);
      return using(name, () => {
        faults.push({ worker: name, at: Date.now() });
        return work(name);
      });
    }

    const underway: Promise<void>[] = [];
    let done = 0;
    /** Resumes a run that could not go on, as a supervisor would; true once it has ended. */
    const hasEnded = async (): Promise<boolean> => {
      if (!run.isOver() || busy.has('run')) return false;
      const { code, stdout, stderr } = await run.end();
      if (code === 0 || stderr.includes('There is no run to resume')) return true;
      refusals.push((stderr.trim() || stdout).slice(-1_500));
      console.log(refusals.at(-1));
      run = net.ym(host, roots[host], 'resume');
      return false;
    };
    while (done < Number(SOAK_FAULTS) && !(await hasEnded())) {
      const kind = one(Object.keys(kinds));
      const before = busy.size;
      const fault = kinds[kind]?.() ?? Promise.resolve();
      if (busy.size > before) {
        done += 1;
        counts[kind] = (counts[kind] ?? 0) + 1;
        begun.push({ kind, at: Date.now() });
        underway.push(fault);
      }
      if (isAlone) await fault;
      await sleep(between(1_000, 5_000));
    }
    await Promise.all(underway);
    await until(
      () => hasEnded(),
      () => `the run to end\n${run.stdout()}`,
      900_000,
    );
    for (const child of children.values()) child.signal('SIGTERM');
    for (const child of children.values()) await child.end();
    const history = await net.history(roots[host]);
    const times = takeoversOf(history, faults).flatMap(({ ms }) => ms ?? []);
    const sorted = times.sort((a, b) => a - b);
    const figures = {
      seed: value,
      tasks: tasks.length,
      events: history.events.length,
      attempts: history.events.filter(({ type }) => type === 'attempt-started').length,
      faults: counts,
      takeovers: sorted.length,
      medianMs: sorted[Math.floor(sorted.length / 2)],
      longestMs: sorted.at(-1),
      resumptions: resumptionsOf(history, kills),
      // All slots may be busy when a task is free again.
      slow: takeoversOf(history, faults)
        .filter(({ freeMs }) => freeMs > takeoverMs)
        .map((one) => ({ ...one, before: begun.filter(({ at }) => at <= one.at).slice(-3) })),
      longestFreeMs: Math.max(0, ...takeoversOf(history, faults).map(({ freeMs }) => freeMs)),
      load: loadavg(),
      refusals,
    };
    console.log(JSON.stringify(figures, undefined, 2));
    expect(violationsOf(history)).toEqual([]);
    const resumed = figures.resumptions.map((ms) => ms ?? Number.POSITIVE_INFINITY);
    if (isAlone) expect(resumed.filter((ms) => ms > takeoverMs)).toEqual([]);
    if (isAlone) expect(figures.slow).toEqual([]);
  },
  3_600_000,
);
