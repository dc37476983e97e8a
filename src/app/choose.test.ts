import { expect, test } from 'vitest';
import { aRecord } from '../../test/report/fixtures.ts';
import { ok } from '../model/failure.ts';
import { groupOf } from './choose.ts';

test('a task whose variants have not started says how many will, and when', async () => {
  const record = aRecord('a');
  const bestOf = { ...record, task: { ...record.task, attempts: { best_of: 2 } } };
  const store = (found: typeof record) => ({
    task: async () => ok(found),
    ids: async () => ok([]),
    attempts: async () => ok([]),
  });
  expect(await groupOf({ store: store(bestOf) }, 'a')).toMatchObject({
    failure: { problem: 'task a has no variants yet: 2 of them start with the next run' },
  });
  expect(await groupOf({ store: store(record) }, 'a')).toMatchObject({
    failure: { problem: 'task a has no variants' },
  });
});
