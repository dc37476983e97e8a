import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import type { LandingFacts } from '../model/queue-entry.ts';
import { pickBatch, type QueuedBranch, queuedBranches } from './queue.ts';

function queue(story: Story): readonly string[] {
  return queuedBranches([...story.state.tasks.values()], story.now).map(
    ({ facts }) => facts.entry.id,
  );
}

describe('the queue in front of the target', () => {
  test('is in the order in which branches passed their gate', () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    story.queued('b', 1).queued('a', 2);
    expect(queue(story)).toEqual(['b', 'a']);
  });

  test('lets more important work go first', () => {
    const story = new Story().tasks(task('a'), task('urgent', { priority: 0 })).start();
    story.queued('a', 1).queued('urgent', 2);
    expect(queue(story)).toEqual(['urgent', 'a']);
  });

  test('lets work that has waited too long go before what is more important, but for the most important', () => {
    const story = new Story()
      .tasks(task('old', { priority: 4 }), task('fresh', { priority: 1 }))
      .tasks(task('urgent', { priority: 0 }))
      .start();
    story.queued('old', 1);
    story.now += limits.trainAgeMs - 20;
    story.queued('fresh', 2).queued('urgent', 3);
    expect(queue(story)).toEqual(['urgent', 'fresh', 'old']);
    story.now += 20;
    expect(queue(story)).toEqual(['urgent', 'old', 'fresh']);
  });

  test('has no place for work that nobody wants any more', () => {
    const story = new Story().tasks(task('a')).start().queued('a');
    story.decided('a', { kind: 'cancel', reason: 'x' });
    expect(queue(story)).toEqual([]);
  });

  test('keeps the place of a branch whose candidate was dropped', () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    story.queued('a', 1).queued('b', 2).built('a');
    story.tell({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: 'x' },
    });
    expect(queue(story)).toEqual(['a', 'b']);
  });

  test('waits with the next candidate while nobody knows which branch made the last one red', () => {
    const train = { batch: 4, style: 'merge' } as const;
    const story = new Story().tasks(task('a'), task('b'), task('c'), task('d'));
    story.start({ jobs: 4, pool: 9, gateSlots: 3, train });
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) story.queued(id, at + 1);
    story.built('a', 'b', 'c').gatesBegin().candidateJudged(false);
    expect(story.record().train.candidates).toMatchObject([{ id: 'c1', red: { count: 3 } }]);
    expect(queue(story)).toEqual(['d']);
    expect(story.commands().filter((said) => said.startsWith('build-candidate'))).toEqual([]);
  });

  test('takes along what an attempt claimed, and the task whose conflict it resolved', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c')).start();
    story
      .prepared('a')
      .turn('a')
      .calls('a', { id: 'claim', ids: ['b'] });
    story.turnEnds('a', { ok: true, tail: '' }).captured('a', { resolves: 'c' }).judged('a', true);
    const [waiting] = queuedBranches([...story.state.tasks.values()]);
    expect(waiting?.facts.entry).toMatchObject({ id: 'a', coClaims: ['b', 'c'] });
  });

  test('knows what a branch changes, what it does not merge with, and behind whom it waits', () => {
    const story = new Story().tasks(task('a')).start();
    const changes = { files: ['x', 'y'], count: 2, added: 1, removed: 0 };
    story.prepared('a').works('a', 1, { changes });
    const of = { run: 'r1', id: 'a', attempt: 1 };
    story.tell({ type: 'conflict-predicted', ...of, with: 'z', files: ['x'] }).judged('a', true);
    story.tell({ type: 'merge-deferred', ...of, behind: 'c7' });
    expect(queuedBranches([...story.state.tasks.values()])).toMatchObject([
      { files: ['x', 'y'], clashes: ['z'], behind: 'c7' },
    ]);
  });
});

function waits(
  id: string,
  files: readonly string[] = [],
  clashes: readonly string[] = [],
): QueuedBranch {
  return {
    facts: {
      entry: { id, attempt: 1, commit: id },
      title: id,
      agent: 'scripted',
      branch: id,
    },
    priority: 2,
    since: 0,
    files,
    clashes,
    needsOwnCandidate: false,
    isSuspect: false,
  };
}

const ids = (picked: readonly LandingFacts[]): readonly string[] =>
  picked.map(({ entry }) => entry.id);

describe('branches of one candidate', () => {
  test('is whoever waits longest, as long as they touch different files', () => {
    const able = [waits('a', ['x']), waits('b', ['y']), waits('c', ['z'])];
    expect(ids(pickBatch(able, 2))).toEqual(['a', 'b']);
  });

  test('is the first in any case, then those that touch nothing in common, then the others', () => {
    const able = [waits('a', ['x']), waits('b', ['x', 'y']), waits('c', ['z']), waits('d', ['y'])];
    expect(ids(pickBatch(able, 2))).toEqual(['a', 'c']);
    expect(ids(pickBatch(able, 3))).toEqual(['a', 'c', 'd']);
    expect(ids(pickBatch(able, 4))).toEqual(['a', 'c', 'd', 'b']);
  });

  test('is never two of which it is known that they do not merge, whoever found that out', () => {
    const able = [waits('a', [], ['c']), waits('b'), waits('c'), waits('d', [], ['b'])];
    expect(ids(pickBatch(able, 4))).toEqual(['a', 'b']);
  });

  test('is nobody else where the first was red before: it is likelier to be so again', () => {
    const again = { ...waits('a'), needsOwnCandidate: true };
    expect(ids(pickBatch([again, waits('b')], 8))).toEqual(['a']);
    expect(ids(pickBatch([waits('b'), again, waits('c')], 8))).toEqual(['b', 'c']);
  });

  test('is anybody where nobody knows what they change', () => {
    expect(ids(pickBatch([waits('a'), waits('b')], 2))).toEqual(['a', 'b']);
  });

  const able = fc
    .array(
      fc.record({
        files: fc.subarray(['x', 'y', 'z', 'w']),
        clashes: fc.subarray(['0', '1', '2', '3', '4', '5']),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((all) => all.map(({ files, clashes }, at) => waits(String(at), files, clashes)));

  test('always has the first, nobody twice, no more than asked for, and no clash', () => {
    fc.assert(
      fc.property(able, fc.integer({ min: 1, max: 8 }), (waiting, size) => {
        const picked = ids(pickBatch(waiting, size));
        expect(picked[0]).toBe('0');
        expect(new Set(picked).size).toBe(picked.length);
        expect(picked.length).toBeLessThanOrEqual(size);
        for (const one of picked) {
          const { clashes } = waiting[Number(one)] ?? waits(one);
          expect(picked.filter((other) => other !== one && clashes.includes(other))).toEqual([]);
        }
      }),
    );
  });

  test('leaves nobody behind who would have fitted', () => {
    fc.assert(
      fc.property(able, fc.integer({ min: 1, max: 8 }), (waiting, size) => {
        const picked = ids(pickBatch(waiting, size));
        if (picked.length === size) return;
        for (const { facts, clashes } of waiting) {
          const { id } = facts.entry;
          if (picked.includes(id)) continue;
          const isApart = picked.every(
            (one) => !clashes.includes(one) && !waiting[Number(one)]?.clashes.includes(id),
          );
          expect(isApart).toBe(false);
        }
      }),
    );
  });
});
