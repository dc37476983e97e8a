import { describe, expect, test } from 'vitest';
import { owner, red, Story, settings, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';

/** A run whose target has to pass the gate before an agent starts. */
function story(more: Partial<RunSettings> = {}, ...ids: readonly string[]): Story {
  const told = new Story().tasks(...(ids.length === 0 ? ['a', 'b'] : ids).map((id) => task(id)));
  return told.tell({
    type: 'run-started',
    run: told.run,
    owner,
    settings: settings({ jobs: 2, ...more }),
    base: 'base',
    preflight: 'base',
  });
}

const checkStarts = (told: Story, reason: 'preflight' | 'blame' = 'preflight', commit = 'base') =>
  told.tell({ type: 'target-check-started', run: told.run, commit, reason });

describe('the check of the target before the first agent', () => {
  test('runs while worktrees are prepared, and no agent starts before it has passed', () => {
    const told = story();
    expect(told.says()).toEqual(['judge-target base', 'claim a 1', 'claim b 1']);
    checkStarts(told.prepared('a', 1).prepared('b', 2));
    expect(told.says()).toEqual(['judge-target base']);
    told.targetJudged(true);
    expect(told.says()).toEqual(['begin-turn a 1', 'begin-turn b 1']);
    expect(told.record()).toMatchObject({ gateRuns: { target: 1 }, clearedCommits: ['base'] });
    expect(told.record()).not.toHaveProperty('checking');
  });

  test('is not made where there is nothing to start', () => {
    const told = new Story((one) => one.id === 'other').tasks(task('a'));
    told.tell({
      type: 'run-started',
      run: told.run,
      owner,
      settings: settings(),
      base: 'base',
      preflight: 'base',
    });
    expect(told.says()).toEqual(['end-run drained']);
  });

  test('that is red ends the run, and costs no task a start', () => {
    const told = checkStarts(story().prepared('a', 1)).tell({
      type: 'attempt-started',
      run: 'r1',
      id: 'b',
      attempt: 1,
      slot: 2,
      fence: 1,
      agent: 'scripted',
      branch: 'yard/r1/b-1',
    });
    told.targetJudged(false);
    expect(told.says()).toEqual(['halt', 'give-up a 1', 'give-up b 1']);
    for (const command of told.decide().commands) {
      if (command.type !== 'give-up') continue;
      const { id, attempt, failure } = command;
      const of = { run: 'r1', id, attempt, failure };
      told.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
    }
    expect(told.decide().commands).toMatchObject([
      { type: 'halt' },
      { type: 'end-run', stop: { reason: 'environment', failure: { kind: 'target-red' } } },
    ]);
    const untouched = { status: { id: 'open' }, failures: 0, starts: { count: 0 } };
    expect(told.task('a')).toMatchObject(untouched);
    expect(told.task('b')).toMatchObject(untouched);
  });

  test.each([
    { kind: 'gate-not-run', where: 'target', cause: 'tsd: not found' },
    { kind: 'setup-failed', where: 'target', command: 'npm ci', exit: 1, tail: '', log: '' },
  ] as const)('that cannot be run because of $kind blames nobody either', (failure) => {
    const told = checkStarts(story({}, 'a').prepared('a'));
    const verdict = { id: 'not-run', failure } as const;
    const of = { run: 'r1', commit: 'base', tree: 't', gate: 'gate' };
    told.tell({ type: 'target-judged', ...of, verdict });
    const given = told.decide().commands.find(({ type }) => type === 'give-up');
    if (given?.type !== 'give-up') throw new Error(told.says().join());
    expect(given.failure).toEqual({ kind: 'run-stopped', last: failure });
    const ended = { run: 'r1', id: 'a', attempt: 1, failure: given.failure };
    told.tell({ type: 'attempt-given-up', ...ended }, { type: 'attempt-failed', ...ended });
    expect(told.task('a')).toMatchObject({ status: { id: 'open' }, failures: 0 });
    expect(told.decide().commands).toMatchObject([
      { type: 'halt' },
      { type: 'end-run', stop: { reason: 'environment', failure } },
    ]);
  });

  test('lets agents that work already finish, where a resumed run finds its target red', () => {
    const told = story({}, 'a', 'b').targetJudged(true).prepared('a', 1).turn('a').prepared('b', 2);
    told.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    told.targetJudged(false);
    expect(told.says()).toEqual(['run-turn a 1']);
  });

  test('is ended by a stop, which waits for nothing else', () => {
    const told = checkStarts(story({}, 'a').prepared('a'));
    told.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' });
    expect(told.says()).toEqual(['interrupt-target', 'give-up a 1']);
  });

  test('is followed after a crash, and begins again after a stop had ended it', () => {
    const told = checkStarts(story({}, 'a'));
    told.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(told.record().targetCheck).toMatchObject({ number: 1 });
    told.tell({ type: 'target-check-ended', run: 'r1' });
    told.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'cancelled' } });
    told.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(told.record().targetCheck).toBeUndefined();
    expect(told.says()[0]).toBe('judge-target base');
    expect(checkStarts(told).record().targetCheck).toMatchObject({ number: 2 });
  });

  test('is asked for again by a resumed run, and holds back reviews and further turns', () => {
    const told = story({}, 'a').targetJudged(true).prepared('a').works('a').judged('a', false);
    expect(told.says()).toEqual(['begin-turn a 1']);
    told.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'other' });
    expect(told.says()).toEqual(['judge-target other']);
    told.targetJudged(true, 'other');
    expect(told.says()).toEqual(['begin-turn a 1']);
    told.tell({ type: 'run-resumed', run: 'r1', owner });
    expect(told.says()).toEqual(['begin-turn a 1']);
  });

  test('does not hold up the end of an attempt that a person cancels meanwhile', () => {
    const told = checkStarts(story({}, 'a', 'b').prepared('a'));
    told.decided('a', { kind: 'cancel', reason: 'no' });
    expect(told.says()).toContain('give-up a 1');
  });

  test('is not needed any more once something has landed', () => {
    const told = new Story().tasks(task('a'), task('b')).start().queued('a').built('a');
    told.candidateJudged(true);
    told.tell({ type: 'run-resumed', run: 'r1', owner, preflight: 'base' });
    expect(told.lands().says()).toEqual(['claim b 1']);
  });
});

describe('the check of the target before an agent is blamed', () => {
  const minute = 60_000;
  const recheckMs = 15 * minute;
  const judged = (told: Story) =>
    told.decide().commands.find(({ type }) => type === 'judge-target') ?? 'none';

  test('is not made while a gate has passed a short time ago', () => {
    const told = story({ recheckMs }, 'a').targetJudged(true);
    told.now += 14 * minute;
    told.prepared('a').works('a').judged('a', false);
    expect(told.says()).toEqual(['begin-turn a 1']);
  });

  test('runs the gate for real where the last green one is too old, and once for all that came back', () => {
    const told = story({ recheckMs }).targetJudged(true).prepared('a', 1).prepared('b', 2);
    told.now += 16 * minute;
    told.works('a', 1).judged('a', false).works('b', 2).judged('b', false);
    const check = { commit: 'base', reason: 'blame', fresh: true };
    expect(told.decide().commands).toMatchObject([check, check]);
    checkStarts(told, 'blame').targetJudged(true);
    expect(told.says()).toEqual(['begin-turn a 1', 'begin-turn b 1']);
    told.turn('a').turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', false);
    expect(judged(told)).toBe('none');
    // Waiting long for a slot is no reason to run it again.
    told.now += 16 * minute;
    expect(judged(told)).toBe('none');
  });

  test('does not take a verdict from memory for proof', () => {
    const told = story({ recheckMs }, 'a');
    const verdict = { id: 'passed', ms: 1 } as const;
    const of = { run: 'r1', commit: 'base', tree: 't', gate: 'gate', verdict };
    told.tell({ type: 'target-judged', ...of, cached: true });
    told.prepared('a').works('a').judged('a', false);
    expect(judged(told)).toMatchObject({ commit: 'base', fresh: true });
  });

  test('counts a candidate that passed', () => {
    const told = new Story().tasks(task('a'), task('b')).start({ recheckMs }).landed('a');
    told.prepared('b', 1, 'landing-a').works('b').judged('b', false);
    expect(told.says()).toEqual(['begin-turn b 1']);
  });

  test('finds a target that the environment has turned red: nobody is blamed', () => {
    const told = story({ recheckMs }, 'a').targetJudged(true).prepared('a');
    told.now += 16 * minute;
    told.works('a').judged('a', false);
    checkStarts(told, 'blame').targetJudged(false);
    expect(told.decide().commands).toMatchObject([
      { type: 'give-up', failure: { kind: 'target-red', commit: 'base' } },
    ]);
    expect(told.record().clearedCommits).toEqual([]);
    expect(told.task('a').attempt?.state).toMatchObject({ id: 'returned', failure: red });
  });
});
