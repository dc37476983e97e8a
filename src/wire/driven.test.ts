import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun } from '../../test/report/fixtures.ts';
import { self } from '../process/identity.ts';
import { isDriven, isUnderWay, runToSee } from './driven.ts';

const gone = { ...self(), startedAt: 'long ago' };
const alive = aRun({ id: 'alive', owner: self() });
const died = aRun({ id: 'died', owner: gone });
const ended = aRun({ id: 'ended', owner: gone, endedAt: 9 });
const held = [
  aRecord('a', undefined, { attempt: { ...anAttempt({ id: 'prepared', slot: 1 }), run: 'died' } }),
];

describe('the run a person wants to see', () => {
  it('is one that goes on, also when a newer one has ended', () => {
    expect(runToSee([ended, died, alive], held)?.id).toBe('alive');
  });

  it('is one that was cut short, where it holds tasks', () => {
    expect(runToSee([ended, died], held)?.id).toBe('died');
    expect(runToSee([ended, died], [])?.id).toBe('ended');
  });

  it('is the newest where all have ended, and none where there is none', () => {
    expect(runToSee([ended, aRun({ id: 'older', endedAt: 3 })], [])?.id).toBe('ended');
    expect(runToSee([], [])).toBeUndefined();
  });
});

describe('a run', () => {
  it('is under way while its process is there; one that has ended needs none', () => {
    expect([alive, died, ended].map(isUnderWay)).toEqual([true, false, false]);
    expect([alive, died, ended].map(isDriven)).toEqual([true, false, true]);
  });
});
