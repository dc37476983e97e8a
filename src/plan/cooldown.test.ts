import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Failure } from '../model/failure.ts';
import type { PoolMember } from '../model/run.ts';

const agentPool: readonly PoolMember[] = [
  { name: 'own', account: 'x', volunteers: true, model: 'opus' },
  { name: 'spare', account: 'y', volunteers: false, model: 'gpt' },
];
const broke: Failure = { kind: 'agent-error', agent: 'own', message: 'broke' };
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

function started(cooldown = 3): Story {
  return new Story()
    .tasks(...ids.map((id) => task(id)))
    .start({ jobs: 1, agent: 'own', agentPool, fallback: { agent: 'spare', cooldown } });
}

/** Takes the task that is decided next, with the agent that is decided, and ends its turn. */
function next(story: Story, ok: boolean): string {
  const [command] = story.decide().commands;
  if (command?.type !== 'claim') throw new Error(`decided ${command?.type}`);
  const { id, agent } = command;
  story.prepared(id, 1, 'base', agent).turn(id, 1, { agent });
  story.turnEnds(id, ok ? { ok: true, tail: '' } : { ok: false, failure: broke });
  const of = { run: 'r1', id, attempt: story.task(id).attempts };
  story.tell({ type: 'attempt-failed', ...of, failure: { kind: 'no-changes', tail: '' } });
  story.tell({ type: 'task-decided', id, decision: { kind: 'skip', reason: 'told' } });
  return agent;
}

describe('the fallback', () => {
  test('gets everything after one error, until it has succeeded as often as the cooldown says', () => {
    const story = started();
    const outcomes = [true, false, true, true, true, true, true];
    expect(outcomes.map((ok) => next(story, ok))).toEqual([
      ...['own', 'own', 'spare', 'spare', 'spare', 'own', 'own'],
    ]);
  });

  test('starts to count again with an error of its own', () => {
    const story = started(2);
    const outcomes = [false, true, false, true, true, true];
    expect(outcomes.map((ok) => next(story, ok))).toEqual([
      ...['own', 'spare', 'spare', 'spare', 'spare', 'own'],
    ]);
  });

  test('is needed again when the one trial fails', () => {
    const story = started(1);
    expect([false, true, false, true, true].map((ok) => next(story, ok))).toEqual([
      ...['own', 'spare', 'own', 'spare', 'own'],
    ]);
  });

  test('closes no slot while it is needed', () => {
    const story = started();
    for (let times = 1; times <= 8; times += 1) next(story, false);
    expect(story.record().slots).toMatchObject([{ errors: 0 }]);
  });

  test('lets one trial go at a time', () => {
    const story = new Story().tasks(...ids.map((id) => task(id))).start({
      jobs: 3,
      agent: 'own',
      agentPool,
      fallback: { agent: 'spare', cooldown: 1 },
    });
    next(story, false);
    story.prepared('b', 1, 'base', 'spare').works('b');
    const agents = story
      .decide()
      .commands.flatMap((command) => (command.type === 'claim' ? [command.agent] : []));
    expect(agents).toEqual(['own', 'spare']);
  });

  test('takes over a conversation that was cut short, with its own model', () => {
    const story = started();
    const failure: Failure = { kind: 'quota-exhausted', agent: 'own', message: '', resetAt: 1e9 };
    story.prepared('a', 1, 'base', 'own').turn('a').turnEnds('a', { ok: false, failure });
    expect(story.decide().commands).toEqual([
      { type: 'begin-turn', id: 'a', attempt: 1, turn: 2, slot: 1, agent: 'spare', model: 'gpt' },
    ]);
  });

  test('works on while the account of the other is paused, however often it has succeeded', () => {
    const story = started(1);
    const failure: Failure = { kind: 'quota-exhausted', agent: 'own', message: '', resetAt: 1e9 };
    story.prepared('a', 1, 'base', 'own').turn('a').turnEnds('a', { ok: false, failure });
    story.turn('a', 1, { agent: 'spare' }).turnEnds('a', { ok: true, tail: '' });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure: broke });
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'skip', reason: 'told' } });
    expect([true, true, true].map((ok) => next(story, ok))).toEqual(['spare', 'spare', 'spare']);
    story.now = 1e9;
    expect([true, true].map((ok) => next(story, ok))).toEqual(['own', 'own']);
  });

  test('that cannot work itself leaves the work to the first', () => {
    const story = started(3);
    expect(next(story, false)).toBe('own');
    const auth: Failure = { kind: 'provider-auth', agent: 'spare', message: '' };
    story.prepared('b', 1, 'base', 'spare').turn('b', 1, { agent: 'spare' });
    story.turnEnds('b', { ok: false, failure: auth });
    expect(story.decide().commands).toMatchObject([{ type: 'begin-turn', id: 'b', agent: 'own' }]);
  });

  test('has as many turns at once as it may, whoever it works for', () => {
    const pair = agentPool.map((one) => (one.name === 'spare' ? { ...one, count: 1 } : one));
    const story = new Story().tasks(...ids.map((id) => task(id))).start({
      jobs: 3,
      agent: 'own',
      agentPool: pair,
      fallback: { agent: 'spare', cooldown: 3 },
    });
    next(story, false);
    story.prepared('b', 2, 'base', 'own');
    const agents = story.decide().commands.map((command) => 'agent' in command && command.agent);
    expect(agents.filter((agent) => agent === 'spare')).toHaveLength(1);
  });

  test('gets what would end the same with the first', () => {
    const story = started();
    const failure: Failure = { kind: 'model-unknown', agent: 'own', message: 'no such model' };
    story.prepared('a', 1, 'base', 'own').turn('a').turnEnds('a', { ok: false, failure });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(story.decide().commands).toMatchObject([{ type: 'claim', id: 'a', agent: 'spare' }]);
  });

  test('is no matter of red work, of giving up or of an end that a person asked for', () => {
    const failures: Failure[] = [
      { kind: 'agent-gave-up', message: '' },
      { kind: 'interrupted', by: 'a person' },
      { kind: 'no-changes', tail: '' },
      { kind: 'agent-limit', agent: 'own', message: '', limit: 'turns' },
    ];
    for (const failure of failures) {
      const story = started().prepared('a', 1, 'base', 'own').turn('a');
      expect(
        story.turnEnds('a', { ok: false, failure }).record().accounts.cooldown,
      ).toBeUndefined();
    }
  });

  test('that is not configured changes nothing', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, agent: 'own', agentPool });
    story.prepared('a', 1, 'base', 'own').turn('a').turnEnds('a', { ok: false, failure: broke });
    expect(story.record().accounts.cooldown).toBeUndefined();
  });
});
