import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import type { TurnResult } from '../model/turn.ts';
import { answerDeadline } from './wait-or-stop.ts';

const says = (signal: Extract<TurnResult, { ok: true }>['signal']): TurnResult =>
  signal === undefined ? { ok: true, tail: '' } : { ok: true, tail: '', signal };
const nothing = says({ id: 'nothing' });

function working(): Story {
  return new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a');
}

/** The turn ends like this, and the next one begins. */
function ends(story: Story, result: TurnResult): Story {
  return story.turnEnds('a', result).turn('a');
}

const turnReasonOf = (story: Story) => {
  const state = story.task('a').attempt?.state;
  return state?.id === 'working' || state?.id === 'between-turns' ? state.turnReason : undefined;
};

describe('an agent that says nothing about its end', () => {
  test('goes on in the same conversation, before any new task', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 });
    story
      .prepared('a')
      .turn('a')
      .turnEnds('a', { ...nothing, session: 's1' });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    expect(story.task('a').attempt).toMatchObject({
      conversation: { session: { id: 's1' }, silent: 1 },
    });
    expect(turnReasonOf(story)).toEqual({ id: 'silent', times: 1, nudge: false });
  });

  test('is nudged exactly once, and is stuck after one more turn', () => {
    const story = working();
    const nudges: boolean[] = [];
    for (let turn = 1; turn <= limits.silentTurnsDefault; turn += 1) {
      ends(story, nothing);
      const turnReason = turnReasonOf(story);
      nudges.push(turnReason?.id === 'silent' && turnReason.nudge);
    }
    expect(nudges).toEqual([false, false, false, false, true]);
    story.turnEnds('a', nothing);
    expect(story.task('a').attempt?.state).toMatchObject({
      id: 'giving-up',
      failure: { kind: 'agent-stuck', turns: 6 },
    });
  });

  test('starts to count again with any other word', () => {
    const story = working();
    for (let turn = 1; turn <= 4; turn += 1) ends(story, nothing);
    ends(story, says({ id: 'claim', ids: ['x'] }));
    expect(story.task('a').attempt?.conversation.silent).toBe(0);
    ends(story, nothing);
    expect(turnReasonOf(story)).toEqual({ id: 'silent', times: 1, nudge: false });
  });

  test('uses no further start of its task', () => {
    const story = working();
    for (let turn = 1; turn <= 4; turn += 1) ends(story, nothing);
    expect(story.task('a').starts).toBe(1);
    expect(story.record().spent.starts).toBe(5);
  });

  test('is patient as often as the run says', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, silentTurns: 1 });
    story.prepared('a').turn('a');
    ends(story, nothing);
    expect(turnReasonOf(story)).toEqual({ id: 'silent', times: 1, nudge: true });
    expect(story.turnEnds('a', nothing).task('a').attempt?.state.id).toBe('giving-up');
  });
});

describe('what an agent calls', () => {
  test('to be complete counts when its turn has ended well, whatever its last words were', () => {
    const story = working().calls('a', { id: 'complete' });
    expect(story.task('a').attempt?.state.id).toBe('working');
    story.turnEnds('a', nothing);
    expect(story.task('a').attempt?.state.id).toBe('capturing');
    expect(story.task('a').attempt?.state).not.toHaveProperty('signal');
  });

  test('is outranked by a failed turn', () => {
    const failure = { kind: 'agent-exited', exit: 1, tail: '' } as const;
    const story = working().calls('a', { id: 'complete' });
    story.turnEnds('a', { ok: false, failure });
    expect(story.task('a').attempt?.state).toMatchObject({ id: 'giving-up', failure });
  });

  test('is not outranked by a tool that it could do without', () => {
    const denied = { agent: 'x', message: '', tools: ['WebFetch'] };
    const failure = { kind: 'permission-denied', ...denied } as const;
    const story = working().calls('a', { id: 'complete' });
    expect(story.turnEnds('a', { ok: false, failure }).task('a').attempt?.state.id).toBe(
      'capturing',
    );
    const other = working().turnEnds('a', { ok: false, failure });
    expect(other.task('a').attempt?.state.id).toBe('giving-up');
  });

  test('is outranked by what is stronger', () => {
    const story = working().calls('a', { id: 'complete' }).calls('a', { id: 'ask', question: '?' });
    expect(story.turnEnds('a', nothing).task('a').attempt?.state.id).toBe('capturing');
    const other = working().calls('a', { id: 'gave-up', message: 'too hard' });
    other.turnEnds('a', says({ id: 'claim', ids: ['b'] }));
    expect(other.task('a').attempt?.state).toMatchObject({
      failure: { kind: 'agent-gave-up', message: 'too hard' },
    });
  });

  test('to be complete is stronger than giving up in words', () => {
    const story = working().calls('a', { id: 'complete' });
    const gaveUp = { kind: 'agent-gave-up', message: '' } as const;
    story.turnEnds('a', { ok: false, failure: gaveUp });
    expect(story.task('a').attempt?.state.id).toBe('capturing');
  });

  test('to claim is a word: the count of silent turns begins again', () => {
    const story = working();
    for (let turn = 1; turn <= 4; turn += 1) ends(story, nothing);
    story.calls('a', { id: 'claim', ids: ['x'] });
    ends(story, nothing);
    expect(turnReasonOf(story)).toEqual({ id: 'silent', times: 1, nudge: false });
  });

  test('says more than the mere end of a process', () => {
    const story = working().calls('a', { id: 'ask', question: 'Which?' });
    story.turnEnds('a', { ok: true, tail: '' });
    expect(story.task('a').attempt?.state).toMatchObject({ id: 'asking', question: 'Which?' });
  });

  test('after its turn has ended changes nothing', () => {
    const story = working().turnEnds('a', nothing);
    const before = story.task('a');
    story.calls('a', { id: 'complete' });
    expect(story.task('a')).toEqual(before);
  });
});

describe('a question', () => {
  const asked = () => working().turnEnds('a', says({ id: 'ask', question: 'Which port?' }));

  test('frees the slot for others and waits for the answer', () => {
    const story = asked();
    expect(story.task('a').attempt?.state).toMatchObject({ id: 'asking', question: 'Which port?' });
    expect(story.tasks(task('b')).commands()).toEqual(['claim b 1']);
  });

  test('goes back with the answer into the same conversation', () => {
    const story = asked().tell({
      type: 'task-decided',
      id: 'a',
      decision: { kind: 'answer', text: '8080' },
    });
    expect(turnReasonOf(story)).toEqual({ id: 'answer', question: 'Which port?', text: '8080' });
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('keeps the run for a while, then ends it with the question as the reason', () => {
    const story = asked();
    const since = story.now;
    expect(story.decide()).toEqual({ commands: [], wakeAt: since + limits.questionPatienceMs });
    story.now = since + limits.questionPatienceMs;
    expect(story.decide().commands).toEqual([
      {
        type: 'end-run',
        stop: { reason: 'question', failure: { kind: 'question-open', question: 'Which port?' } },
        seen: { tip: 'base' },
      },
    ]);
  });

  test('is waited for beside an approval', () => {
    const story = asked().tasks(task('b'));
    const since = story.now - 1;
    const violations = [{ kind: 'protected-path', file: 'ci.yml', pattern: 'ci.yml' }] as const;
    story.prepared('b', 2).works('b', 2, { violations }).works('b', 2, { violations });
    expect(story.task('b').attempt?.state.id).toBe('awaiting');
    expect(story.decide()).toEqual({ commands: [], wakeAt: since + limits.questionPatienceMs });
    expect(answerDeadline(story.record(), [])).toBe(0);
  });

  describe('with a time limit', () => {
    const ask = { timeoutMs: 5_000, onTimeout: 'decide' } as const;
    const limited = (onTimeout: 'decide' | 'block') =>
      new Story()
        .tasks(task('a'))
        .start({ jobs: 1, ask: { ...ask, onTimeout } })
        .prepared('a')
        .turn('a')
        .turnEnds('a', says({ id: 'ask', question: 'Which port?' }));

    test('is answered by the run when nobody has answered until then', () => {
      const story = limited('decide');
      const since = story.now;
      expect(story.decide()).toEqual({ commands: [], wakeAt: since + 5_000 });
      story.now = since + 4_999;
      expect(story.commands()).toEqual([]);
      story.now = since + 5_000;
      const [command] = story.decide().commands;
      expect(command).toEqual({
        type: 'answer-question',
        id: 'a',
        attempt: 1,
        text: 'Nobody answered within 5s. Decide yourself, and say in your last message what you assumed.',
      });
      const text = command?.type === 'answer-question' ? command.text : '';
      story.decided('a', { kind: 'answer', text, by: 'run' });
      expect(turnReasonOf(story)).toMatchObject({ id: 'answer', by: 'run' });
      expect(story.commands()).toEqual(['begin-turn a 1']);
    });

    test('blocks the task if the config says so, and its work is saved', () => {
      const story = limited('block');
      story.now += 5_000;
      const failure = { kind: 'question-unanswered', question: 'Which port?', ms: 5_000 } as const;
      expect(story.decide().commands).toEqual([{ type: 'give-up', id: 'a', attempt: 1, failure }]);
      const of = { run: 'r1', id: 'a', attempt: 1, failure };
      story.tell({ type: 'attempt-given-up', ...of });
      expect(story.commands()).toEqual(['save a 1']);
      story.tell({ type: 'attempt-failed', ...of });
      expect(story.task('a')).toMatchObject({ status: { id: 'blocked', failure }, failures: 0 });
      expect(story.decided('a', { kind: 'unblock' }).commands()).toEqual(['claim a 2']);
    });

    test('is waited for as long as that, also if it is longer than a run waits without one', () => {
      const story = limited('decide');
      const live = [story.task('a')];
      expect(answerDeadline(story.record(), live)).toBe(story.now + 5_000);
    });

    test('is left alone by a run that stops, and by an answer that came in time', () => {
      const stopping = limited('decide');
      stopping.now += 5_000;
      stopping.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'ym stop' });
      expect(stopping.commands()).toEqual(['end-run stop-asked']);
      const story = limited('decide').decided('a', { kind: 'answer', text: '8080' });
      story.now += 60_000;
      expect(turnReasonOf(story)).toEqual({ id: 'answer', question: 'Which port?', text: '8080' });
      // An answer of the run that comes too late changes nothing.
      story.decided('a', { kind: 'answer', text: 'late', by: 'run' });
      expect(turnReasonOf(story)).toMatchObject({ text: '8080' });
    });
  });

  test('that nobody asked has no answer', () => {
    const story = working();
    const before = story.task('a');
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'answer', text: 'no' } });
    expect(story.task('a')).toEqual(before);
  });
});

describe('the session of a conversation', () => {
  const usage = { input: 10, cacheRead: 5, cacheWrite: 0, output: 1, costUsd: 1 };

  test('is kept with what it has used', () => {
    const story = working();
    ends(story, { ...nothing, session: 's1', usage });
    ends(story, { ...nothing, usage });
    expect(story.task('a').attempt).toMatchObject({
      conversation: {
        session: {
          id: 's1',
          usage: { input: 20, cacheRead: 10, cacheWrite: 0, output: 2, costUsd: 2 },
        },
      },
    });
  });

  test('is forgotten when another agent takes over', () => {
    const story = working().turnEnds('a', { ...nothing, session: 's1', usage });
    story.turn('a', 1, { agent: 'other', model: 'm' });
    const { attempt } = story.task('a');
    expect(attempt).toMatchObject({ agent: 'other', conversation: { model: 'm' } });
    expect(attempt?.conversation.session).toBeUndefined();
  });

  test('that got lost is replaced by a new one once, and what was to be said is said again', () => {
    const lost = {
      kind: 'session-lost',
      agent: 'scripted',
      message: 'gone',
      session: 's1',
    } as const;
    const story = working();
    ends(story, { ...says({ id: 'claim', ids: ['x'] }), session: 's1' });
    story.turnEnds('a', { ok: false, failure: lost });
    expect(story.task('a').attempt?.conversation.session).toBeUndefined();
    expect(turnReasonOf(story)).toMatchObject({ id: 'paused', before: { id: 'claims' } });
    story.turn('a').turnEnds('a', { ok: false, failure: lost });
    expect(story.task('a').attempt?.state.id).toBe('giving-up');
  });

  test('that is full is replaced by a new one; a first prompt that is too long is not tried again', () => {
    const full = { kind: 'context-overflow', agent: 'scripted', message: 'too long' } as const;
    const story = working();
    ends(story, { ...nothing, session: 's1' });
    expect(story.turnEnds('a', { ok: false, failure: full }).task('a').attempt?.state.id).toBe(
      'between-turns',
    );
    const first = working().turnEnds('a', { ok: false, failure: full });
    first.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure: full });
    expect(first.task('a').status).toMatchObject({ id: 'failed', failure: full });
    expect(first.commands()).toEqual(['end-run drained']);
  });
});

describe('a task that plans', () => {
  test('is done with the tasks it filed', () => {
    const story = new Story().tasks(task('p', { type: 'plan' }), task('b', { after: ['p'] }));
    story
      .start()
      .prepared('p')
      .turn('p')
      .turnEnds('p', says({ id: 'complete' }));
    story.tell({ type: 'work-planned', run: 'r1', id: 'p', attempt: 1, filed: ['b'] });
    expect(story.task('p').status).toEqual({ id: 'skipped', reason: 'planned: b' });
    expect(story.task('p').attempt?.state).toEqual({ id: 'planned', filed: ['b'] });
    expect(story.commands()).toEqual(['claim b 1']);
  });
});

describe('a suggestion for the next tasks', () => {
  const newStory = () =>
    new Story().tasks(task('a'), task('b'), task('c'), task('d')).start({ jobs: 2 });

  test('puts them first, and never anything that is not ready', () => {
    const story = newStory()
      .prepared('a')
      .turn('a')
      .calls('a', { id: 'next', ids: ['z', 'd', 'a'] });
    expect(story.commands()).toEqual(['run-turn a 1', 'claim d 1']);
  });

  test('of the last words counts like a call, and an empty one changes nothing', () => {
    const story = newStory()
      .prepared('a')
      .turn('a')
      .turnEnds('a', { ...nothing, next: ['c'] });
    expect(story.commands()).toEqual(['begin-turn a 1', 'claim c 1']);
    const empty = newStory()
      .prepared('a')
      .turn('a')
      .turnEnds('a', { ...nothing, next: [] });
    expect(empty.commands()).toEqual(['begin-turn a 1', 'claim b 1']);
  });
});

describe('a turn that is killed from outside', () => {
  const failure = { kind: 'agent-exited', exit: 137, signal: 'SIGKILL', tail: '' } as const;

  test('is run again in the same conversation and costs its task nothing', () => {
    const story = working().turnEnds('a', { ok: false, failure, session: 's1' });
    const { attempt, starts, failures } = story.task('a');
    expect(attempt).toMatchObject({
      conversation: { session: { id: 's1' } },
      state: { id: 'between-turns', turnReason: { id: 'paused', failure } },
    });
    expect({ starts, failures }).toEqual({ starts: 1, failures: 0 });
    expect(story.record().slots).toMatchObject([{ errors: 0 }]);
    expect(story.record().spent.starts).toBe(0);
  });

  test('never fails its attempt, however often that happens; it only pauses longer', () => {
    const story = working();
    const rests: number[] = [];
    for (let kill = 1; kill <= 12; kill += 1) {
      story.turnEnds('a', { ok: false, failure });
      const { state } = story.task('a').attempt ?? {};
      expect(state).toMatchObject({ id: 'between-turns', turnReason: { failure } });
      rests.push((state?.id === 'between-turns' ? (state.until ?? 0) : 0) - story.now);
      story.turn('a');
    }
    expect(rests.every((ms, at) => at === 0 || ms >= (rests[at - 1] ?? 0))).toBe(true);
    expect(Math.max(...rests)).toBeLessThanOrEqual(limits.stepRetryMaxMs);
    expect(story.task('a')).toMatchObject({ failures: 0, status: { id: 'open' } });
  });

  test('is counted again after a turn that ended by itself', () => {
    const story = working();
    ends(story, { ok: false, failure });
    expect(story.record().pausedSteps).toMatchObject({ 'agent a 1': { times: 1 } });
    story.turnEnds('a', nothing);
    expect(story.record().pausedSteps).toEqual({});
  });
});
