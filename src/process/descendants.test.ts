import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { descendants, groupMembers, tagOf, tagValue, tagVariable } from './descendants.ts';
import { isAlive, isRunning, self, signalGroup, signalProcess, startOf } from './identity.ts';

describe('the tag of a child', () => {
  it('is the same for ever, and its own for each folder and name', () => {
    expect(tagOf('/a', 'b')).toBe(tagOf('/a', 'b'));
    expect(new Set([tagOf('/a', 'b'), tagOf('/a', 'c'), tagOf('/ab', '')]).size).toBe(3);
  });

  it('is added to the one of an outer child', () => {
    expect(tagValue('inner', undefined)).toBe('inner');
    expect(tagValue('inner', 'outer')).toBe('outer/inner');
  });
});

describe('a running process', () => {
  async function sleeping(
    tag: string,
    test: (pid: number, startedAt: string) => void | Promise<void>,
  ): Promise<void> {
    const child = spawn('sleep', ['60'], {
      stdio: 'ignore',
      detached: true,
      env: { PATH: process.env.PATH ?? '', [tagVariable]: tag },
    });
    await once(child, 'spawn');
    const { pid = 0 } = child;
    try {
      await test(pid, startOf(pid) ?? 'gone');
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  }
  /** Nobody's pid; started before everything else of this boot. */
  const nobody = { pid: 4_194_304, startedAt: self().startedAt.replace(/^\d+/, '0') };

  it('is found by its tag, wherever in the value it stands', async () => {
    await sleeping('outer/mine/inner', (pid) => {
      for (const tag of ['outer', 'mine', 'inner']) {
        expect(descendants(tag, nobody).ours.map((found) => found.pid)).toEqual([pid]);
      }
      expect(descendants('min', nobody).ours).toEqual([]);
    });
  });

  it('is not found by a record of another boot', async () => {
    await sleeping('mine-too', () => {
      expect(descendants('mine-too', { ...nobody, startedAt: '0@another' }).ours).toEqual([]);
    });
  });

  it('is found as a member of its group, also by ps', async () => {
    await sleeping('x', (pid, startedAt) => {
      expect(descendants('other', { pid, startedAt }).ours).toEqual([{ pid, startedAt }]);
      expect(groupMembers({ pid, startedAt }).map((found) => found.pid)).toEqual([pid]);
    });
  });

  it('is not in the group of a former owner of its pid', async () => {
    await sleeping('x', (pid) => {
      expect(descendants('other', { pid, startedAt: nobody.startedAt }).ours).toEqual([]);
    });
  });

  it('gets a signal only under its own start time', async () => {
    await sleeping('x', (pid, startedAt) => {
      const wrong = { pid, startedAt: nobody.startedAt };
      expect(signalProcess(wrong, 'SIGKILL')).toBe(false);
      expect(signalGroup(wrong, 'SIGKILL')).toBe(false);
      expect(isRunning({ pid, startedAt })).toBe(true);
      expect(signalGroup({ pid, startedAt }, 'SIGCONT')).toBe(true);
    });
  });

  it('is no more once it has ended, even before its parent took note', async () => {
    const child = spawn('true', { stdio: 'ignore' });
    const { pid = 0 } = child;
    const startedAt = startOf(pid);
    await once(child, 'exit');
    expect(startOf(pid)).toBeUndefined();
    expect(startedAt === undefined || !isRunning({ pid, startedAt })).toBe(true);
  });

  it('is alive as an owner only on its own machine', () => {
    expect(isAlive(self())).toBe(true);
    expect(isAlive({ ...self(), host: 'renamed' })).toBe(true);
    expect(isAlive({ ...self(), startedAt: '1@elsewhere' })).toBe(false);
    expect(startOf(0)).toBeUndefined();
    expect(startOf(-1)).toBeUndefined();
  });
});
