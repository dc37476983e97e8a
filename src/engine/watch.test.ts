import { describe, expect, it } from 'vitest';
import { MemoryGuard } from '../../test/memory/guard.ts';
import { Story, task } from '../../test/story.ts';
import type { Work } from '../model/command.ts';
import { ok } from '../model/failure.ts';
import type { Ports, RunContext } from './context.ts';
import { watched } from './watch.ts';

const story = new Story()
  .tasks(task('a'), task('b'))
  .start()
  .queued('b')
  .prepared('a', 1)
  .turn('a');

const workOf = (id: string): Work => {
  const { task: one, attempt } = story.task(id);
  if (attempt === undefined) throw new Error(`${id} has no attempt`);
  return { task: one, attempt };
};

/** Watches the agent of `a` in a repository whose target and whose branch of `b` are at other commits than the run knows. */
const seenBy = async (worker: string | undefined) => {
  const asked: string[] = [];
  const git = {
    resolve: async (ref: string) => {
      asked.push(ref);
      return 'old';
    },
    missingObject: async (commit: string) => {
      asked.push(`objects of ${commit}`);
      return undefined;
    },
    wasMadeIn: async () => false,
  };
  const store = {
    run: async () => ok(story.record()),
    live: async () => ok([story.task('a'), story.task('b')]),
  };
  const ports = { guard: new MemoryGuard(), git, store } as unknown as Ports;
  const of = worker === undefined ? {} : { worker };
  const context = { run: 'r1', target: 'main', confined: false, ...of } as unknown;
  const result = await watched(ports, context as RunContext, workOf('a'), async () => 'done');
  return { ...result, asked };
};

describe('the watch over an agent', () => {
  it('reports a branch of waiting work that is at another commit', async () => {
    const { value, found } = await seenBy(undefined);
    expect(value).toBe('done');
    const ref = `refs/heads/${workOf('b').attempt.branch}`;
    expect(found).toMatchObject([{ kind: 'ref-moved', ref, to: 'old' }]);
  });

  it('blames no agent on a worker for copies of the target and of branches, which are older', async () => {
    const { value, found, moved, asked } = await seenBy('w1');
    expect({ value, found, moved }).toEqual({ value: 'done', found: [], moved: [] });
    expect(asked.filter((ref) => ref.startsWith('refs/heads/'))).toEqual([]);
  });

  it('needs the objects of the target here, and those of the base on a worker', async () => {
    const tip = story.record().target.tip;
    const base = workOf('a').attempt.worktree?.base;
    expect((await seenBy(undefined)).asked).toContain(`objects of ${tip ?? base}`);
    expect((await seenBy('w1')).asked).toContain(`objects of ${base}`);
  });
});
