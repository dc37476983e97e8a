import fc from 'fast-check';
import { expect, it } from 'vitest';
import { task } from '../../test/story.ts';
import { newTaskRecord } from '../model/task-record.ts';
import { type View, viewOf } from '../report/view/view.ts';
import { ViewText } from './view-text.ts';

interface Change {
  readonly set: Record<string, unknown>;
  readonly tasks: readonly { readonly id: string }[];
  readonly gone: readonly string[];
}

/** Applies a change as a page does. */
function changed(view: Record<string, unknown>, change: Change): Record<string, unknown> {
  const tasks = new Map((view.tasks as Change['tasks']).map((one) => [one.id, one]));
  for (const one of change.tasks) tasks.set(one.id, one);
  for (const id of change.gone) tasks.delete(id);
  const all = { ...view, ...change.set, tasks: [...tasks.values()] };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

const parsed = (members: string): never => JSON.parse(`{${members}}`) as never;

function viewWith(priorities: readonly number[], outside: number): View {
  const records = priorities.map((priority, at) =>
    newTaskRecord({
      task: task(`t${at}`, { priority: (priority % 5) as 0 }),
      order: at,
      blockers: 0,
    }),
  );
  const known = { underWay: [], quarantinedChecks: [], lastActions: new Map() };
  return { ...viewOf({ ...known, tasks: { id: 'all', records } }, 5), outside };
}

it('sends changes that add up to the whole view', () => {
  const views = fc.array(fc.tuple(fc.array(fc.nat(9), { maxLength: 6 }), fc.nat(2)), {
    minLength: 2,
    maxLength: 8,
  });
  fc.assert(
    fc.property(views, ([first, ...later]) => {
      const text = new ViewText();
      text.update(viewWith(...(first ?? [[], 0])));
      let page: Record<string, unknown> = parsed(text.whole());
      for (const next of later) {
        const change = text.update(viewWith(...next));
        if (change !== undefined) page = changed(page, parsed(change));
        expect(page).toEqual(parsed(text.whole()));
      }
    }),
  );
});

it('sends nothing if nothing changed, and only the tasks that did', () => {
  const text = new ViewText();
  text.update(viewWith([1, 2], 0));
  expect(text.update(viewWith([1, 2], 0))).toBeUndefined();
  const change: Change = parsed(text.update(viewWith([1, 3], 0)) ?? '');
  expect(change.tasks.map(({ id }) => id)).toEqual(['t1']);
  expect(change.set).toEqual({});
});
