import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewOf } from '../report/view/view.ts';
import type { EventLine, ViewAnswer, ViewChange } from '../web/contract.ts';
import { afterMessage, type Live, nothingYet } from './stream.ts';

const empty = viewOf(
  {
    tasks: { id: 'all', records: [] },
    underWay: [],
    quarantinedChecks: [],
    lastActions: new Map(),
  },
  0,
);
const aView = (seq: number, ...ids: readonly string[]): ViewAnswer =>
  ({ ...empty, seq, last: { seq }, tasks: ids.map(aTask) }) as unknown as ViewAnswer;
const aTask = (id: string) => ({ id, state: 'ready' }) as ViewAnswer['tasks'][number];
const aChange = (seq: number, more: Partial<ViewChange> = {}): ViewChange => ({
  seq,
  last: { seq },
  set: {},
  tasks: [],
  gone: [],
  graph: false,
  ...more,
});
const anEvent = (seq: number): EventLine => ({ seq, at: '', type: 'x', tasks: [], text: '' });
const live = afterMessage(nothingYet, 'view', aView(5, 'a', 'b', 'c'));
const idsOf = ({ view }: Live) => view?.tasks.map(({ id }) => id);

describe('the stream of a project', () => {
  it('changes fields and tasks of the view', () => {
    const working = { ...aTask('b'), state: 'working' } as ViewAnswer['tasks'][number];
    const next = afterMessage(
      live,
      'change',
      aChange(6, { set: { outside: 3 }, tasks: [working, aTask('d')], gone: ['a'] }),
    );
    expect(next.view).toMatchObject({ seq: 6, outside: 3, last: { seq: 6 } });
    expect(idsOf(next)).toEqual(['b', 'c', 'd']);
    expect(next.view?.tasks[0]?.state).toBe('working');
  });

  it('keeps the list of tasks as it is if no task changed, so that nothing is drawn again', () => {
    const next = afterMessage(live, 'change', aChange(6));
    expect(next.view?.tasks).toBe(live.view?.tasks);
    expect(next.graph).toBe(live.graph);
    expect(afterMessage(live, 'change', aChange(6, { graph: true })).graph).toBe(live.graph + 1);
  });

  it('ignores changes before the first view and those that are older than the view', () => {
    expect(afterMessage(nothingYet, 'change', aChange(6))).toBe(nothingYet);
    expect(afterMessage(live, 'change', aChange(4))).toBe(live);
  });

  it('shows each event once, newest first, also if they come again after a reconnect', () => {
    const once = afterMessage(live, 'events', { events: [anEvent(1), anEvent(2)], skipped: 0 });
    const again = afterMessage(once, 'events', { events: [anEvent(2), anEvent(3)], skipped: 0 });
    expect(again.events.map(({ seq }) => seq)).toEqual([3, 2, 1]);
    expect(afterMessage(again, 'bye', { why: '' })).toBe(again);
  });

  it('ends with the view of the server, whatever order tasks change in', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.record({ tasks: fc.uniqueArray(id), gone: fc.uniqueArray(id) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const known = new Set(['a', 'b', 'c']);
        let state = live;
        steps.forEach(({ tasks, gone }, at) => {
          const left = tasks.filter((one) => !gone.includes(one));
          for (const one of gone) known.delete(one);
          for (const one of left) known.add(one);
          const change = aChange(6 + at, { tasks: left.map(aTask), gone });
          state = afterMessage(state, 'change', change);
        });
        expect(new Set(idsOf(state))).toEqual(known);
      }),
    );
  });
});
