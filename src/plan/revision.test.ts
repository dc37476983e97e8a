import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { batchLimits } from '../model/batch.ts';
import { noRevisions, type RevisionOutcome, revisionLimits } from '../model/revision.ts';
import type { RunSettings } from '../model/run.ts';
import { awaitedDecisions } from './wait-or-stop.ts';

const revision = { agent: 'architect', apply: false };
const gaveUp = { kind: 'agent-gave-up', message: 'There is no field' } as const;

/** The agent of a gives up. */
function started(more: Partial<RunSettings> = {}): Story {
  const story = new Story()
    .tasks(task('a'), task('b', { after: ['a'] }))
    .start({ revision, ...more })
    .prepared('a')
    .turn('a');
  return giveUp(story, 'a');
}

function giveUp(story: Story, id: string): Story {
  const { run } = story;
  const of = { run, id, attempt: story.task(id).attempt?.number ?? 1 };
  return story
    .turnEnds(id, { ok: true, tail: '', signal: { id: 'gave-up', message: gaveUp.message } })
    .tell({ type: 'attempt-failed', ...of, failure: gaveUp });
}

const asked = (story: Story): Story =>
  story.tell({ type: 'revision-started', run: story.run, id: 'a', call: 1, agent: 'architect' });

const answered = (story: Story, outcome: RevisionOutcome, call = 1): Story =>
  story.tell({
    type: 'plan-proposed',
    run: story.run,
    id: 'a',
    call,
    agent: 'architect',
    outcome,
    usage: { input: 7, cacheRead: 0, cacheWrite: 0, output: 1 },
  });

const changes = {
  id: 'proposed',
  added: [task('field')],
  changed: [task('a', { after: ['field'] })],
  canceled: [{ id: 'b', reason: 'needless' }],
} as const;

describe('an agent that gives up', () => {
  test('is followed by a question about the plan, and its task is not tried again meanwhile', () => {
    const story = started();
    expect(story.task('a').status).toMatchObject({ id: 'failed', failure: gaveUp });
    expect(story.commands()).toEqual(['begin-revision']);
    asked(story);
    expect(story.decide().commands).toMatchObject([
      { type: 'revise-plan', call: 1, task: 'a', message: gaveUp.message, wanted: true },
    ]);
  });

  test('asks nothing if revisions are off, or the run has had too many', () => {
    const off = new Story().tasks(task('a')).start().prepared('a').turn('a');
    expect(giveUp(off, 'a').commands()).toEqual(['claim a 2']);
    const story = new Story().tasks(task('a')).start({ revision }).prepared('a').turn('a');
    const full = Array.from({ length: revisionLimits.perRun }, (_, at) => `t${at}`);
    story.state.putRun({ ...story.record(), revisions: { ...noRevisions, asked: full } });
    expect(giveUp(story, 'a').commands()).toEqual(['claim a 2']);
  });

  test('asks no more if a person decides about the task first, and stops the agent that was asked', () => {
    const early = started().decided('a', { kind: 'retry' });
    expect(early.commands()).toEqual(['claim a 2']);
    const late = asked(started()).decided('a', { kind: 'retry' });
    expect(late.commands()).toEqual(['claim a 2', 'revise-plan', 'interrupt-revision']);
    expect(answered(late, changes).task('a').status).toEqual({ id: 'open' });
  });

  test('asks nothing more while the run ends', () => {
    const story = started().tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'a test' });
    expect(story.commands()).toEqual(['end-run stop-asked']);
  });
});

describe('a task whose plan is to be revised by an agent that cannot start now', () => {
  const resetAt = 61_000;

  /** The architect has no quota left, and the agent that takes over from it gives up. */
  function withoutQuota(more: Partial<RunSettings> = {}): Story {
    const failure = { kind: 'quota-exhausted', agent: 'architect', message: '', resetAt } as const;
    const story = new Story()
      .tasks(task('a'))
      .start({ revision, agent: 'architect', fallback: { agent: 'spare', cooldown: 2 }, ...more })
      .prepared('a', 1, 'base', 'architect')
      .turn('a')
      .turnEnds('a', { ok: false, failure })
      .turn('a', 1, { agent: 'spare' });
    return giveUp(story, 'a');
  }

  test('keeps the run waiting until the quota is back, as for any other agent', () => {
    const story = withoutQuota();
    expect(story.decide()).toEqual({ commands: [], wakeAt: resetAt });
    story.now = resetAt;
    expect(story.commands()).toEqual(['begin-revision']);
  });

  test('ends the run because of the quota if that takes too long', () => {
    expect(withoutQuota({ quotaWaitMs: 1_000 }).commands()).toEqual(['end-run quota']);
  });

  test('ends the run because of a budget that does not cover the call', () => {
    const used = { input: 60, cacheRead: 0, cacheWrite: 0, output: 0 };
    const story = new Story().tasks(task('a')).start({ revision, tokens: 100 }).prepared('a');
    story
      .turn('a')
      .turnEnds('a', { ok: true, tail: '', usage: used, signal: { id: 'gave-up', message: 'no' } })
      .tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure: gaveUp });
    expect(story.commands()).toEqual(['end-run budget-tokens']);
  });
});

describe('a proposed revision', () => {
  const proposed = () => answered(asked(started()), changes);

  test('blocks the task until a person decides, and is paid for', () => {
    const story = proposed();
    expect(story.task('a').status).toMatchObject({
      id: 'blocked',
      failure: { kind: 'revision-proposed', changes: ['+ field', '~ a', '- b'] },
    });
    expect(story.record()).toMatchObject({
      spent: { tokens: 8 },
      revisions: { asked: ['a'], spent: [{ agent: 'architect', calls: 1 }] },
    });
  });

  test('opens the task again when it is accepted, and forgives its failures', () => {
    const story = proposed().tell(
      { type: 'task-added', task: task('field') },
      { type: 'task-changed', task: task('a', { after: ['field'] }) },
      { type: 'task-decided', id: 'a', decision: { kind: 'approve' } },
    );
    expect(story.task('a')).toMatchObject({ status: { id: 'open' }, failures: 0, blockers: 1 });
    expect(story.commands()).toEqual(['claim field 1']);
  });

  test('opens the task again when it is rejected; a second time no agent is asked', () => {
    const story = proposed().decided('a', { kind: 'reject', reason: 'no' });
    expect(story.task('a')).toMatchObject({ status: { id: 'open' }, failures: 1 });
    story.prepared('a').turn('a');
    expect(giveUp(story, 'a').commands()).not.toContain('begin-revision');
  });

  test('without changes, or without an answer, leaves the task as usual', () => {
    for (const outcome of [
      { id: 'unchanged' },
      { id: 'failed', failure: { kind: 'agent-exited', exit: 1, tail: '' } },
    ] as const) {
      const story = answered(asked(started()), outcome);
      expect(story.task('a').status).toEqual({ id: 'open' });
      expect(story.commands()).toEqual(['claim a 2']);
    }
  });
});

describe('an agent that is killed from outside while it revises the plan', () => {
  const killed = { id: 'failed', failure: { kind: 'agent-lost', turn: 1 } } as const;
  const begin = (story: Story) => story.decide().commands.find(isBegin);
  const isBegin = ({ type }: { readonly type: string }): boolean => type === 'begin-revision';

  test('is asked again, and its task waits', () => {
    const story = answered(asked(started()), killed);
    expect(story.task('a').status).toMatchObject({ id: 'failed', failure: gaveUp });
    expect(begin(story)).toMatchObject({ call: 2, task: 'a', agent: 'architect' });
    story.tell({ type: 'revision-started', run: 'r1', id: 'a', call: 2, agent: 'architect' });
    answered(story, changes, 2);
    expect(story.task('a').status).toMatchObject({ id: 'blocked' });
    // One proposal for a person to decide, however often the agent was asked.
    expect(awaitedDecisions(story.state, story.record(), [])).toMatchObject({ approvals: 1 });
  });

  test('is asked a bounded number of times; then the task is tried as usual', () => {
    const story = asked(started());
    for (let call = 1; call <= batchLimits.callRestarts; call += 1) {
      expect(begin(answered(story, killed, call))).toMatchObject({ call: call + 1 });
      const next = { run: 'r1', id: 'a', call: call + 1, agent: 'architect' };
      story.tell({ type: 'revision-started', ...next });
    }
    answered(story, killed, batchLimits.callRestarts + 1);
    expect(story.commands()).toEqual(['claim a 2']);
  });

  test('is not asked again if a person has decided about the task', () => {
    const story = asked(started()).decided('a', { kind: 'retry' });
    expect(answered(story, killed).commands()).toEqual(['claim a 2']);
  });
});
