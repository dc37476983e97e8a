import { describe, expect, it } from 'vitest';
import { ok } from '../model/failure.ts';
import type { Ports, RunContext } from './context.ts';
import { perform } from './perform.ts';

describe('Checking the person who holds an attempt', () => {
  const by = { pid: 7, startedAt: '1@here/boot', host: 'here' };
  const there = { ...by, startedAt: '1@there/boot', host: 'there' };
  const checked = async (held: typeof by, isRunning: boolean, until?: number) => {
    const processes = { self: () => ({ ...by, pid: 1 }), isAlive: () => isRunning };
    const holder = async () => ok(until === undefined ? undefined : { ...held, until });
    const ports = { processes, clock: { now: () => 5 }, store: { holder } } as unknown as Ports;
    const command = { type: 'check-holder', id: 'a', attempt: 1, by: held } as const;
    return perform(ports, {} as RunContext, command);
  };

  it('releases the attempt once the process on this machine is gone', async () => {
    const released = { type: 'task-decided', id: 'a', decision: { kind: 'release', by } };
    expect(await checked(by, false)).toMatchObject({ ok: true, value: [released] });
    expect(await checked(by, true)).toEqual({ ok: true, value: [] });
  });

  it('releases what a person on another machine holds once its lease has ended', async () => {
    expect(await checked(there, false, 6)).toEqual({ ok: true, value: [] });
    const released = { decision: { kind: 'release', by: there } };
    expect(await checked(there, false, 5)).toMatchObject({ value: [released] });
    expect(await checked(there, false)).toMatchObject({ value: [released] });
  });
});
