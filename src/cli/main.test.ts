import { afterEach, describe, expect, test, vi } from 'vitest';
import { Trouble, trouble } from '../model/trouble.ts';
import { commandNamed } from './commands.ts';
import { main } from './main.ts';

/** Exit status and output of a command that throws this. */
async function ended(error: Error): Promise<{ readonly exit: number; readonly said: string }> {
  const row = commandNamed('runs');
  if (row === undefined) throw new Error('no such command');
  vi.spyOn(row, 'load').mockResolvedValue(() => Promise.reject(error));
  let said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  return { exit: await main(['runs']), said: said.replace(/\s+/g, ' ') };
}

afterEach(() => void vi.restoreAllMocks());

describe('what a command throws', () => {
  test('is told with its sentences and its exit status if it is trouble', async () => {
    const about = {
      whose: 'machine',
      what: 'The disk is on fire.',
      why: 'It is.',
      do: 'Run.',
    } as const;
    const { exit, said } = await ended(trouble('fire', about));
    expect({ exit, said }).toEqual({ exit: 3, said: 'ym: The disk is on fire. It is. Run. ' });
    const wrong = new Trouble({ kind: 'usage', problem: 'No such thing', remedy: 'Name one' });
    expect(await ended(wrong)).toMatchObject({ exit: 2 });
  });

  test('is a bug otherwise', async () => {
    const { exit, said } = await ended(new Error('Unforeseen'));
    expect(exit).toBe(70);
    expect(said).toContain('Internal error: Unforeseen.');
  });
});
