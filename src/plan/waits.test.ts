import { describe, expect, it } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import { stateOf } from '../model/task-record.ts';
import { decide } from './decide.ts';

const none: readonly never[] = [];
const checked = (waits: readonly string[], over: readonly string[] = none) =>
  ({ type: 'waits-checked', run: 'r1', waits, over, notes: [] }) as const;
const asked = (story: Story) =>
  decide(story.state, 'r1', story.now).commands.flatMap((command) =>
    command.type === 'check-waits' ? command.waits.map(({ id, wait }) => `${id}: ${wait}`) : [],
  );
const types = (story: Story) =>
  decide(story.state, 'r1', story.now).commands.map(({ type }) => type);

describe('a task that waits for something outside', () => {
  it('is not ready until every wait is over, and each ends once', () => {
    const story = new Story().tasks(task('a', { wait: ['pull 1', 'file x'] })).start();
    expect(stateOf(story.task('a'))).toBe('open');
    expect(asked(story)).toEqual(['a: pull 1', 'a: file x']);
    const over = { type: 'wait-over', id: 'a', wait: 'pull 1' } as const;
    story.tell(over, over, { type: 'wait-over', id: 'a', wait: 'file other' });
    expect(story.task('a')).toMatchObject({ blockers: 1, waitsOver: ['pull 1'] });
    expect(types(story)).not.toContain('claim');
    story.tell({ type: 'wait-over', id: 'a', wait: 'file x' });
    expect(story.task('a').readySince).toBe(story.now);
    expect(types(story)).toEqual(['claim']);
  });

  it('is checked only when its parents are done', () => {
    const story = new Story().tasks(task('p'), task('a', { after: ['p'], wait: ['file x'] }));
    story.start();
    expect(asked(story)).toEqual([]);
    story.decided('p', { kind: 'skip', reason: 'done' });
    expect(asked(story)).toEqual(['a: file x']);
    expect(stateOf(story.task('a'))).toBe('open');
  });

  it('still waits for its parents although its wait is over', () => {
    const story = new Story().tasks(task('p'), task('a', { after: ['p'], wait: ['file x'] }));
    story.start().tell({ type: 'wait-over', id: 'a', wait: 'file x' });
    expect(story.task('a').blockers).toBe(1);
    story.decided('p', { kind: 'skip', reason: 'done' });
    expect(stateOf(story.task('a'))).toBe('ready');
  });

  it('keeps what is over when its text changes, and starts without a wait that was removed', () => {
    const story = new Story().tasks(task('a', { wait: ['file x', 'file y'] })).start();
    story.tell({ type: 'wait-over', id: 'a', wait: 'file x' });
    story.tell({ type: 'task-changed', task: task('a', { wait: ['file x', 'file z'] }) });
    expect(asked(story)).toEqual(['a: file z']);
    story.tell({ type: 'task-changed', task: task('a', { wait: ['file x'] }) });
    expect(stateOf(story.task('a'))).toBe('ready');
  });

  it('is not checked outside of the scope, nor when it is canceled', () => {
    const wait = ['file x'];
    const story = new Story(({ id }) => id !== 'b').tasks(task('a', { wait }), task('b', { wait }));
    expect(asked(story.start())).toEqual(['a: file x']);
    story.decided('a', { kind: 'cancel', reason: 'no' });
    expect(asked(story)).toEqual([]);
  });
});

describe('checks of waits', () => {
  it('come less and less often while nothing changes, up to a bound', () => {
    const story = new Story().tasks(task('a'), task('b', { wait: ['file x'] })).start();
    story.prepared('a').turn('a');
    expect(asked(story)).toHaveLength(1);
    const pauses: number[] = [];
    for (let at = 0; at < 7; at += 1) {
      story.tell(checked(['file x']));
      const { wakeAt = 0 } = decide(story.state, 'r1', story.now);
      pauses.push((wakeAt - story.now) / 1_000);
      expect(asked(story)).toEqual([]);
      story.now = wakeAt;
      expect(asked(story)).toEqual(['b: file x']);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300]);
  });

  it('include a new wait at once, and are frequent again after that and after a wait is over', () => {
    const story = new Story().tasks(task('a', { wait: ['file x'] })).start({ waitForTasksMs: 9e6 });
    story.tell(checked(['file x']), checked(['file x']), checked(['file x']));
    expect(asked(story)).toEqual([]);
    story.tasks(task('b', { wait: ['file x', 'file y'] }));
    expect(asked(story)).toEqual(['a: file x', 'b: file x', 'b: file y']);
    story.tell(checked(['file x', 'file y']));
    expect(story.state.run('r1')?.waitWatch?.quiet).toBe(0);
    story.tell(checked(['file x', 'file y']), checked(['file x', 'file y'], ['file y']));
    expect(story.state.run('r1')?.waitWatch).toMatchObject({ quiet: 0, waits: ['file x'] });
  });

  it('need no other check when a date comes', () => {
    const at = Date.UTC(2026, 11, 1);
    const story = new Story().tasks(task('a', { wait: ['until 2026-12-01', 'file x'] }));
    story.start({ waitForTasksMs: at * 2 }).tell(checked(['file x']));
    expect(decide(story.state, 'r1', story.now).wakeAt).toBe(story.now + limits.waitWatchMs);
    story.now = at - 1;
    story.tell(checked(['file x']));
    expect(asked(story)).toEqual(['a: until 2026-12-01']);
  });

  it('begin again when the run is resumed', () => {
    const story = new Story().tasks(task('a', { wait: ['file x'] })).start();
    story.tell(checked(['file x']), { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    const owner = { pid: 2, startedAt: 'now', host: 'here' };
    story.tell({ type: 'run-resumed', run: 'r1', owner });
    expect(asked(story)).toEqual(['a: file x']);
  });
});

describe('a run in which only such tasks are left', () => {
  it('checks them once and ends', () => {
    const story = new Story().tasks(task('a', { wait: ['file x'] })).start();
    expect(types(story)).toEqual(['check-waits']);
    expect(types(story.tell(checked(['file x'])))).toEqual(['end-run']);
  });

  it.each(['ready', 'only'] as const)(
    'waits as long as it may wait for tasks (scope %s)',
    (kind) => {
      const scope = kind === 'only' ? { kind, ids: ['a'] } : { kind };
      const story = new Story().tasks(task('a', { wait: ['file x'] }));
      story.start({ waitForTasksMs: 60_000, scope } as never).tell(checked(['file x']));
      expect(types(story)).toEqual([]);
      story.now += 60_000;
      story.tell(checked(['file x']));
      expect(types(story)).toEqual(['end-run']);
    },
  );

  it('does not check them while it stops', () => {
    const story = new Story().tasks(task('a', { wait: ['file x'] })).start({ waitForTasksMs: 9e6 });
    story.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'a person' });
    expect(types(story)).toEqual(['end-run']);
  });
});
