import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase } from '../../test/report/fixtures.ts';
import { ok } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import { limits } from '../model/limits.ts';
import { self } from '../process/identity.ts';
import { here } from '../wire/place.ts';
import { abandonment, driverOf, isUnderWay, runsNow, runToShow, settledRuns } from './liveness.ts';

const gone = { ...self(), startedAt: 'long ago' };
const alive = aRun({ id: 'alive', owner: self() });
const died = aRun({ id: 'died', owner: gone });
const ended = aRun({ id: 'ended', owner: gone, phase: endedPhase(9) });
const held = [
  aRecord('a', undefined, { attempt: { ...anAttempt({ id: 'prepared', slot: 1 }), run: 'died' } }),
];

describe('the run a person wants to see', () => {
  it('is one that is alive, even if a newer one has ended', () => {
    expect(runToShow(here, [ended, died, alive], held)?.id).toBe('alive');
  });

  it('is one that was cut short, where it holds tasks', () => {
    expect(runToShow(here, [ended, died], held)?.id).toBe('died');
    expect(runToShow(here, [ended, died], [])?.id).toBe('ended');
  });

  it('is the newest where all have ended, and none where there is none', () => {
    expect(runToShow(here, [ended, aRun({ id: 'older', phase: endedPhase(3) })], [])?.id).toBe(
      'ended',
    );
    expect(runToShow(here, [], [])).toBeUndefined();
  });
});

it('a run whose process stored its end and exited while the runs were read has not died', async () => {
  const answers = [[died], [{ ...died, phase: endedPhase(9) }]];
  const store = { runs: async () => ok(answers.shift() ?? []) };
  const runs = await runsNow({ ...here, store });
  expect(runs.ok && runs.value.map(({ phase }) => phase.id)).toEqual(['ended']);
  const dead = { runs: async () => ok([died]) };
  expect(await runsNow({ ...here, store: dead })).toEqual(ok([died]));
});

describe('a run of another machine', () => {
  const owner = { pid: 1, startedAt: '1@another', host: 'another' };
  const there = (leaseUntil: number, heardAt = 0) => aRun({ owner, leaseUntil, heardAt });

  it('is under way as long as its lease is renewed, and says when that was', () => {
    const now = Date.now();
    expect([now + 60_000, now - 1].map((until) => isUnderWay(here, there(until)))).toEqual([
      true,
      false,
    ]);
    const elsewhere = { at: 'elsewhere', host: 'another' };
    expect(driverOf(here, there(now + 9, now))).toEqual({ ...elsewhere, heardAt: now });
    expect(driverOf(here, aRun({ owner }))).toEqual(elsewhere);
    expect(driverOf(here, alive)).toEqual({ at: 'here' });
  });
});

describe('a run that a worker may leave', () => {
  const owner = { pid: 1, startedAt: '1@another', host: 'another' };
  const until = (leaseUntil: number) => aRun({ owner, leaseUntil });

  it('has had no process for as long as a worker may be silent', () => {
    let now = 1_000;
    const isLeft = abandonment({ ...here, clock: { ...here.clock, now: () => now } });
    const leftIn = (ms: number, lease: number) => {
      now += ms;
      return isLeft(until(lease));
    };
    expect([leftIn(0, 2_000), leftIn(1_000, 2_000)]).toEqual([false, false]);
    expect([leftIn(jobLimits.lostMs, 2_000), leftIn(1, 2_000)]).toEqual([false, true]);
    // Another process has resumed it, and died as well.
    expect([leftIn(0, now + 1_000), leftIn(1_000, now + 1_000)]).toEqual([false, false]);
    expect(leftIn(jobLimits.lostMs + 1, 0)).toBe(true);
  });
});

describe('a run of another machine that may be dead', () => {
  const owner = { pid: 1, startedAt: '1@another', host: 'another' };
  /** Leases as they are read one after the other, while a clock goes on. */
  const settled = async (...leases: number[]) => {
    let now = 1_000;
    const sleep = async (ms: number) => {
      now += ms;
    };
    const clock = { ...here.clock, now: () => now, sleep };
    let reads = 0;
    const runs = async () => {
      const leaseUntil = leases[Math.min(reads, leases.length - 1)];
      reads += 1;
      return ok([aRun({ owner, leaseUntil })]);
    };
    const found = await settledRuns({ ...here, clock }, { runs });
    const isAlive = found.ok && found.value.some((run) => isUnderWay({ ...here, clock }, run));
    return { isAlive, waited: now - 1_000 };
  };

  it('is waited for until its lease has ended', async () => {
    expect(await settled(9_000)).toEqual({ isAlive: false, waited: 8_000 });
  });

  it('is waited for until it has renewed its lease', async () => {
    expect(await settled(9_000, 9_000, 11_000)).toEqual({
      isAlive: true,
      waited: 2 * limits.refreshMs,
    });
  });

  it('is not waited for if its lease has ended, or lasts for long', async () => {
    expect(await settled(900)).toEqual({ isAlive: false, waited: 0 });
    expect(await settled(50_000)).toEqual({ isAlive: true, waited: 0 });
  });
});

describe('a run', () => {
  it('is under way while its process is alive and it has not ended', () => {
    expect([alive, died, ended].map((run) => isUnderWay(here, run))).toEqual([true, false, false]);
  });
});
