import { describe, expect, it } from 'vitest';
import type { Ports, RunContext } from './context.ts';
import { perform } from './perform.ts';

describe('Checking the person who holds an attempt', () => {
  const by = { pid: 7, startedAt: '1@boot', host: 'here' };
  const checked = async (holder: typeof by, isRunning: boolean) => {
    const processes = { self: () => ({ ...by, pid: 1 }), isAlive: () => isRunning };
    const ports = { processes, clock: { now: () => 5 } } as unknown as Ports;
    const command = { type: 'check-holder', id: 'a', attempt: 1, by: holder } as const;
    return perform(ports, {} as RunContext, command);
  };

  it('releases the attempt once the process on this machine is gone', async () => {
    const released = { type: 'task-decided', id: 'a', decision: { kind: 'release', by } };
    expect(await checked(by, false)).toMatchObject({ ok: true, value: [released] });
    expect(await checked(by, true)).toEqual({ ok: true, value: [] });
  });

  it('does not release what a person on another machine holds', async () => {
    expect(await checked({ ...by, host: 'there' }, false)).toEqual({ ok: true, value: [] });
  });
});
