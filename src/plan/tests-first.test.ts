import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Failure } from '../model/failure.ts';
import type { RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { TestsOutcome } from '../model/verdict.ts';

const stages = ['tests', 'work', 'gate', 'land'] as const;
const red: TestsOutcome = { id: 'red', tests: ['adds'], files: ['test/a.test.js'] };
const notRed: Failure = { kind: 'tests-not-red', found: 'passed', tests: [] };

/** A task whose tests are written first, up to its prepared worktree. */
function newStory(more: Partial<RunSettings> = {}, asked: Partial<Task> = {}): Story {
  const story = new Story().tasks(task('a', asked));
  story.start({ jobs: 1, pipelines: { default: stages }, ...more });
  return story.prepared('a');
}

const member = (name: string, more = {}) => ({ name, account: name, volunteers: false, ...more });

const of = { run: 'r1', id: 'a', attempt: 1 };
const attempt = (story: Story) => story.task('a').attempt;

function judged(story: Story, tests: TestsOutcome): Story {
  const state = attempt(story)?.state;
  const tree = state?.id === 'gating' ? state.tree : '';
  const verdict =
    tests.id === 'red'
      ? ({ id: 'failed', ms: 1, failure: notRed } as const)
      : ({ id: 'passed', ms: 1 } as const);
  const gate = { tree, gate: 'gate', verdict, cached: false, tests };
  return story.tell({ type: 'branch-judged', ...of, ...gate });
}

describe('work that the commands of the user refuse', () => {
  test('goes back to its agent, before any rule is looked at', () => {
    const failure = { kind: 'finish-failed', command: 'f', exit: 1, tail: '', log: '' } as const;
    const violations = [{ kind: 'protected-path', file: 'x', pattern: 'x' }] as const;
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a');
    story.turnEnds('a', { ok: true, tail: '' });
    const made = { commit: 'c', tree: 't', by: 'engine', violations, failure } as const;
    story.tell({ type: 'work-captured', ...of, ...made });
    expect(attempt(story)?.state).toEqual({ id: 'returned', failure });
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });
});

describe('tests that are written first', () => {
  test('always have a gate of their own, and make a turn that is no return if they fail', () => {
    const story = newStory({ branchGate: 'never' }).works('a');
    expect(story.commands()).toEqual(['begin-branch-gate a 1']);
    judged(story, red);
    expect(attempt(story)).toMatchObject({
      testsFirst: { id: 'red', agent: 'scripted', commit: 'a-1-1', tests: ['adds'] },
      state: { id: 'between-turns', turnReason: { id: 'tests-red', files: ['test/a.test.js'] } },
    });
    story.turnStarts('a');
    expect(attempt(story)).toMatchObject({ returns: { count: 0, reds: 0 } });
    expect(story.task('a').starts).toBe(1);
    // The work itself passes the stages as always.
    story.turnEnds('a', { ok: true, tail: '' }).captured('a');
    expect(story.commands()).toEqual(['skip-gate a 1']);
  });

  test('go back to their agent if they do not fail as they should', () => {
    const story = judged(newStory().works('a'), { id: 'refused', failure: notRed });
    expect(attempt(story)).toMatchObject({
      testsFirst: { id: 'writing' },
      state: { id: 'returned', failure: notRed },
    });
    // The target is not to blame.
    expect(story.commands()).toEqual(['begin-turn a 1']);
    judged(story.turnStarts('a').turnEnds('a', { ok: true, tail: '' }).captured('a'), red);
    expect(attempt(story)?.returns.because).toEqual(notRed);
    expect(attempt(story.turnStarts('a'))?.returns.because).toBeUndefined();
  });

  test('are judged after a person approved them, and are never queued without a verdict', () => {
    const violations = [{ kind: 'protected-path', file: 'x', pattern: 'x' }] as const;
    const story = newStory().works('a', 1, { violations });
    expect(attempt(story)?.state.id).toBe('awaiting');
    story.decided('a', { kind: 'approve' });
    expect(attempt(story)?.state).toMatchObject({ id: 'gating', commit: 'a-1-1' });
    expect(attempt(story)?.state).not.toHaveProperty('slot');
    expect(story.commands()).toEqual(['begin-branch-gate a 1']);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'test' });
    expect(story.commands().join()).not.toContain('skip-gate');
  });

  test('leave the work one chance of its own to follow the rules', () => {
    const violations = [{ kind: 'tests-first', file: 'x', what: 'not-a-test' }] as const;
    const changed = [{ kind: 'tests-first', file: 'x', what: 'test-changed' }] as const;
    const story = newStory({ retries: 9, returns: 9 }).works('a', 1, { violations });
    expect(attempt(story)?.state.id).toBe('returned');
    judged(story.works('a'), red).works('a', 1, { violations: changed });
    expect(attempt(story)?.state.id).toBe('returned');
    story.works('a', 1, { violations: changed });
    expect(attempt(story)?.state).toMatchObject({
      id: 'awaiting',
      failure: { because: 'rules', violations: changed },
    });
  });

  test('may be changed with the approval of a person, which later work is compared with', () => {
    const violations = [{ kind: 'tests-first', file: 'x', what: 'test-changed' }] as const;
    const story = judged(newStory({ retries: 9, returns: 9 }).works('a'), red);
    story.works('a', 1, { violations }).works('a', 1, { violations });
    expect(attempt(story)).toMatchObject({
      state: { id: 'awaiting' },
      testsFirst: { commit: 'a-1-1' },
    });
    story.decided('a', { kind: 'approve' });
    expect(attempt(story)?.testsFirst).toMatchObject({ id: 'red', commit: 'a-1-3' });
  });

  test('are followed by the agent of the task, also after a person held the work in between', () => {
    const agentPool = [member('scripted'), member('tester')];
    const story = judged(newStory({ agentPool, tester: 'tester' }).works('a'), red);
    const by = { pid: 7, startedAt: 'now', host: 'here' };
    const agents = () => story.decide().commands.map((one) => 'agent' in one && one.agent);
    const before = agents();
    story.decided('a', { kind: 'hold', attempt: 1, by }).decided('a', { kind: 'release', by });
    expect([before, agents()]).toEqual([['scripted'], ['scripted']]);
  });

  test('are written by the agent that the config names, with its own model', () => {
    const agentPool = [member('scripted'), member('tester', { model: 'small' })];
    const models = { default: 'big' };
    const story = newStory({ agent: 'scripted', tester: 'tester', agentPool, models });
    const begun = () => story.decide().commands.find(({ type }) => type === 'begin-turn');
    expect(begun()).toMatchObject({ agent: 'tester', model: 'small' });
    story.turnStarts('a').turnEnds('a', { ok: true, tail: '', session: 's' }).captured('a');
    judged(story, red);
    expect(begun()).toMatchObject({ agent: 'scripted', model: 'big' });
    story.turnStarts('a');
    expect(attempt(story)).toMatchObject({ agent: 'scripted' });
    // The other agent's conversation is not continued.
    expect(attempt(story)?.conversation.session).toBeUndefined();
  });

  test('are not asked of tasks that only file others, of other types, or of a person', () => {
    expect(attempt(newStory({}, { type: 'plan' }))?.testsFirst).toBeUndefined();
    const pipelines = { default: stages, docs: ['work', 'land'] } as const;
    expect(attempt(newStory({ pipelines }, { type: 'docs' }))?.testsFirst).toBeUndefined();
    const story = new Story().tasks(task('a')).start({ pipelines: { default: stages } });
    story.decided('a', { kind: 'hand-in', commit: 'mine', ref: 'mine' });
    expect(attempt(story.prepared('a'))?.testsFirst).toBeUndefined();
  });
});
