import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { stateOf } from '../model/task-record.ts';

const stopped = (story: Story): Story =>
  story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'test' });

describe('a run that is about to end', () => {
  test('gives up an attempt whose agent never started, and that costs the task no start', () => {
    const story = stopped(new Story().tasks(task('a')).start().prepared('a'));
    expect(story.commands()).toEqual(['halt', 'give-up a 1']);
    const failure = { kind: 'run-stopped' } as const;
    expect(story.decide().commands).toMatchObject([{}, { failure }]);
    const of = { run: 'r1', id: 'a', attempt: 1 };
    story.tell({ type: 'attempt-given-up', ...of, failure });
    story.tell({ type: 'attempt-failed', ...of, failure });
    expect(stateOf(story.task('a'))).toBe('ready');
    expect(story.task('a')).toMatchObject({ failures: 0, starts: 0 });
    expect(story.commands()).toEqual(['halt', 'end-run canceled']);
  });

  test('captures what an agent has finished, and leaves it for the merge queue', () => {
    const story = new Story().tasks(task('a')).start().prepared('a').turn('a');
    stopped(story.turnEnds('a', { ok: true, tail: '' }));
    expect(story.commands()).toEqual(['halt', 'capture a 1']);
    story.captured('a');
    expect(story.commands()).toEqual([
      expect.stringMatching(/^halt/),
      expect.stringMatching(/^skip-gate a/),
    ]);
  });

  test('does not follow the gate of a branch any more, by a stop or over a gate that cannot run', () => {
    const gating = () => {
      const story = new Story().tasks(task('a')).start().prepared('a').works('a');
      const of = { run: 'r1', id: 'a', attempt: 1 };
      story.tell({ type: 'branch-gate-started', ...of, tree: 'tree-a-1-1', gateSlot: 0 });
      expect(story.commands()).toEqual(['judge-branch a 1']);
      return story;
    };
    expect(stopped(gating()).commands()).toEqual(['halt', 'skip-gate a 1']);
    const failure = { kind: 'other', message: 'no gate' } as const;
    const judged = { type: 'target-judged', run: 'r1', commit: 'x', tree: 't', gate: 'g' } as const;
    const troubled = gating().tell({ ...judged, verdict: { id: 'not-run', failure } });
    expect(troubled.commands()).toEqual(['skip-gate a 1']);
  });
});
