import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { MemoryGit } from '../../test/memory/git.ts';
import { memoryStore } from '../../test/memory/store.ts';
import { until } from '../../test/rig/until.ts';
import { owner, settings, task } from '../../test/story.ts';
import { viewAt } from '../app/moment.ts';
import type { Opened } from '../app/ports.ts';
import type { EventBody } from '../model/event.ts';
import { PageTexts } from './page-text.ts';
import type { WantedText } from './wanted-text.ts';

/** Task `a` is added, its run starts, a person blocks it and unblocks it; task `b` comes last. One event each second. */
const bodies: readonly EventBody[] = [
  { type: 'task-added', task: task('a') },
  { type: 'run-started', run: 'r1', owner, settings: settings(), base: 'b'.repeat(40) },
  { type: 'task-decided', id: 'a', decision: { kind: 'block', reason: 'not yet' } },
  { type: 'task-decided', id: 'a', decision: { kind: 'unblock' } },
  { type: 'task-added', task: task('b') },
];

async function texts() {
  const store = memoryStore();
  for (const [at, body] of bodies.entries()) await store.append((at + 1) * 1_000, [body]);
  const opened = {
    store,
    git: new MemoryGit({ files: { 'a.txt': 'a' } }),
    clock: new ManualClock(9_000),
    self: () => owner,
    isAlive: () => true,
    dir: '/nowhere',
  } as unknown as Opened;
  let changes = 0;
  const pages = new PageTexts(opened, () => {
    changes += 1;
  });
  const shown = async (page: WantedText['page'], name: string, seq?: number): Promise<string> => {
    const past = seq === undefined ? undefined : await viewAt(opened, seq);
    const then = past?.ok ? { past: past.value } : {};
    const before = changes;
    pages.want({ page, task: name, version: '1', width: 70, ...then });
    await until(
      () => changes > before && pages.text?.task === name,
      () => `the text of ${name}`,
    );
    const { lines = [], note = '' } = pages.text ?? {};
    return lines.length === 0 ? note : lines.join('\n');
  };
  return { pages, shown };
}

describe('the text of a page', () => {
  test('explains a task as it is now', async () => {
    const { shown } = await texts();
    const why = await shown('why', 'a');
    expect(why).toContain('unblocked');
    expect(why).toMatch(/^○ a {2}ready/);
  });

  test('explains a task as it was at a moment of the past', async () => {
    const { shown } = await texts();
    const why = await shown('why', 'a', 3);
    expect(why).toMatch(/^■ a {2}blocked by you/);
    expect(why).toContain('not yet');
    expect(why).not.toContain('unblocked');
    expect(await shown('why', 'a', 4)).toContain('unblocked');
  });

  test('says that there was no such task or attempt yet', async () => {
    const { shown } = await texts();
    expect(await shown('why', 'b', 4)).toContain('no task "b" yet at event 4');
    expect(await shown('tail', 'a', 3)).toContain('attempt at "a" has started yet');
    expect(await shown('diff', 'a', 3)).toContain('no attempt at "a" has started');
    expect(await shown('compare', 'a', 3)).toContain('has no variants');
  });

  test('is gone at once when another task is chosen, and stays while only its version changes', async () => {
    const { pages, shown } = await texts();
    await shown('why', 'a');
    pages.want({ page: 'why', task: 'a', version: '2', width: 70 });
    expect(pages.text?.task).toBe('a');
    pages.want({ page: 'why', task: 'b', version: '1', width: 70 });
    expect(pages.text).toBeUndefined();
    pages.want(undefined);
    expect(pages.text).toBeUndefined();
  });
});
