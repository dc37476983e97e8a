import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { TurnResult } from '../model/turn.ts';
import { messagesFor, unreadMessages } from './messages.ts';

const done: TurnResult = { ok: true, tail: '', session: 's1' };

function prepared(): Story {
  return new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a');
}

const unread = (story: Story) => unreadMessages(story.task('a')).map(({ text }) => text);

describe('a message to the agent of a task', () => {
  test('is told again to an agent that has lost the conversation', () => {
    const story = prepared().message('a', 'Use tabs.').turnStarts('a');
    story.turnEnds('a', { ...done, signal: { id: 'nothing' } }).turnStarts('a');
    expect(messagesFor(story.task('a'), { attempt: 1, turn: 2 }, false)).toEqual([
      { text: 'Use tabs.' },
    ]);
  });

  test('gives an agent that is done one more turn of the same try', () => {
    const story = prepared().turnStarts('a').message('a', 'Use tabs.').turnEnds('a', done);
    expect(story.task('a').attempt?.state).toEqual({
      id: 'between-turns',
      turnReason: { id: 'messages' },
    });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.turnStarts('a').turnEnds('a', done);
    expect(story.task('a').attempt?.state.id).toBe('capturing');
    expect(story.task('a').starts).toBe(1);
  });

  test('that is stored while the next turn starts waits for the one after it', () => {
    const story = prepared().message('a', 'First.');
    const [begin] = story.decide().commands;
    story.message('a', 'Second.');
    if (begin?.type !== 'begin-turn') throw new Error('no turn');
    story.tell({ ...begin, type: 'turn-started', run: story.run });
    expect(unread(story)).toEqual(['Second.']);
  });

  test('waits behind a question, and is read with the answer', () => {
    const story = prepared().turnStarts('a').message('a', 'Use tabs.');
    story.turnEnds('a', { ...done, signal: { id: 'ask', question: 'Which?' } });
    expect(story.task('a').attempt?.state.id).toBe('asking');
    story.decided('a', { kind: 'answer', text: 'That.' }).turnStarts('a');
    expect(unread(story)).toEqual([]);
    expect(story.task('a').attempt?.state).toMatchObject({ turnReason: { id: 'answer' } });
  });

  test('waits while the work is judged, and is read when it comes back', () => {
    const story = prepared().works('a').message('a', 'Use tabs.').judged('a', false);
    expect(unread(story)).toEqual(['Use tabs.']);
    const merged = { id: 'none', onto: 'base', log: '', stat: '', cause: 'x' } as const;
    story
      .targetJudged(true)
      .tell({ type: 'target-merged', run: 'r1', id: 'a', attempt: 1, merged });
    story.turnStarts('a');
    expect(unread(story)).toEqual([]);
  });

  test('to a task that nobody knows changes nothing', () => {
    const story = prepared().message('x', 'Hello.');
    expect(story.state.task('x')).toBeUndefined();
  });
});

describe("a person's answer", () => {
  const question = 'Which port?';
  const answer = { question, text: '8080' };
  const answered = (by?: 'run') =>
    prepared()
      .turnStarts('a')
      .turnEnds('a', { ...done, signal: { id: 'ask', question } })
      .decided('a', { kind: 'answer', text: '8080', ...(by && { by }) })
      .turnStarts('a');
  const messagesOf = (story: Story, resumed: boolean) => {
    const { attempt } = story.task('a');
    if (attempt?.state.id !== 'working') throw new Error('no turn');
    const { turn, turnReason } = attempt.state;
    const of = { attempt: attempt.number, turn, ...(turnReason && { turnReason }) };
    return messagesFor(story.task('a'), of, resumed);
  };

  test('is the reason for the next turn, and a message in every later prompt of a new conversation', () => {
    const story = answered();
    expect(messagesOf(story, true)).toEqual([]);
    expect(messagesOf(story, false)).toEqual([]);
    story.turnEnds('a', { ...done, signal: { id: 'nothing' } }).turnStarts('a');
    expect(messagesOf(story, true)).toEqual([]);
    expect(messagesOf(story, false)).toEqual([answer]);
    const failure = { kind: 'agent-exited', exit: 1, tail: '' } as const;
    story.turnEnds('a', { ok: false, failure });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    story.now += 600_000;
    story.message('a', 'Use 9090.').prepared('a').turnStarts('a');
    expect(messagesOf(story, false)).toEqual([answer, { text: 'Use 9090.' }]);
  });

  test('is repeated as the reason after an interruption, and not as a message', () => {
    const failure = { kind: 'stream-broken', agent: 'x', message: '' } as const;
    const story = answered().turnEnds('a', { ok: false, failure });
    story.now += 600_000;
    story.turnStarts('a');
    expect(story.task('a').attempt?.state).toMatchObject({
      turnReason: { id: 'paused', before: { id: 'answer' } },
    });
    expect(messagesOf(story, false)).toEqual([]);
    expect(unread(story)).toEqual([]);
  });

  test('gives an agent that is done no further turn', () => {
    const story = answered().turnEnds('a', done);
    expect(story.task('a').attempt?.state.id).toBe('capturing');
  });

  test('is no message if the run gave it', () => {
    const story = answered('run').turnEnds('a', { ...done, signal: { id: 'nothing' } });
    expect(messagesOf(story.turnStarts('a'), false)).toEqual([]);
  });
});
