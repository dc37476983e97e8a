import { describe, expect, it } from 'vitest';
import { isLeased, isOnSameMachine, lifeOf, mayTake } from './lease.ts';
import { limits } from './limits.ts';

const owner = { pid: 7, startedAt: '100@here/boot', host: 'here' };
const self = { pid: 1, startedAt: '5@here/boot', host: 'renamed' };
const elsewhere = { ...owner, startedAt: '100@there/boot', host: 'there' };
const now = 1_000_000;
const at = (isRunning: boolean, when = now) => ({ self, now: when, isRunning });

describe('An owner on this machine', () => {
  it('is alive while its process runs', () => {
    expect(lifeOf(owner, now + 1, at(true))).toBe('alive');
    expect(lifeOf(owner, undefined, at(true))).toBe('alive');
  });

  it('is dead as soon as its process is gone, although its lease has not ended', () => {
    expect(lifeOf(owner, now + limits.leaseMs, at(false))).toBe('dead');
  });

  it('is dead if another process has its pid', () => {
    const running = [{ pid: 7, startedAt: '900@here/boot' }];
    const isRunning = running.some((one) => one.pid === 7 && one.startedAt === owner.startedAt);
    expect(lifeOf(owner, now + 1, at(isRunning))).toBe('dead');
  });

  it('is alive after the machine was suspended for longer than its lease', () => {
    expect(lifeOf(owner, now - 3_600_000, at(true))).toBe('alive');
  });
});

describe('An owner on another machine', () => {
  it('is alive until its lease ends, whatever runs here, then dead', () => {
    expect(lifeOf(elsewhere, now + 1, at(false))).toBe('alive');
    expect(lifeOf(elsewhere, now, at(false))).toBe('dead');
    expect(lifeOf(elsewhere, now, at(true))).toBe('dead');
  });

  it('is dead if it has no lease', () => {
    expect(lifeOf(elsewhere, undefined, at(false))).toBe('dead');
  });

  it('is one in another machine or container, and none on a machine that was renamed or restarted', () => {
    const there = ['5@there/boot', '5@boot:4026532281/boot', '5@'];
    const here = ['7@here/boot', '7@here/another-boot'];
    const isHere = (startedAt: string) => isOnSameMachine({ ...owner, startedAt }, self);
    expect([...there, ...here].map(isHere)).toEqual([false, false, false, true, true]);
  });

  it('is alive between two heartbeats although its clock is behind or ahead by half a minute', () => {
    for (const skewMs of [-30_000, 30_000]) {
      const until = now + skewMs + limits.leaseMs;
      expect(lifeOf(elsewhere, until, at(false, now + limits.heartbeatMs - 1))).toBe('alive');
    }
  });

  it('is dead if its machine is suspended beyond the lease, and alive again after its next heartbeat', () => {
    const later = now + 2 * limits.leaseMs;
    expect(lifeOf(elsewhere, now + limits.leaseMs, at(false, later))).toBe('dead');
    expect(lifeOf(elsewhere, later + limits.leaseMs, at(false, later))).toBe('alive');
  });
});

describe('A lease', () => {
  it('ends at its time', () => {
    expect([now + 1, now, now - 1].map((until) => isLeased(until, now))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('A lock', () => {
  it('is taken if it is free, or held by the same owner or by the one that was found dead', () => {
    const held = { ...owner, until: now };
    const dead = { ...held, pid: 8 };
    expect(mayTake(undefined, owner, undefined)).toBe(true);
    expect(mayTake(held, owner, undefined)).toBe(true);
    expect(mayTake(dead, owner, dead)).toBe(true);
    expect(mayTake(dead, owner, undefined)).toBe(false);
    expect(mayTake({ ...dead, startedAt: 'later' }, owner, dead)).toBe(false);
    expect(mayTake({ ...dead, until: now + 1 }, owner, dead)).toBe(false);
    expect(mayTake({ ...held, startedAt: '100@there/boot' }, owner, undefined)).toBe(false);
  });
});
