import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { moveTrain, queueOf } from './queue.ts';

function queue(story: Story): readonly string[] {
  return queueOf([...story.state.tasks.values()]).map((car) => car.id);
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

  test('has no place for work that nobody wants any more', () => {
    const story = new Story().tasks(task('a')).start().queued('a');
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'x' } });
    expect(queue(story)).toEqual([]);
  });

  test('keeps the place of a branch whose candidate was dropped', () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    story.queued('a', 1).queued('b', 2).coupled('a');
    story.tell({ type: 'candidate-dropped', run: 'r1', candidate: 'c1', found: 'x' });
    expect(queue(story)).toEqual(['a', 'b']);
  });
});

describe('the train', () => {
  const story = () => new Story().tasks(task('a'), task('b')).start().queued('a', 1).queued('b', 2);
  const move = (told: Story) =>
    moveTrain(told.record(), queueOf([...told.state.tasks.values()]), told.now);

  test('couples the head of the queue', () => {
    expect(move(story()).command).toMatchObject({ type: 'couple', cars: [{ id: 'a' }] });
  });

  test('has one candidate on the way at a time: judged, then landed', () => {
    const told = story().coupled('a');
    expect(move(told).command).toMatchObject({ type: 'judge-candidate', candidate: 'c1' });
    told.candidateJudged(true);
    expect(move(told).command).toEqual({ type: 'land', candidate: 'c1' });
    told.lands();
    expect(move(told).command).toMatchObject({ type: 'couple', cars: [{ id: 'b' }] });
  });

  test('asks for nothing when nothing waits', () => {
    expect(move(new Story().start())).toEqual({});
  });

  test('waits with a landing that is in the way until its time has come', () => {
    const told = story().coupled('a').candidateJudged(true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const until = told.now + 500;
    told.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until });
    expect(move(told)).toEqual({ wakeAt: until });
    told.now = until;
    expect(move(told).command).toEqual({ type: 'land', candidate: 'c1' });
  });
});
