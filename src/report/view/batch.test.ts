import { describe, expect, it } from 'vitest';
import { aRecord, aRun } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { batchLimits, noBatches, type TaskBatch } from '../../model/batch.ts';
import { plain } from '../format/style.ts';
import { whyText } from '../task/task.ts';

const of = { number: 3, at: 1_000, after: { id: 'x', attempt: 1, turn: 1 } };
const batch: TaskBatch = { ...of, source: 'agent', ids: ['b', 'gone'] };
const running = (current: TaskBatch) => aRun({ batches: { ...noBatches, current } });
const records = ['a', 'b', 'c'].map((id) => aRecord(id));

describe('the view of a run with a batch', () => {
  it('counts the tasks that may start after scope and batch', () => {
    const { run } = viewed(records, running(batch), 2_000);
    expect(run).toMatchObject({
      readySeen: 1,
      batch: {
        number: 3,
        source: 'agent',
        tasks: ['b', 'gone'],
        at: 1_000,
      },
    });
    const late = viewed(records, running(batch), 1_000 + batchLimits.batchFloorMs).run;
    expect(late).toMatchObject({ readySeen: 3 });
  });

  it('names the reason if no tasks were chosen', () => {
    const skipped = { ...of, source: 'skipped', reason: 'budget_exceeded' } as const;
    const { run } = viewed(records, running(skipped), 2_000);
    expect(run).toMatchObject({
      readySeen: 3,
      batch: { source: 'skipped', tasks: [], reason: 'budget_exceeded' },
    });
    expect(viewed(records, aRun(), 2_000).run).not.toMatchObject({ batch: expect.anything() });
  });

  it('tells in `why` which tasks start first', () => {
    const { tasks } = viewed(records, running(batch), 2_000);
    const why = tasks.map((task) => whyText(task, [], plain, 100).join(' '));
    expect(why[1]).toContain(
      'It is part of batch 3, suggested by an agent, and starts before other tasks.',
    );
    expect(why[0]).toContain('It waits for batch 3, suggested by an agent, for at most 30 s.');
    const [later] = viewed(records, running(batch), 99_000).tasks.map((task) =>
      whyText(task, [], plain, 100).join(' '),
    );
    expect(later).toContain('It starts next.');
  });
});
