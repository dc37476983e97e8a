import { describe, expect, it } from 'vitest';
import { aRecord, aTask } from '../../test/report/fixtures.ts';
import { need } from '../../test/rig/need.ts';
import { checkedProposal } from './checked-proposal.ts';

const known = [
  { ...aRecord('a'), task: aTask('a', { labels: ['model:small', 'x'], checks: ['true'] }) },
  aRecord('b', undefined, { after: ['a'] }),
  aRecord('done', { id: 'landed', commit: 'c', run: 'r1', at: 1 }),
  { ...aRecord('taken'), coClaimedBy: { run: 'r1', id: 'b', attempt: 1 } },
];
const checked = (revise: boolean, ...tasks: readonly object[]) =>
  checkedProposal(`\`\`\`tasks\n${JSON.stringify(tasks)}\n\`\`\``, { agent: 'p', known, revise });
const failures = (revise: boolean, ...tasks: readonly object[]) => {
  const found = checked(revise, ...tasks);
  return found.ok ? [] : found.failure;
};

describe('a proposal of an agent', () => {
  it('has new tasks with a model as a label, and their order with the stored ones', () => {
    const found = need(
      checked(
        false,
        { id: 'new', title: 'New', after: ['b', 'done'], model: 'big' },
        { id: 'last', title: 'Last', after: ['new'] },
      ),
    );
    const { effect, work, canceled } = found;
    expect(effect.added).toMatchObject([{ id: 'new', labels: ['model:big'] }, { id: 'last' }]);
    expect(work.plan.criticalPath).toEqual(['a', 'b', 'new', 'last']);
    expect(canceled).toEqual([]);
  });

  it('is refused with ids that exist, cycles and unknown references', () => {
    expect(failures(false, { id: 'a', title: 'A' })).toMatchObject([
      { kind: 'source-invalid', problem: 'there is already a task "a"' },
    ]);
    const cycle = [
      { id: 'x', title: 'X', after: ['y'] },
      { id: 'y', title: 'Y', after: ['x', 'nowhere'] },
    ];
    expect(failures(false, ...cycle).map(({ kind }) => kind)).toEqual([
      'missing-dependency',
      'cycle',
    ]);
    expect(failures(false, { id: 'B', title: 'other case' })).toMatchObject([
      { kind: 'duplicate-task' },
    ]);
  });

  it('may change open tasks in a revision; what it leaves out stays', () => {
    const found = checked(true, { id: 'a', title: 'A2', priority: 0, model: 'big' });
    expect(found).toMatchObject({
      ok: true,
      value: {
        effect: {
          added: [],
          changed: [
            { id: 'a', title: 'A2', priority: 0, checks: ['true'], labels: ['x', 'model:big'] },
          ],
        },
      },
    });
  });

  it('never touches tasks that an agent works on or that are finished', () => {
    const tasks = [
      { id: 'taken', title: 'T' },
      { id: 'done', cancel: true, reason: 'old' },
      { id: 'nowhere', cancel: true, reason: 'old' },
    ];
    expect(failures(true, ...tasks)).toMatchObject([
      { kind: 'task-busy', task: 'taken', wanted: 'change it' },
      { kind: 'task-busy', task: 'done', wanted: 'cancel' },
      { kind: 'unknown-task', task: 'nowhere' },
    ]);
  });

  it('cancels a task only if nothing waits for it afterwards', () => {
    const cancel = { id: 'a', cancel: true, reason: 'not needed' };
    expect(failures(true, cancel)).toMatchObject([
      { problem: 'b waits for a, which would be canceled' },
    ]);
    const found = need(checked(true, cancel, { id: 'b', title: 'B', after: [] }));
    expect(found.canceled).toEqual([{ id: 'a', reason: 'not needed' }]);
    expect(found.work.plan.tasks.map(({ id }) => id)).not.toContain('a');
  });
});
