import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { gateStep, startStep } from '../model/run-record.ts';

const full: Failure = {
  kind: 'git-failed',
  args: ['add'],
  exit: 128,
  stderr: 'No space left on device',
};
const finished = () =>
  new Story()
    .tasks(task('a'), task('b'))
    .start({ jobs: 1 })
    .prepared('a')
    .turn('a')
    .turnEnds('a', { ok: true, tail: '' });
const paused = (story: Story, step = 'capture a 1', failure: Failure = full): Story =>
  story.tell({ type: 'step-paused', run: 'r1', step, failure });

/** Fails the step each time it is due, until the run ends over it. */
function failsOn(story: Story, step: string): Story {
  const end = story.now + 10 * limits.machinePatienceMs;
  while (story.now < end && !story.commands().includes('end-run environment')) {
    const { commands, wakeAt } = story.decide();
    if (commands.length > 0) paused(story, step);
    else story.now = wakeAt ?? end;
  }
  return story;
}

describe('a step that fails because of the machine', () => {
  test('is held back for a while, and then tried again', () => {
    const story = finished();
    expect(story.commands()).toEqual(['capture a 1']);
    paused(story);
    expect(story.commands()).toEqual([]);
    expect(story.decide().wakeAt).toBe(story.now + limits.stepRetryMs);
    story.now += limits.stepRetryMs;
    expect(story.commands()).toEqual(['capture a 1']);
    paused(story);
    expect(story.decide().wakeAt).toBe(story.now + 2 * limits.stepRetryMs);
  });

  test('does not hold up other work', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2 });
    story.prepared('a').turn('a').turnEnds('a', { ok: true, tail: '' });
    paused(story);
    expect(story.commands()).toEqual(['claim b 1']);
  });

  test('starts from the beginning after a success', () => {
    const story = paused(paused(finished()));
    story.tell({ type: 'step-resumed', run: 'r1', step: 'capture a 1' });
    expect(story.record().pausedSteps).toEqual({});
    paused(story);
    expect(story.record().pausedSteps['capture a 1']?.times).toBe(1);
  });

  test('ends the run when the trouble lasts, and finished work waits for a resumed run', () => {
    const story = failsOn(finished(), 'capture a 1');
    expect(story.decide().commands).toMatchObject([
      { type: 'end-run', stop: { reason: 'environment', failure: full } },
    ]);
    expect(story.record().pausedSteps['capture a 1']?.times).toBeGreaterThan(limits.stepTries);
    expect(story.task('a')).toMatchObject({ failures: 0, starts: 1, status: { id: 'open' } });
    const stop = { reason: 'environment', failure: full } as const;
    const owner = { pid: 2, startedAt: 'now', host: 'here' };
    story.tell({ type: 'run-ended', run: 'r1', stop }, { type: 'run-resumed', run: 'r1', owner });
    expect(story.commands()).toEqual(['capture a 1']);
  });

  test('ends the run at once over objects that are gone, which do not come back by themselves', () => {
    const failure: Failure = { kind: 'objects-missing', object: 'd'.repeat(40) };
    const story = paused(finished(), 'capture a 1', failure);
    expect(story.decide().commands).toMatchObject([{ type: 'end-run', stop: { failure } }]);
    expect(story.task('a')).toMatchObject({ failures: 0, status: { id: 'open' } });
  });

  test('ends the run also over an agent that is killed again and again, and its task stays open', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a');
    const failure: Failure = { kind: 'agent-lost', turn: 1 };
    for (let kill = 0; kill < 20; kill += 1) {
      story.turnEnds('a', { ok: false, failure });
      const { commands, wakeAt } = story.decide();
      if (commands.some(({ type }) => type === 'end-run')) break;
      expect(commands).toEqual([]);
      story.now = wakeAt ?? story.now;
      while (story.commands().length === 0) story.now = story.decide().wakeAt ?? story.now;
      if (story.commands().includes('end-run environment')) break;
      expect(story.commands()).toEqual(['begin-turn a 1']);
      story.turn('a');
    }
    expect(story.commands()).toEqual(['end-run environment']);
    expect(story.task('a')).toMatchObject({ failures: 0, starts: 1, status: { id: 'open' } });
    expect(story.record().spent.starts).toBe(0);
  });

  test('is waited for by a run that was asked to finish', () => {
    const story = paused(finished());
    story.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'a person' });
    expect(story.commands()).toEqual([]);
    story.now += limits.stepRetryMs;
    expect(story.commands()).toEqual(['capture a 1']);
  });
});

describe('while the disk is nearly full', () => {
  test('nothing new starts, and finished work is captured', () => {
    const story = paused(finished(), startStep);
    expect(story.commands()).toEqual(['capture a 1']);
    const idle = paused(new Story().tasks(task('a')).start({ jobs: 1 }), startStep);
    expect(idle.commands()).toEqual([]);
  });

  test('the run goes on by itself when there is room, and ends if there is none for long', () => {
    const story = paused(new Story().tasks(task('a')).start({ jobs: 1 }), startStep);
    expect(story.decide().wakeAt).toBe(story.now + limits.machinePatienceMs);
    const begun = story.now;
    story.now = begun + limits.machinePatienceMs;
    expect(story.commands()).toEqual(['end-run environment']);
    story.now = begun;
    story.tell({ type: 'step-resumed', run: 'r1', step: startStep });
    expect(story.commands()).toEqual(['claim a 1']);
  });
});

describe('a gate that failed on a full disk', () => {
  const low: Failure = { kind: 'no-space', dir: '/s', unit: 'bytes', free: 1, needed: 2 };
  const gating = () => new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').works('a');
  const notRun = (story: Story): Story => {
    const { tree = '' } = story.task('a').attempt?.captured ?? {};
    const gate = { run: 'r1', id: 'a', attempt: 1, tree, gate: 'gate', cached: false } as const;
    const verdict = { id: 'not-run', failure: low } as const;
    return paused(story.tell({ type: 'branch-judged', ...gate, verdict }), gateStep, low);
  };

  test('judged nothing: gates start again after a pause', () => {
    const story = gating();
    expect(story.commands()).toEqual(['begin-branch-gate a 1']);
    notRun(story);
    expect(story.commands()).toEqual([]);
    expect(story.decide().wakeAt).toBe(story.now + limits.stepRetryMs);
    story.now += limits.stepRetryMs;
    expect(story.commands()).toEqual(['begin-branch-gate a 1']);
    expect(story.task('a')).toMatchObject({ failures: 0, starts: 1, status: { id: 'open' } });
  });

  test('ends the run if it fails so again and again, and the branch is not judged', () => {
    const story = gating();
    for (let tries = 0; tries < 20 && story.commands()[0] !== 'skip-gate a 1'; tries += 1) {
      notRun(story);
      while (story.commands().length === 0) story.now = story.decide().wakeAt ?? story.now;
    }
    expect(story.record().pausedSteps[gateStep]?.times).toBeGreaterThan(limits.stepTries);
    expect(story.commands()).toEqual(['skip-gate a 1']);
  });
});
