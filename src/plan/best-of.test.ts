import { describe, expect, test } from 'vitest';
import { Story, settings, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { stateOf } from '../model/task-record.ts';
import { bestOfFor, variantTasks } from './best-of.ts';

const run = { best_of: 2, agents: ['x'], choose: 'auto', byType: { bug: { best_of: 3 } } } as const;

describe('the number of attempts', () => {
  test.each<[string, Parameters<typeof task>[1], Partial<RunSettings>, number | undefined]>([
    ['is one without a word about it', {}, {}, undefined],
    ['is that of the task', { attempts: { best_of: 4 } }, { attempts: run }, 4],
    ['is that of its type', { type: 'bug' }, { attempts: run }, 3],
    ['is that of the run', {}, { attempts: run }, 2],
    ['is one if the task says so', { attempts: { best_of: 1 } }, { attempts: run }, undefined],
    ['is one for a plan', { type: 'plan' }, { attempts: run }, undefined],
    ['is one for an epic', { type: 'epic' }, { attempts: run }, undefined],
    ['is one for a variant', { variantOf: 'b' }, { attempts: run }, undefined],
  ])('%s', (_, more, settled, count) => {
    expect(bestOfFor({ task: task('a', more) }, settings(settled))?.count).toBe(count);
  });

  test('a person who must approve all work chooses', () => {
    const review = { reviewers: [], person: true, rounds: 1, retries: 0 };
    const settled = settings({ attempts: run, review });
    expect(bestOfFor({ task: task('a') }, settled)?.choose).toBe('person');
  });
});

test('variants have the text of their task, agents in turn, and ids that are free', () => {
  const original = task('a', { parent: 'e', source: 'plan.yaml', body: 'Do it.', after: ['z'] });
  const bestOf = { count: 3, agents: ['x', 'y'], choose: 'auto' } as const;
  const made = variantTasks(original, bestOf, (id) => id === 'a.v2');
  expect(made).toEqual(
    ['a.v1', 'a.v2-2', 'a.v3'].map((id, at) =>
      task(id, {
        title: 'Task a',
        body: 'Do it.',
        after: ['z'],
        variantOf: 'a',
        agent: 'xyx'[at] ?? '',
      }),
    ),
  );
});

/** A task with two variants in a run. */
function compared(): Story {
  const story = new Story().tasks(task('a'), task('b', { after: ['a'] })).start({ jobs: 4 });
  return story.tell({
    type: 'variants-added',
    run: 'r1',
    id: 'a',
    base: 'b0',
    variants: [1, 2].map((n) => task(`a.v${n}`, { variantOf: 'a' })),
    choose: 'auto',
  });
}

const decided = (id: string, kind: 'cancel' | 'skip' | 'block') =>
  ({ type: 'task-decided', id, decision: { kind, reason: 'so' } }) as const;

describe('a task with variants', () => {
  test('is never ready itself, and its variants are', () => {
    const { state } = compared();
    expect([...state.ready.ids()].sort()).toEqual(['a.v1', 'a.v2']);
    expect(stateOf(state.task('a') ?? fail())).toBe('comparing');
  });

  test('gets none while an attempt of its own is live', () => {
    const story = new Story().tasks(task('a')).start();
    const of = { run: 'r1', id: 'a', attempt: 1, slot: 1, fence: 1, agent: 'x', branch: 'b' };
    story.tell({ type: 'attempt-started', ...of });
    const variants = [task('a.v1', { variantOf: 'a' })];
    const terms = { run: 'r1', id: 'a', base: 'b0', variants, choose: 'auto' } as const;
    story.tell({ type: 'variants-added', ...terms });
    expect(story.state.task('a')?.variants).toBeUndefined();
    expect(story.state.task('a.v1')).toBeUndefined();
  });

  test('is ended with all of them, also by a skip', () => {
    for (const kind of ['cancel', 'skip', 'block'] as const) {
      const { state } = compared().tell(decided('a', kind));
      const ended = kind === 'block' ? 'blocked' : 'canceled';
      expect(['a.v1', 'a.v2'].map((id) => state.task(id)?.status.id)).toEqual([ended, ended]);
    }
  });

  test('is blocked with the reason of each when none is left, and open again when one is', () => {
    const story = compared().tell(decided('a.v1', 'cancel'), decided('a.v2', 'skip'));
    expect(story.state.task('a')?.status).toMatchObject({
      id: 'blocked',
      failure: { kind: 'variants-failed', variants: [{ id: 'a.v1' }, { id: 'a.v2' }] },
    });
    story.tell({ type: 'task-decided', id: 'a.v1', decision: { kind: 'retry' } });
    expect(story.state.task('a')?.status.id).toBe('open');
  });

  test('is not chosen for while no variant is finished', () => {
    const choice = { kind: 'choose', variant: 'a.v1', by: 'person' } as const;
    const { state } = compared().tell({ type: 'task-decided', id: 'a', decision: choice });
    expect(state.task('a')?.coClaimedBy).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('There is no such task.');
}
