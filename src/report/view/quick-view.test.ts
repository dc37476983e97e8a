import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import {
  anAttempt,
  aRecord,
  aRun,
  aTask,
  endedPhase,
  settings,
} from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { viewOf } from './view.ts';

const failed = { id: 'failed', failure: failures['agent-exited'], run: 'r1' } as const;

describe('the quick view', () => {
  const driver = { at: 'here' } as const;
  const nothingElse = { underWay: ['r1'], quarantinedChecks: [], lastActions: new Map() };

  it('has the counts of all tasks and the records of few', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 });
    const records = [aRecord('api', undefined, { attempt }), aRecord('ui', failed)];
    const counts = { landed: 9000, working: 1, failed: 1, blocked: 1 };
    const blocked = [['parent-stuck', 1]] as const;
    const tasks = { id: 'some', records, counts, blocked, outside: 4, activeOutside: [] } as const;
    const view = viewOf({ ...nothingElse, tasks, run: { record: aRun(), driver } }, 9000);
    expect(view).toMatchObject({ counts, blocked: { parent: 1 }, outside: 4 });
    expect(view.tasks.map(({ id, state }) => [id, state])).toEqual([
      ['api', 'working'],
      ['ui', 'failed'],
    ]);
    expect(view.slots[0]).toMatchObject({ slot: 1, task: 'api' });
  });

  it('counts with the full view only the tasks in the scope of a run, until it has ended', () => {
    const records = ['a', 'b', 'c'].map((id) => aRecord(id));
    const scoped = {
      settings: { ...settings, scope: { kind: 'only', tasks: ['a', 'b'] } },
    } as const;
    expect(viewed(records, aRun(scoped), 9)).toMatchObject({ counts: { ready: 2 }, outside: 1 });
    const filed = aRecord('f', undefined, { task: aTask('f', { labels: ['follow-up-of:a'] }) });
    const withFiled = viewed([...records, filed], aRun(scoped), 9);
    expect(withFiled).toMatchObject({ counts: { ready: 3 }, outside: 1 });
    const over = aRun({ ...scoped, phase: endedPhase(5) });
    expect(viewed(records, over, 9)).toMatchObject({ counts: { ready: 3 }, outside: 0 });
  });

  it('agrees with the full view where it was given everything', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const full = viewed(records, aRun(), 9000);
        const { counts } = full;
        const tasks = {
          id: 'some',
          records,
          counts,
          blocked: [],
          outside: 0,
          activeOutside: [],
        } as const;
        const quick = viewOf({ ...nothingElse, tasks, run: { record: aRun(), driver } }, 9000);
        // Only with all tasks is it known which ones may start.
        const { readySeen: _seen, ...run } = { readySeen: 0, ...full.run };
        expect(quick).toEqual({ ...full, run, blocked: {} });
      }),
    );
  });
});
