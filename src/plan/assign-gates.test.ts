import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';

/** A run that judges every branch by itself, with so many gates at once. */
function newStory(gateSlots: number, more: Partial<RunSettings> = {}): Story {
  const names = ['a', 'b', 'c', 'd', 'p'];
  return new Story()
    .tasks(...names.map((id) => task(id, id === 'p' ? { priority: 0 } : {})))
    .start({ jobs: 8, pool: 99, gateSlots, train: { batch: 8, style: 'merge' }, ...more });
}

const gates = (story: Story): readonly string[] =>
  story.commands().filter((said) => /gate|judge|build/.test(said));

/** Its work is done and is to be judged by itself. */
const done = (story: Story, id: string, slot: number): Story =>
  story.prepared(id, slot).works(id, slot);

function begins(story: Story, id: string, gateSlot: number): Story {
  const tree = `tree-${id}-1-1`;
  return story.tell({ type: 'branch-gate-started', run: 'r1', id, attempt: 1, tree, gateSlot });
}

describe('gates of branches', () => {
  test('start where a gate slot is free, whoever waits longest first', () => {
    const story = done(done(done(newStory(2), 'b', 1), 'a', 2), 'c', 3);
    expect(gates(story)).toEqual(['begin-branch-gate b 1', 'begin-branch-gate a 1']);
    begins(begins(story, 'b', 0), 'a', 1);
    expect([...gates(story)].sort()).toEqual(['judge-branch a 1', 'judge-branch b 1']);
  });

  test('that could not run give their slot back', () => {
    const story = begins(done(newStory(1), 'a', 1), 'a', 0);
    const failure = { kind: 'gate-not-run', where: 'branch', cause: 'x' } as const;
    const verdict = { id: 'not-run', failure } as const;
    const of = { run: 'r1', id: 'a', attempt: 1, tree: 'tree-a-1-1' } as const;
    story.tell({ type: 'branch-judged', ...of, gate: 'gate', verdict, cached: false });
    expect(story.task('a').attempt?.state).toMatchObject({ id: 'gating', again: 1 });
    expect(story.task('a').attempt?.state).not.toHaveProperty('gate');
  });

  test('wait for candidates that were ready before them, and go before those that come later', () => {
    const story = newStory(1).queued('a', 1);
    done(story, 'b', 2);
    expect(gates(story)).toEqual(['build-candidate a']);
    story.builds();
    expect(gates(story)).toEqual(['begin-gate c1']);
    story.gatesBegin().queued('c', 3);
    expect(gates(story)).toEqual(['judge-candidate c1']);
    story.candidateJudged(true).lands();
    // It has waited for longer than the branch that queues.
    expect(gates(story)).toEqual(['begin-branch-gate b 1']);
    begins(story, 'b', 0);
    expect(gates(story)).toEqual(['judge-branch b 1']);
    story.judged('b', true);
    expect(gates(story)).toEqual(['build-candidate c b']);
  });

  test('go after the most important branches and the parts of a red candidate', () => {
    const story = done(newStory(1), 'b', 2).queued('p', 1);
    expect(gates(story)).toEqual(['build-candidate p']);
    const red = newStory(1).queued('a', 1).queued('c', 3).built('a', 'c').gatesBegin();
    done(red, 'b', 2).candidateJudged(false);
    expect(gates(red)).toEqual(['begin-gate c1 first 1']);
  });

  test('leave a second slot to the queue', () => {
    const story = done(newStory(2).queued('a', 1), 'b', 2);
    expect(gates(story)).toEqual(['build-candidate a', 'begin-branch-gate b 1']);
  });
});

describe('a judgment of the target', () => {
  const moved = { type: 'target-moved', run: 'r1', from: 'base', to: 'new' } as const;

  test('comes first, and the rest share what it leaves', () => {
    const story = done(newStory(2), 'a', 1).tell(moved);
    expect(gates(story)).toEqual(['judge-target new', 'begin-branch-gate a 1']);
    const one = done(newStory(1), 'a', 1).tell(moved);
    expect(gates(one)).toEqual(['judge-target new']);
    one.targetJudged(true, 'new');
    expect(gates(one)).toEqual(['begin-branch-gate a 1']);
  });

  test('waits for a gate that runs, and no other gate starts before it', () => {
    const story = begins(done(done(newStory(1), 'a', 1), 'b', 2), 'a', 0).tell(moved);
    expect(gates(story)).toEqual(['judge-branch a 1']);
    story.judged('a', true);
    expect(gates(story)).toEqual(['judge-target new']);
  });
});
