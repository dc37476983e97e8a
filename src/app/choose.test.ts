import { expect, test } from 'vitest';
import { aRecord } from '../../test/report/fixtures.ts';
import { need } from '../../test/rig/need.ts';
import { owner, Story, task } from '../../test/story.ts';
import { ok } from '../model/failure.ts';
import { fold } from '../plan/fold.ts';
import { plain } from '../report/format/style.ts';
import { compareText } from '../report/task/compare.ts';
import { groupOf } from './choose.ts';
import { compareVariants } from './compare.ts';
import { workOf } from './diff.ts';
import { promptOf } from './prompt.ts';

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

/** A task of which Ada chose the second variant in `ym watch`. */
function chosen() {
  const ids = ['a.v1', 'a.v2'];
  const variants = ids.map((id) => task(id, { variantOf: 'a' }));
  const of = { run: 'r1', id: 'a', base: 'base', variants, choose: 'person' } as const;
  const story = new Story().tasks(task('a')).start({ jobs: 2 });
  story.tell({ type: 'variants-added', ...of });
  for (const id of ids) story.prepared(id).works(id).judged(id, true);
  const decision = { kind: 'choose', variant: 'a.v2', by: 'person', reason: 'shorter' } as const;
  const actor = { name: 'Ada', through: 'watch' } as const;
  const at = { seq: 99, at: story.now, version: 1 } as const;
  fold(story.state, { ...at, type: 'task-decided', id: 'a', decision, actor });
  return {
    task: async (id: string) => ok(story.state.tasks.get(id)),
    ids: async () => ok([]),
    runs: async () => ok([]),
    attempts: async ({ task: id }: { readonly task?: string }) =>
      ok([...story.state.attempts.values()].filter((one) => one.task === id)),
  };
}

test('the comparison of variants names the person who chose', async () => {
  const clock = { now: () => 0, sleep: async () => undefined };
  const here = { clock, self: () => owner, isAlive: () => true };
  const compared = need(await compareVariants({ store: chosen(), ...here }, 'a'));
  const text = compareText(compared, plain, 100).join('\n');
  expect(text).toContain('a.v2 was chosen by Ada (ym watch): shorter.');
});

test('work and prompts of a task with variants are those of its variants', async () => {
  const store = chosen();
  expect(await workOf({ store }, 'a', undefined, 'try')).toMatchObject({
    failure: { remedy: 'See `ym try a.v2`.' },
  });
  expect(await promptOf({ store, dir: '/x', root: '/x', env: {} }, 'a', {})).toMatchObject({
    failure: { problem: 'the prompt of "a" is that of its chosen variant a.v2' },
  });
});
