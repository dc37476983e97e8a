import { describe, expect, test } from 'vitest';
import { aRun, endedPhase } from '../../test/report/fixtures.ts';
import { ok } from '../model/failure.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { Store } from '../port/store.ts';
import { here } from '../wire/place.ts';
import { standBy } from './standby.ts';

const machine = (host: string) => ({ pid: 1, startedAt: `1@${host}`, host });

type Snapshots = readonly (readonly LeasedRun[])[];

/** Waits for `id` while its records change; each pause ends with the next list of runs, newest first. */
const waited = (id: string | undefined, ...snapshots: Snapshots) => waitedAs(false, id, snapshots);

async function waitedAs(wasOpen: boolean, id: string | undefined, snapshots: Snapshots) {
  let now = 1_000;
  let at = 0;
  const left = new AbortController();
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
    at += 1;
    if (at >= snapshots.length) left.abort();
  };
  const current = (): readonly LeasedRun[] => snapshots[Math.min(at, snapshots.length - 1)] ?? [];
  const store = {
    runs: async () => ok(current()),
    run: async (name: string) => ok(current().find((run) => run.id === name)),
    close: async () => {},
  };
  const hosts: string[] = [];
  const clock = { ...here.clock, now: () => now, sleep };
  const project = { ...here, clock, openStore: async () => ok(store as unknown as Store) };
  const onWait = ({ owner }: LeasedRun): void => {
    hosts.push(owner.host);
  };
  const result = await standBy(project, id, { left: left.signal, wasOpen, onWait });
  return { result: result.ok ? result.value : result.failure, hosts };
}

describe('a process that stands by', () => {
  const run = (leaseUntil: number, host = 'one') =>
    aRun({ id: 'r1', owner: machine(host), leaseUntil });

  test('waits as long as the lease of another machine is renewed', async () => {
    const same = [run(1_600)];
    const dies = await waited(undefined, same, same, same, same);
    expect(dies).toMatchObject({ result: { id: 'free', run: { id: 'r1' } }, hosts: ['one'] });
    const lives = await waited(undefined, [run(1_600)], [run(9_000)], [run(9_000)]);
    expect(lives).toEqual({ result: { id: 'left', run: 'r1' }, hosts: ['one'] });
  });

  test('names each process that it waits for', async () => {
    const taken = await waited('r1', [run(9_000)], [run(9_000, 'two')], [run(9_000, 'two')]);
    expect(taken).toMatchObject({ result: { id: 'left' }, hosts: ['one', 'two'] });
  });

  test('ends with the run', async () => {
    const ended = aRun({ id: 'r1', owner: machine('one'), phase: endedPhase(9) });
    const result = await waited(undefined, [run(9_000)], [ended]);
    expect(result).toMatchObject({ result: { id: 'ended', run: { id: 'r1' } }, hosts: ['one'] });
  });

  test('ends with a run that it saw before its end, also in an earlier wait or without a process', async () => {
    const ended = aRun({ id: 'r1', owner: machine('one'), phase: endedPhase(9, 'stop-asked') });
    expect(await waitedAs(true, 'r1', [[ended], []])).toMatchObject({ result: { id: 'ended' } });
    expect(await waited('r1', [ended], [])).toMatchObject({ result: { id: 'free' } });
    const other = aRun({ id: 'r2', owner: machine('two'), leaseUntil: 9_000 });
    const dead = await waited('r1', [other, run(0)], [other, ended], []);
    expect(dead).toMatchObject({ result: { id: 'ended' }, hosts: ['two'] });
  });

  test('resumes nothing if the user leaves while the process dies', async () => {
    const dies = await waited('r1', [run(1_100)]);
    expect(dies).toEqual({ result: { id: 'left' }, hosts: ['one'] });
  });

  test('waits for another run of the project, which keeps the named one from being resumed', async () => {
    const old = aRun({ id: 'r0', owner: machine('one'), phase: endedPhase(9) });
    const both = [run(1_600), old];
    const free = await waited('r0', both, both, both, both);
    expect(free).toMatchObject({ result: { id: 'free', run: { id: 'r0' } }, hosts: ['one'] });
  });

  test('has nothing to wait for without a run under way', async () => {
    expect(await waited(undefined, [])).toEqual({ result: { id: 'free' }, hosts: [] });
  });
});
