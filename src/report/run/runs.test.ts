import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase, settings } from '../../../test/report/fixtures.ts';
import { plain } from '../format/style.ts';
import { summaryOf } from '../summary/summary.ts';
import { runRows, runsText } from './runs.ts';

const at = Date.parse('2026-03-01T10:00:00Z');
const failure = { kind: 'usage', problem: 'x', remedy: 'y' } as const;

const only = (...names: readonly string[]) => ({
  ...settings,
  scope: { kind: 'only', tasks: names } as const,
});

const runs = [
  aRun({ id: 'r3', startedAt: at, settings: only('c') }),
  aRun({
    id: 'r2',
    startedAt: at,
    settings: only('d'),
    heardAt: at + 1_000,
    lastEventAt: at + 2_000,
  }),
  aRun({
    id: 'r1',
    startedAt: at,
    phase: endedPhase(at + 90_000),
    settings: only('a', 'b', 'child', 'd'),
    spent: { tokens: 1_200_000, costUsd: 3.4, turns: 3 },
  }),
];

const attempt = anAttempt({ id: 'failed', failure }, { run: 'r1' });

const tasks = [
  aRecord('a', { id: 'failed', failure, run: 'r1' }, { attempt }),
  aRecord('b', { id: 'canceled', failure, at: 1 }, { attempt }),
  aRecord('child', undefined, { after: ['a'], blockers: 1 }),
  aRecord('c', { id: 'landed', commit: 'c', run: 'r3', at }),
  aRecord('d', { id: 'landed', commit: 'd', run: 'r1', at }),
];

const life = {
  isUnderWay: ({ id }: { id: string }) => id === 'r3',
  driverOf: () => ({ at: 'here' }) as const,
};
const rows = runRows(runs, tasks, life, at + 5_000);

describe('the list of runs', () => {
  it('tells state, counts, time and spend of each run, with ISO times', () => {
    expect(rows).toEqual([
      expect.objectContaining({ id: 'r3', state: 'running', ms: 5_000, needYou: 0 }),
      expect.objectContaining({ id: 'r2', state: 'died', ms: 2_000 }),
      expect.objectContaining({
        id: 'r1',
        startedAt: 1_772_359_200_000,
        endedAt: 1_772_359_290_000,
        state: 'ended',
        stop: 'ended: nothing left to start',
        landed: 1,
        needYou: 1,
        ms: 90_000,
        costUsd: 3.4,
      }),
    ]);
  });

  it('has the counts that the summary of the run has', () => {
    for (const [place, run] of runs.entries()) {
      const { landed, needYou } = summaryOf({
        hasDied: false,
        until: at,
        run,
        tasks,
        runs,
        attempts: [],
        history: undefined,
        flakes: [],
        log: '',
      }).result;
      expect(rows[place]).toMatchObject({ landed, needYou });
    }
  });

  it('is one line for each run', () => {
    expect(runsText(rows, plain, 100).join('\n')).toMatchInlineSnapshot(`
      "run  started           landed  need you      time  spent  state
      r3   2026-03-01 10:00       1         -       5 s      -  running
      r2   2026-03-01 10:00       0         -       2 s      -  died; ym resume r2
      r1   2026-03-01 10:00       1         1  1 m 30 s  $3.40  ended: nothing left to start"
    `);
  });

  it('says how to start a run where there is none', () => {
    const elsewhere = { at: 'elsewhere', host: 'build-2', heardAt: at } as const;
    const there = runRows(runs, tasks, { ...life, driverOf: () => elsewhere }, at);
    expect(runsText(there, plain, 120, 0, at + 12_000).join('\n')).toContain(
      'running on host build-2, last heard 12 s ago',
    );
    expect(runsText([], plain, 80)).toEqual(['There is no run yet. Start one: ym run']);
  });
});
