import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import { stateOf } from '../model/task-record.ts';

const claims = (...ids: string[]) =>
  ({ ok: true, tail: '', signal: { id: 'claim', ids } }) as const;

function working(): Story {
  return new Story()
    .tasks(task('a'), task('b'), task('c'), task('d', { after: ['c'] }))
    .start({ jobs: 2 })
    .prepared('a')
    .turn('a');
}

const results = (story: Story) => {
  const state = story.task('a').attempt?.state;
  return state?.id === 'between-turns' && state.turnReason.id === 'claims'
    ? state.turnReason.results
    : undefined;
};

describe('tasks that an attempt claims', () => {
  test('are its own from then on, and every wish is answered once', () => {
    const story = working().turnEnds('a', claims('b', 'd', 'nope', 'a', 'b'));
    expect(results(story)).toEqual([
      { id: 'b', claimed: true },
      { id: 'd', claimed: false, reason: 'it waits for other tasks' },
      { id: 'nope', claimed: false, reason: 'there is no such task' },
      { id: 'a', claimed: false, reason: 'it is the task you work on' },
    ]);
    expect(stateOf(story.task('b'))).toBe('claimed');
    expect(story.commands()).toEqual(['begin-turn a 1', 'claim c 1']);
  });

  test('by a call are granted at once', () => {
    const story = working().calls('a', { id: 'claim', ids: ['b'] });
    expect(story.task('a').attempt?.coClaims).toEqual(['b']);
    expect(story.task('b').coClaimedBy).toEqual({ run: 'r1', id: 'a', attempt: 1 });
  });

  test('are refused if another attempt works on them or has claimed them', () => {
    const story = working().prepared('b', 2).turn('b', 2);
    story.calls('b', { id: 'claim', ids: ['c'] });
    story.turnEnds('a', claims('b', 'c'));
    const reason = 'another attempt works on it';
    expect(results(story)).toEqual([
      { id: 'b', claimed: false, reason },
      { id: 'c', claimed: false, reason },
    ]);
  });

  test('are refused where the tree it began from lacks the work of a parent', () => {
    const story = working().landed('c', 2);
    expect(results(story.turnEnds('a', claims('d')))).toEqual([
      { id: 'd', claimed: false, reason: 'it needs work that landed after you began' },
    ]);
  });

  test('may need work that landed before it began', () => {
    const story = new Story().tasks(task('a'), task('c'), task('d', { after: ['c'] }));
    story.start({ jobs: 2 }).landed('c', 2).prepared('a').turn('a');
    expect(results(story.turnEnds('a', claims('d')))).toEqual([{ id: 'd', claimed: true }]);
  });

  test('are refused outside of the run', () => {
    const story = new Story().tasks(task('a'), task('b'));
    story
      .start({ scope: { kind: 'only', tasks: ['a'] } })
      .prepared('a')
      .turn('a');
    expect(results(story.turnEnds('a', claims('b')))).toEqual([
      { id: 'b', claimed: false, reason: 'it is not part of this run' },
    ]);
  });

  test('land with it', () => {
    const story = working().calls('a', { id: 'claim', ids: ['b', 'c'] });
    story.turnEnds('a', { ok: true, tail: '' });
    const of = { run: 'r1', id: 'a', attempt: 1 } as const;
    story.tell({ type: 'work-captured', ...of, commit: 'x', tree: 't', by: 'agent' });
    story.judged('a', true).built('a').candidateJudged(true).lands();
    expect(['a', 'b', 'c'].map((id) => story.task(id).status.id)).toEqual(
      new Array(3).fill('landed'),
    );
    expect(story.task('b').coClaimedBy).toBeUndefined();
    expect(story.record().train.landed).toBe(3);
    expect(story.commands()).toEqual(['claim d 1']);
  });

  test('are free again when it is given up', () => {
    const story = working().calls('a', { id: 'claim', ids: ['b'] });
    const failure = { kind: 'agent-exited', exit: 1, tail: '' } as const;
    story.turnEnds('a', { ok: false, failure });
    expect(story.task('b').coClaimedBy).toBeUndefined();
    expect(stateOf(story.task('b'))).toBe('ready');
  });

  test('do not land where a person took one out meanwhile', () => {
    const story = working().calls('a', { id: 'claim', ids: ['b'] });
    const canceled = { kind: 'cancel', reason: 'no longer' } as const;
    story.tell({ type: 'task-decided', id: 'b', decision: canceled });
    expect(story.task('a').attempt?.coClaims).toEqual([]);
    expect(story.task('b').coClaimedBy).toBeUndefined();
    story.turnEnds('a', { ok: true, tail: '' });
    const of = { run: 'r1', id: 'a', attempt: 1 } as const;
    story.tell({ type: 'work-captured', ...of, commit: 'x', tree: 't', by: 'agent' });
    story.judged('a', true).built('a').candidateJudged(true).lands();
    expect(story.task('b').status.id).toBe('canceled');
    expect(story.record().train.landed).toBe(1);
  });

  test('are as many as one may hold', () => {
    const many = Array.from({ length: limits.coClaimsMax + 1 }, (_, at) => `t${at}`);
    const story = new Story().tasks(task('a'), ...many.map((id) => task(id))).start({ jobs: 1 });
    story
      .prepared('a')
      .turn('a')
      .turnEnds('a', claims(...many));
    expect(results(story)?.filter(({ claimed }) => claimed)).toHaveLength(limits.coClaimsMax);
    expect(results(story)?.at(-1)?.reason).toBe('you hold as many as one may');
  });

  test('are not asked for for ever', () => {
    const story = working();
    for (let round = 1; round <= limits.claimRounds; round += 1) {
      story.turnEnds('a', claims('nope')).turn('a');
    }
    expect(story.turnEnds('a', claims('nope')).task('a').attempt?.state).toMatchObject({
      id: 'giving-up',
      failure: { kind: 'claims-endless', rounds: limits.claimRounds + 1 },
    });
  });
});
