import { describe, expect, test } from 'vitest';
import { jobLimits, type KnownWorker } from '../../model/job.ts';
import { plain } from '../format/style.ts';
import { type ListedWorker, workerLines } from './workers.ts';

const worker = (id: string, more: Partial<KnownWorker> = {}): KnownWorker => ({
  id,
  host: 'build-2',
  slots: 4,
  gates: 1,
  labels: ['gpu', 'arm'],
  version: '1.0.0',
  state: 'joined',
  silentMs: 1_500,
  ...more,
});

const shown = (...workers: readonly ListedWorker[]) => workerLines(workers, '1.0.0', plain, 100);

describe('the list of workers', () => {
  test('has a line for each, with what it offers and when it was last heard of', () => {
    expect(shown(worker('w1'), worker('w2', { labels: [], gates: 0 }))).toEqual([
      'worker  host     state   slots  gates  labels    heard of',
      'w1      build-2  joined      4      1  gpu, arm  1 s ago',
      'w2      build-2  joined      4      0            1 s ago',
    ]);
  });

  test('says which are gone, and why one that is there gets no work', () => {
    const silentMs = jobLimits.lostMs + 1;
    const lines = shown(
      worker('w1', { silentMs }),
      worker('w2', { state: 'ended', silentMs }),
      worker('w3', { state: 'draining' }),
      worker('w4', { version: '0.9.0' }),
      { ...worker('w5'), refusedBy: 'r1' },
    );
    const states = ['lost', 'ended', 'draining', 'has version 0.9.0', 'refused by r1'];
    for (const [at, state] of states.entries()) expect(lines[at + 1]).toContain(`  ${state}  `);
  });

  test('is empty without workers', () => {
    expect(shown()).toEqual([]);
  });
});
