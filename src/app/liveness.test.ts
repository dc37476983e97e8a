import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase } from '../../test/report/fixtures.ts';
import { limits } from '../model/limits.ts';
import { self } from '../process/identity.ts';
import { here } from '../wire/place.ts';
import { driverOf, isUnderWay, runToShow } from './liveness.ts';

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

describe('a run of another machine', () => {
  const owner = { pid: 1, startedAt: '1@another', host: 'another' };
  const there = (leaseUntil: number) => aRun({ owner, leaseUntil });

  it('is under way as long as its lease is renewed, and says when that was', () => {
    const now = Date.now();
    expect([now + 60_000, now - 1].map((until) => isUnderWay(here, there(until)))).toEqual([
      true,
      false,
    ]);
    const heardAt = now;
    const elsewhere = { at: 'elsewhere', host: 'another' };
    expect(driverOf(here, there(now + limits.leaseMs))).toEqual({ ...elsewhere, heardAt });
    expect(driverOf(here, aRun({ owner }))).toEqual(elsewhere);
    expect(driverOf(here, alive)).toEqual({ at: 'here' });
  });
});

describe('a run', () => {
  it('is under way while its process is alive and it has not ended', () => {
    expect([alive, died, ended].map((run) => isUnderWay(here, run))).toEqual([true, false, false]);
  });
});
