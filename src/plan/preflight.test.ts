import { describe, expect, test } from 'vitest';
import { owner, red, Story, settings, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';

/** A run whose target has to pass the gate before an agent starts. */
function newStory(more: Partial<RunSettings> = {}, ...ids: readonly string[]): Story {
  const story = new Story().tasks(...(ids.length === 0 ? ['a', 'b'] : ids).map((id) => task(id)));
  return story.tell({
    type: 'run-started',
    run: story.run,
    owner,
    settings: settings({ jobs: 2, ...more }),
    base: 'base',
    preflight: 'base',
  });
}

const checkStarts = (story: Story, reason: 'preflight' | 'blame' = 'preflight', commit = 'base') =>
  story.tell({ type: 'target-check-started', run: story.run, commit, reason });

describe('the check of the target before the first agent', () => {
  test('runs while worktrees are prepared, and no agent starts before it has passed', () => {
    const story = newStory();
    expect(story.commands()).toEqual(['judge-target base', 'claim a 1', 'claim b 1']);
    checkStarts(story.prepared('a', 1).prepared('b', 2));
    expect(story.commands()).toEqual(['judge-target base']);
    story.targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1', 'begin-turn b 1']);
    expect(story.record().target).toMatchObject({ cleared: ['base'] });
    expect(story.record().target).not.toHaveProperty('check');
    expect(story.gateRuns().target).toBe(1);
  });

  test('is not made where there is nothing to start', () => {
    const story = new Story((one) => one.id === 'other').tasks(task('a'));
    story.tell({
      type: 'run-started',
      run: story.run,
      owner,
      settings: settings(),
      base: 'base',
      preflight: 'base',
    });
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('that is red ends the run, and costs no task a start', () => {
    const story = checkStarts(newStory().prepared('a', 1)).tell({
      type: 'attempt-started',
      run: 'r1',
      id: 'b',
      attempt: 1,
      slot: 2,
      fence: 1,
      agent: 'scripted',
      branch: 'yard/r1/b-1',
    });
    story.targetJudged(false);
    expect(story.commands()).toEqual(['halt', 'give-up a 1', 'give-up b 1']);
    for (const command of story.decide().commands) {
      if (command.type !== 'give-up') continue;
      const { id, attempt, failure } = command;
      const of = { run: 'r1', id, attempt, failure };
      story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
    }
    expect(story.decide().commands).toMatchObject([
      { type: 'halt' },
      { type: 'end-run', stop: { reason: 'environment', failure: { kind: 'target-red' } } },
    ]);
    const untouched = { status: { id: 'open' }, failures: 0, starts: 0 };
    expect(story.task('a')).toMatchObject(untouched);
    expect(story.task('b')).toMatchObject(untouched);
  });

  test.each([
    { kind: 'gate-not-run', where: 'target', cause: 'tsd: not found' },
    { kind: 'setup-failed', where: 'target', command: 'npm ci', exit: 1, tail: '', log: '' },
  ] as const)('that cannot be run because of $kind blames nobody either', (failure) => {
    const story = checkStarts(newStory({}, 'a').prepared('a'));
    const verdict = { id: 'not-run', failure } as const;
    const of = { run: 'r1', commit: 'base', tree: 't', gate: 'gate' };
    story.tell({ type: 'target-judged', ...of, verdict });
    const given = story.decide().commands.find(({ type }) => type === 'give-up');
    if (given?.type !== 'give-up') throw new Error(story.commands().join());
    expect(given.failure).toEqual({ kind: 'run-stopped', last: failure });
    const ended = { run: 'r1', id: 'a', attempt: 1, failure: given.failure };
    story.tell({ type: 'attempt-given-up', ...ended }, { type: 'attempt-failed', ...ended });
    expect(story.task('a')).toMatchObject({ status: { id: 'open' }, failures: 0 });
    expect(story.decide().commands).toMatchObject([
      { type: 'halt' },
      { type: 'end-run', stop: { reason: 'environment', failure } },
    ]);
  });

  test('lets agents that work already finish, where a resumed run finds its target red', () => {
    const story = newStory({}, 'a', 'b')
      .targetJudged(true)
      .prepared('a', 1)
      .turn('a')
      .prepared('b', 2);
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    story.targetJudged(false);
    expect(story.commands()).toEqual(['run-turn a 1']);
  });

  test('is ended by a stop, which waits for nothing else', () => {
    const story = checkStarts(newStory({}, 'a').prepared('a'));
    story.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' });
    expect(story.commands()).toEqual(['interrupt-target', 'give-up a 1']);
  });

  test('is followed after a crash, and begins again after a stop had ended it', () => {
    const story = checkStarts(newStory({}, 'a'));
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(story.record().target.check).toMatchObject({ number: 1 });
    story.tell({ type: 'target-check-ended', run: 'r1' });
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } });
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(story.record().target.check).toBeUndefined();
    expect(story.commands()[0]).toBe('judge-target base');
    expect(checkStarts(story).record().target.check).toMatchObject({ number: 2 });
  });

  test.each([
    { preflight: 'other', what: 'another commit', next: ['judge-target other', 'claim a 1'] },
    { what: 'no check', next: ['claim a 1'] },
  ])('is ended where a resumed run asks for $what, and its verdict has no effect', (to) => {
    const { preflight, next } = to;
    const story = checkStarts(newStory({}, 'a'));
    expect(story.decide().commands[0]).toMatchObject({ type: 'judge-target', outdated: false });
    story.tell({ type: 'run-resumed', run: 'r1', owner, ...(preflight && { preflight }) });
    expect(story.decide().commands.slice(0, 2)).toMatchObject([
      { type: 'interrupt-target', check: { commit: 'base', number: 1 } },
      { type: 'judge-target', check: { commit: 'base', resumed: true }, outdated: true },
    ]);
    story.targetJudged(false);
    expect(story.record().phase).toEqual({ id: 'running' });
    expect(story.record().target.check).toBeUndefined();
    expect(story.commands()).toEqual(next);
  });

  test('is known to have begun before the run was resumed, until it starts again', () => {
    const story = checkStarts(newStory({}, 'a'));
    expect(story.record().target.check).not.toHaveProperty('resumed');
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(story.decide().commands[0]).toMatchObject({ check: { resumed: true }, outdated: false });
    story.tell({ type: 'target-check-ended', run: 'r1' });
    expect(story.commands()).toEqual(['judge-target base', 'claim a 1']);
    expect(checkStarts(story).record().target.check).not.toHaveProperty('resumed');
  });

  test('is asked for again by a resumed run, and holds back reviews and further turns', () => {
    const story = newStory({}, 'a').targetJudged(true).prepared('a').works('a').judged('a', false);
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'other' });
    expect(story.commands()).toEqual(['judge-target other']);
    story.targetJudged(true, 'other');
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.tell({ type: 'run-resumed', run: 'r1', owner });
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('does not hold up the end of an attempt that a person cancels meanwhile', () => {
    const story = checkStarts(newStory({}, 'a', 'b').prepared('a'));
    story.decided('a', { kind: 'cancel', reason: 'no' });
    expect(story.commands()).toContain('give-up a 1');
  });

  test('is not needed any more once something has landed', () => {
    const story = new Story().tasks(task('a'), task('b')).start().queued('a').built('a');
    story.candidateJudged(true);
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(story.lands().commands()).toEqual(['claim b 1']);
  });
});

describe('commands of `run.before`', () => {
  const resumed = (story: Story): Story =>
    story.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base', before: true });

  test('go on while work lands, and count for it: it has passed the gate', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c')).start({ jobs: 2 });
    story.queued('a').built('a').candidateJudged(true);
    checkStarts(resumed(story).prepared('b', 2)).lands();
    story.queued('c').built('c').candidateJudged(true).lands();
    expect(story.decide().commands).toMatchObject([{ type: 'judge-target', outdated: false }]);
    story.targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn b 1']);
    expect(story.record().target?.preflight).toBeUndefined();
  });

  test('run on the newest commit if work lands before they start, or before a resumed run has ended the old ones', () => {
    const landing = () =>
      new Story().tasks(task('a'), task('b')).start().queued('a').built('a').candidateJudged(true);
    expect(resumed(landing()).prepared('b').lands().commands()).toEqual(['judge-target landing-a']);
    const story = resumed(checkStarts(resumed(landing()).prepared('b'))).lands();
    expect(story.commands()).toEqual(['interrupt-target', 'judge-target base']);
    story.tell({ type: 'target-check-ended', run: 'r1' });
    expect(story.commands()).toEqual(['judge-target landing-a']);
  });

  test('are not replaced by a landing after they have passed', () => {
    const story = new Story().tasks(task('a'), task('b')).start().queued('a').built('a');
    checkStarts(resumed(story.candidateJudged(true)))
      .targetJudged(true)
      .lands();
    expect(story.commands()).toEqual(['claim b 1']);
  });

  test.each(['blame', 'moved'] as const)('are not replaced by a gate for %s', (reason) => {
    const story = newStory({}, 'a').targetJudged(true).prepared('a');
    story.tell({ type: 'target-check-started', run: 'r1', commit: 'base', reason });
    resumed(story).targetJudged(true);
    expect(story.commands()).toEqual(['judge-target base']);
    checkStarts(story).targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('are not replaced by a stored verdict of the gate', () => {
    const story = resumed(newStory({}, 'a').prepared('a'));
    const verdict = { id: 'passed', ms: 1 } as const;
    const of = { run: 'r1', commit: 'base', tree: 't', gate: 'gate', verdict };
    story.tell({ type: 'target-judged', ...of, cached: true });
    expect(story.commands()).toEqual(['judge-target base']);
  });

  test('run on the new target if somebody else moves it meanwhile', () => {
    const story = checkStarts(resumed(newStory({}, 'a').prepared('a')));
    story.tell({ type: 'target-moved', run: 'r1', from: 'base', to: 'theirs' });
    expect(story.commands()).toContain('interrupt-target');
    story.tell({ type: 'target-check-ended', run: 'r1' });
    // Only the first of two such commands is performed.
    expect(story.decide().commands[0]).toMatchObject({ commit: 'theirs', reason: 'preflight' });
    checkStarts(story, 'preflight', 'theirs').targetJudged(true, 'theirs');
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('come before the agent that revises the plan, and run for it alone', () => {
    const gaveUp = { kind: 'agent-gave-up', message: 'too big' } as const;
    const story = newStory({ revision: { agent: 'scripted', apply: false } }, 'a');
    story.targetJudged(true).prepared('a').turn('a');
    story.turnEnds('a', { ok: true, tail: '', signal: { id: 'gave-up', message: 'too big' } });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure: gaveUp });
    expect(story.commands()).toEqual(['begin-revision']);
    expect(resumed(story).commands()).toEqual(['judge-target base']);
    checkStarts(story).targetJudged(true);
    expect(story.commands()).toEqual(['begin-revision']);
  });
});

describe('the check of the target before an agent is blamed', () => {
  const minute = 60_000;
  const recheckMs = 15 * minute;
  const judged = (story: Story) =>
    story.decide().commands.find(({ type }) => type === 'judge-target') ?? 'none';

  test('is not made while a gate has passed a short time ago', () => {
    const story = newStory({ recheckMs }, 'a').targetJudged(true);
    story.now += 14 * minute;
    story.prepared('a').works('a').judged('a', false);
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('runs the gate for real where the last green one is too old, and once for all that came back', () => {
    const story = newStory({ recheckMs }).targetJudged(true).prepared('a', 1).prepared('b', 2);
    story.now += 16 * minute;
    story.works('a', 1).judged('a', false).works('b', 2).judged('b', false);
    const check = { commit: 'base', reason: 'blame', fresh: true };
    expect(story.decide().commands).toMatchObject([check, check]);
    checkStarts(story, 'blame').targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1', 'begin-turn b 1']);
    story.turn('a').turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', false);
    expect(judged(story)).toBe('none');
    // Waiting long for a slot is no reason to run it again.
    story.now += 16 * minute;
    expect(judged(story)).toBe('none');
  });

  test('does not take a verdict from memory for proof', () => {
    const story = newStory({ recheckMs }, 'a');
    const verdict = { id: 'passed', ms: 1 } as const;
    const of = { run: 'r1', commit: 'base', tree: 't', gate: 'gate', verdict };
    story.tell({ type: 'target-judged', ...of, cached: true });
    story.prepared('a').works('a').judged('a', false);
    expect(judged(story)).toMatchObject({ commit: 'base', fresh: true });
  });

  test('counts a candidate that passed', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ recheckMs }).landed('a');
    story.prepared('b', 1, 'landing-a').works('b').judged('b', false);
    expect(story.commands()).toEqual(['begin-turn b 1']);
  });

  test('finds a target that the environment has turned red: nobody is blamed', () => {
    const story = newStory({ recheckMs }, 'a').targetJudged(true).prepared('a');
    story.now += 16 * minute;
    story.works('a').judged('a', false);
    checkStarts(story, 'blame').targetJudged(false);
    expect(story.decide().commands).toMatchObject([
      { type: 'give-up', failure: { kind: 'target-red', commit: 'base' } },
    ]);
    expect(story.record().target.cleared).toEqual([]);
    expect(story.task('a').attempt?.state).toMatchObject({ id: 'returned', failure: red });
  });
});
