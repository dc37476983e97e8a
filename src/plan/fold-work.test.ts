import { describe, expect, test } from 'vitest';
import { red, Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { troubleIn } from '../model/run-record.ts';
import type { Tampering, Violation } from '../model/violation.ts';

const tooLarge: Violation = { kind: 'too-large', what: 'files', value: 9, limit: 3 };
const skipped: Violation = { kind: 'test-skipped', file: 'a.test.ts', line: 'test.skip()' };
const guarded: Violation = { kind: 'protected-path', file: 'ci.yml', pattern: 'ci.yml' };
const shim: Violation = { kind: 'gate-changed', file: 'package.json', what: 'scripts.test' };
const hook: Tampering = { kind: 'git-hook', name: 'pre-commit' };
const edited: Tampering = { kind: 'checkout-changed', dir: '/repo', files: ['a'] };

const of = { run: 'r1', id: 'a', attempt: 1 };

function newStory(more: Partial<RunSettings> = {}): Story {
  return new Story()
    .tasks(task('a'))
    .start({ jobs: 1, ...more })
    .prepared('a');
}

const breaking = (story: Story, ...violations: readonly Violation[]): Story =>
  story.works('a', 1, { violations });

/** A turn in which things outside of the worktree changed. */
const tamperings = (story: Story, ...found: readonly Tampering[]): Story => {
  story.turn('a').tell({ type: 'tampering-seen', ...of, turn: 1, found });
  return story.turnEnds('a', { ok: true, tail: '' }).captured('a');
};

const state = (story: Story) => story.task('a').attempt?.state;

describe('captured work', () => {
  test('goes to its gate, with what it changes', () => {
    const changes = { files: ['x'], count: 1, added: 2, removed: 0 };
    const story = newStory().works('a', 1, { changes, resolves: 'b' });
    expect(state(story)).toMatchObject({ id: 'gating', slot: 1, commit: 'a-1-1' });
    expect(story.task('a').attempt).toMatchObject({ captured: { changes, resolves: 'b' } });
  });

  test('forgets what was known of the work before it', () => {
    const story = newStory().works('a');
    story.tell({ type: 'conflict-predicted', ...of, with: 'b', files: ['x'] });
    story.tell({ type: 'gate-skipped', ...of, tree: 'tree-a-1-1', reason: 'x' });
    expect(story.task('a').attempt?.captured).toMatchObject({ clashes: ['b'], judged: false });
    story.tell({
      type: 'merge-refused',
      ...of,
      failure: { kind: 'conflict', files: ['x'], target: 't', branch: 'b' },
    });
    story.works('a');
    expect(story.task('a').attempt?.captured?.clashes).toEqual([]);
  });

  test('counts as not judged by itself until it was', () => {
    const story = newStory().works('a');
    expect(story.task('a').attempt?.captured?.judged).toBe(false);
    story.judged('a', true);
    expect(story.task('a').attempt?.captured?.judged).toBe(true);
  });

  test('is taken only from where it was made', () => {
    const story = newStory();
    const before = story.task('a');
    expect(story.captured('a').task('a')).toEqual(before);
  });
});

describe('work that breaks a rule', () => {
  test('goes back to its agent once, with what it broke', () => {
    const story = breaking(newStory(), tooLarge, skipped);
    expect(state(story)).toEqual({
      id: 'returned',
      failure: { kind: 'rules-broken', violations: [tooLarge, skipped] },
    });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.turn('a');
    expect(state(story)).toMatchObject({
      turnReason: { id: 'returned', failure: { kind: 'rules-broken' } },
    });
  });

  test('is not taken for a fault of the target', () => {
    expect(breaking(newStory(), tooLarge).commands()).not.toContain('judge-target base');
  });

  test('is left to a person the second time, with what it breaks now', () => {
    const story = breaking(breaking(newStory(), tooLarge), skipped);
    expect(state(story)).toMatchObject({
      id: 'awaiting',
      commit: 'a-1-2',
      failure: { kind: 'approval-needed', because: 'rules', violations: [skipped] },
    });
    expect(story.commands()).toEqual(['end-run question']);
  });

  test('goes on where the agent has fixed it', () => {
    const story = breaking(newStory(), tooLarge).works('a');
    expect(state(story)).toMatchObject({ id: 'gating' });
  });

  test('is left to a person at once where only a person may permit it', () => {
    for (const violation of [guarded, shim]) {
      expect(state(breaking(newStory(), violation, tooLarge))).toMatchObject({
        id: 'awaiting',
        failure: { because: 'rules', violations: [violation, tooLarge] },
      });
    }
  });

  test('is left to a person where its agent has no start left', () => {
    expect(state(breaking(newStory({ retries: 0 }), tooLarge))).toMatchObject({ id: 'awaiting' });
  });

  test('is counted, so that later attempts of the agent are not told again without end', () => {
    const story = breaking(newStory({ retries: 9 }), tooLarge)
      .works('a')
      .judged('a', false);
    story.targetJudged(true);
    expect(state(breaking(story, tooLarge))).toMatchObject({ id: 'awaiting' });
  });
});

describe('what a person says about work that breaks a rule', () => {
  test('approved it goes on to its review, and is not held up by its gate or the rule', () => {
    const story = breaking(newStory(), guarded).decided('a', { kind: 'approve' });
    expect(state(story)).toMatchObject({ id: 'queued', commit: 'a-1-1' });
    const review = { reviewers: ['r'], person: false, rounds: 1, retries: 0 };
    const reviewed = breaking(newStory({ review }), guarded).decided('a', { kind: 'approve' });
    expect(state(reviewed)).toMatchObject({ id: 'unreviewed' });
  });

  test('approved it need not be approved again after its review', () => {
    const review = { reviewers: [], person: true, rounds: 1, retries: 0 };
    const story = breaking(newStory({ review }), guarded).decided('a', { kind: 'approve' });
    expect(state(story)).toMatchObject({ id: 'queued' });
  });

  test('approved it may be captured again as it is', () => {
    const story = breaking(newStory(), guarded).decided('a', { kind: 'approve' });
    const failure = { ...red, where: 'candidate' } as const;
    story.built('a').tell({
      type: 'candidate-judged',
      run: 'r1',
      candidate: 'c1',
      tree: 't',
      gate: 'gate',
      verdict: { id: 'failed', ms: 1, failure },
      cached: false,
    });
    story.targetJudged(true).turn('a').turnEnds('a', { ok: true, tail: '' });
    story.captured('a', { commit: 'a-1-1', violations: [guarded] });
    expect(state(story)).toMatchObject({ id: 'gating', commit: 'a-1-1' });
  });

  test('other work is not approved with it', () => {
    const story = breaking(newStory(), guarded).decided('a', { kind: 'approve' });
    story.built('a').candidateJudged(false).targetJudged(true);
    expect(state(breaking(story, guarded))).toMatchObject({ id: 'awaiting', commit: 'a-1-2' });
  });

  test('rejected it goes back to the agent with the reason', () => {
    const story = breaking(newStory(), guarded).decided('a', {
      kind: 'reject',
      reason: 'leave CI',
    });
    expect(state(story)).toEqual({
      id: 'between-turns',
      turnReason: { id: 'rejected', reason: 'leave CI' },
    });
  });
});

describe('a turn that changed things outside of its worktree', () => {
  test('leaves its work to a person, whatever the work is', () => {
    const story = tamperings(newStory(), hook, edited);
    expect(state(story)).toMatchObject({
      id: 'awaiting',
      failure: { kind: 'approval-needed', because: 'tampering', found: [hook] },
    });
  });

  test('is only reported if the user may have caused it', () => {
    const story = tamperings(newStory(), edited);
    expect(state(story)).toMatchObject({ id: 'gating' });
    expect(story.task('a').attempt?.tampering).toEqual([]);
  });

  test('ends the run if objects of the repository are gone', () => {
    const story = tamperings(newStory(), { kind: 'objects-deleted', object: 'o1' });
    expect(troubleIn(story.record())).toEqual({ kind: 'objects-missing', object: 'o1' });
  });

  test('waits for a person if git settings changed', () => {
    const story = tamperings(newStory(), { kind: 'git-settings', file: 'x' });
    expect(state(story)).toMatchObject({ id: 'awaiting', failure: { because: 'tampering' } });
  });

  test('waits for a person if git, the gate or a login obeys what changed in the home', () => {
    const file = '~/.npmrc';
    for (const effect of ['gate', 'access'] as const) {
      const story = tamperings(newStory(), { kind: 'home-changed', file, effect });
      expect(state(story)).toMatchObject({ id: 'awaiting', failure: { because: 'tampering' } });
    }
    const later = { kind: 'home-changed', file, effect: 'session' } as const;
    const story = tamperings(newStory(), later);
    expect(state(story)).toMatchObject({ id: 'gating' });
    expect(story.record().reported.userChanges).toEqual([file]);
  });

  test('is not forgotten by the next turn, nor by a rejection', () => {
    const story = tamperings(newStory(), hook).decided('a', { kind: 'reject', reason: 'no' });
    story.works('a');
    expect(state(story)).toMatchObject({ id: 'awaiting', failure: { because: 'tampering' } });
  });

  test('is forgiven by an approval', () => {
    const story = tamperings(newStory(), hook).decided('a', { kind: 'approve' });
    expect(state(story)).toMatchObject({ id: 'queued' });
    story.built('a').candidateJudged(false).targetJudged(true).works('a');
    expect(state(story)).toMatchObject({ id: 'gating' });
  });

  test('weighs more than a rule', () => {
    const story = newStory()
      .turn('a')
      .tell({ type: 'tampering-seen', ...of, turn: 1, found: [hook] });
    story.turnEnds('a', { ok: true, tail: '' }).captured('a', { violations: [tooLarge] });
    expect(state(story)).toMatchObject({ failure: { because: 'tampering' } });
  });
});

describe('the gate of a branch', () => {
  test('is counted where it was run, and where it was not, not', () => {
    const story = newStory().works('a').judged('a', false);
    expect(story.gateRuns()).toEqual({ branch: 1, candidate: 0, target: 0 });
    story.targetJudged(true).works('a');
    const judged = { type: 'branch-judged', ...of, tree: 'tree-a-1-2', gate: 'gate' } as const;
    story.tell({ ...judged, verdict: { id: 'passed', ms: 1 }, cached: true });
    expect(story.gateRuns().branch).toBe(1);
    expect(state(story)).toMatchObject({ id: 'queued' });
  });

  test('of a tree that is not the newest says nothing', () => {
    const story = newStory().works('a');
    const judged = { type: 'branch-judged', ...of, tree: 'other', gate: 'gate' } as const;
    story.tell({ ...judged, verdict: { id: 'passed', ms: 1 }, cached: false });
    expect(state(story)).toMatchObject({ id: 'gating' });
    story.tell({ type: 'gate-skipped', ...of, tree: 'other', reason: 'x' });
    expect(state(story)).toMatchObject({ id: 'gating' });
  });

  test('that could not be run ends the run, and is tried under another name later', () => {
    const story = newStory().works('a');
    const failure = { kind: 'gate-not-run', where: 'branch', cause: 'x' } as const;
    const judged = { type: 'branch-judged', ...of, tree: 'tree-a-1-1', gate: 'gate' } as const;
    story.tell({ ...judged, verdict: { id: 'not-run', failure }, cached: false });
    expect(state(story)).toMatchObject({ id: 'gating', again: 1 });
    expect(story.record()).toMatchObject({ phase: { trouble: failure } });
    expect(story.gateRuns().branch).toBe(0);
  });
});

describe('work that a person hands in', () => {
  const handIn = { kind: 'hand-in', commit: 'mine', ref: 'refs/yard/resolved/a' } as const;

  test('waits for a run, and opens a task that stood still', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 });
    story.decided('a', { kind: 'block', reason: 'x' }).decided('a', handIn);
    expect(story.task('a')).toMatchObject({
      status: { id: 'open' },
      handedIn: { commit: 'mine', ref: 'refs/yard/resolved/a' },
    });
    expect(story.commands()).toEqual(['claim a 1']);
  });

  test('needs no agent: from its worktree it is captured, judged and queued', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).decided('a', handIn);
    story.prepared('a');
    expect(state(story)).toEqual({ id: 'capturing', slot: 1, tail: '' });
    expect(story.task('a').attempt?.handedIn).toBe('mine');
    expect(story.commands()).toEqual(['capture a 1']);
    story.captured('a', { commit: 'mine', by: 'person' });
    expect(story.task('a').handedIn).toBeUndefined();
    expect(state(story.judged('a', true))).toMatchObject({ id: 'queued', commit: 'mine' });
    expect(story.record().spent.starts).toBe(0);
  });

  test('leaves nothing to do for the task that was filed for the same conflict', () => {
    const filed = task('a-conflict', { type: 'conflict', labels: ['conflict:a'] });
    const story = new Story().tasks(task('a'), filed).start({ jobs: 1 }).decided('a', handIn);
    expect(story.task('a-conflict').status).toMatchObject({ id: 'skipped' });
  });

  test('leaves a task alone that only has such a name', () => {
    const story = new Story().tasks(task('a'), task('a-conflict')).start().decided('a', handIn);
    expect(story.task('a-conflict').status).toEqual({ id: 'open' });
  });

  test('ends what is done for that task already', () => {
    const filed = task('a-conflict', { type: 'conflict', labels: ['conflict:a'] });
    const story = new Story().tasks(task('a'), filed).start({ jobs: 2 });
    story.prepared('a-conflict').turn('a-conflict').decided('a', handIn);
    expect(story.commands()).toContain('interrupt a-conflict 1');
  });

  test('that does not hold is not handed in again by itself', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).decided('a', handIn);
    story.prepared('a').captured('a', { commit: 'mine', by: 'person' }).judged('a', false);
    story.targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('says nothing about a task that has landed', () => {
    const story = new Story().tasks(task('a')).start().landed('a').decided('a', handIn);
    expect(story.task('a').status.id).toBe('landed');
    expect(story.task('a').handedIn).toBeUndefined();
  });
});

describe('an agent that tampered and broke rules as well', () => {
  const found = [{ kind: 'git-settings', file: 'config' }] as const;
  const violations = [
    { kind: 'protected-path', file: '.github/ci.yml', pattern: '.github/**' },
  ] as const;

  test('is shown with both, so that the user approves only what was shown', () => {
    const story = new Story().tasks(task('a')).start().prepared('a').turn('a');
    story.tell({ type: 'tampering-seen', run: 'r1', id: 'a', attempt: 1, turn: 1, found });
    story.turnEnds('a', { ok: true, tail: '' }).captured('a', { violations });
    expect(story.task('a').attempt?.state).toMatchObject({
      id: 'awaiting',
      failure: { kind: 'approval-needed', because: 'tampering', found, violations },
    });
  });
});
