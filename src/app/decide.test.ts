import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import type { Decision } from '../model/task.ts';
import { decisionsFor } from './decide.ts';
import { taskNamed } from './lookup.ts';

const [first, second] = ['a.v1', 'a.v2'];
const terms = { run: 'r1', base: 'base', choose: 'person' } as const;
const canceled: Decision = { kind: 'cancel', reason: 'no longer wanted' };

/** A task with two variants, after these decisions. */
async function decided(...decisions: readonly (readonly [string, Decision])[]) {
  const store = memoryStore();
  const variants = [first, second].map((id) => task(id ?? '', { variantOf: 'a' }));
  need(
    await store.append(1, [
      { type: 'task-added', task: task('a') },
      { type: 'task-added', task: task('b') },
      { type: 'variants-added', id: 'a', variants, ...terms },
      ...decisions.map(([id, decision]) => ({ type: 'task-decided', id, decision }) as const),
    ]),
  );
  return async (id: string) => decisionsFor({ store }, need(await taskNamed(store, id)));
}

describe('the decisions that a task accepts', () => {
  it('are those that would change something', async () => {
    const of = await decided(['b', canceled]);
    expect(await of('b')).toContain('retry');
    expect(await of('b')).not.toContain('cancel');
    expect(await of('a')).toContain('cancel');
    expect(await of('a')).not.toContain('approve');
  });

  it('do not include to retry a variant whose task is over', async () => {
    const of = await decided(['a', canceled]);
    expect(await of('a')).toContain('retry');
    expect(await of('a.v2')).not.toContain('retry');
    expect(await of('a.v2')).not.toContain('unblock');
  });

  it('include to retry a variant whose task is open', async () => {
    const of = await decided(['a.v2', canceled]);
    expect(await of('a.v2')).toContain('retry');
  });
});
