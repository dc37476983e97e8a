import { describe, expect, test } from 'vitest';
import { red, Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import type { Tampering, Violation } from '../model/violation.ts';

const tooLarge: Violation = { kind: 'too-large', what: 'files', value: 9, limit: 3 };
const skipped: Violation = { kind: 'test-skipped', file: 'a.test.ts', line: 'test.skip()' };
const guarded: Violation = { kind: 'protected-path', file: 'ci.yml', pattern: 'ci.yml' };
const shim: Violation = { kind: 'gate-changed', file: 'package.json', what: 'scripts.test' };
const hook: Tampering = { kind: 'git-hook', name: 'pre-commit' };
const edited: Tampering = { kind: 'checkout-changed', dir: '/repo', files: ['a'] };

const of = { run: 'r1', id: 'a', attempt: 1 };

function story(more: Partial<RunSettings> = {}): Story {
  return new Story()
    .tasks(task('a'))
    .start({ jobs: 1, ...more })
    .prepared('a');
}

const breaking = (told: Story, ...violations: readonly Violation[]): Story =>
  told.works('a', 1, { violations });

/** A turn in which things outside of the worktree changed. */
const tamperings = (told: Story, ...found: readonly Tampering[]): Story => {
  told.turn('a').tell({ type: 'tampering-seen', ...of, turn: 1, found });
  return told.turnEnds('a', { ok: true, tail: '' }).captured('a');
};

const state = (told: Story) => told.task('a').attempt?.state;

describe('captured work', () => {
  test('goes to its gate, with what it changes', () => {
    const changes = { files: ['x'], count: 1, added: 2, removed: 0 };
    const told = story().works('a', 1, { changes, resolves: 'b' });
    expect(state(told)).toMatchObject({ id: 'gating', slot: 1, commit: 'a-1-1' });
    expect(told.task('a').attempt).toMatchObject({ changes, resolves: 'b' });
  });

  test('forgets what was known of the work before it', () => {
    const told = story().works('a');
    told.tell({ type: 'conflict-predicted', ...of, with: 'b', files: ['x'] });
    told.tell({ type: 'gate-skipped', ...of, tree: 'tree-a-1-1', reason: 'x' });
    expect(told.task('a').attempt).toMatchObject({ clashes: ['b'], gateSkipped: true });
    told.tell({
      type: 'merge-refused',
      ...of,
      failure: { kind: 'conflict', files: ['x'], target: 't', branch: 'b' },
    });
    told.works('a');
    expect(told.task('a').attempt).not.toHaveProperty('clashes');
  });

  test('counts as not judged by itself until it was', () => {
    const told = story().works('a');
    expect(told.task('a').attempt).toMatchObject({ gateSkipped: true });
    told.judged('a', true);
    expect(told.task('a').attempt).not.toHaveProperty('gateSkipped');
  });

  test('is taken only from where it was made', () => {
    const told = story();
    const before = told.task('a');
    expect(told.captured('a').task('a')).toEqual(before);
  });
});

describe('work that breaks a rule', () => {
  test('goes back to its agent once, with what it broke', () => {
    const told = breaking(story(), tooLarge, skipped);
    expect(state(told)).toEqual({
      id: 'returned',
      failure: { kind: 'rules-broken', violations: [tooLarge, skipped] },
    });
    expect(told.says()).toEqual(['begin-turn a 1']);
    told.turn('a');
    expect(state(told)).toMatchObject({
      turnReason: { id: 'returned', failure: { kind: 'rules-broken' } },
    });
  });

  test('is not taken for a fault of the target', () => {
    expect(breaking(story(), tooLarge).says()).not.toContain('judge-target base');
  });

  test('is left to a person the second time, with what it breaks now', () => {
    const told = breaking(breaking(story(), tooLarge), skipped);
    expect(state(told)).toMatchObject({
      id: 'awaiting',
      commit: 'a-1-2',
      failure: { kind: 'approval-needed', because: 'rules', violations: [skipped] },
    });
    expect(told.says()).toEqual(['end-run question']);
  });

  test('goes on where the agent has fixed it', () => {
    const told = breaking(story(), tooLarge).works('a');
    expect(state(told)).toMatchObject({ id: 'gating' });
  });

  test('is left to a person at once where only a person may permit it', () => {
    for (const violation of [guarded, shim]) {
      expect(state(breaking(story(), violation, tooLarge))).toMatchObject({
        id: 'awaiting',
        failure: { because: 'rules', violations: [violation, tooLarge] },
      });
    }
  });

  test('is left to a person where its agent has no start left', () => {
    expect(state(breaking(story({ retries: 0 }), tooLarge))).toMatchObject({ id: 'awaiting' });
  });

  test('is counted, so that a later attempt of the agent is not told for ever', () => {
    const told = breaking(story({ retries: 9 }), tooLarge)
      .works('a')
      .judged('a', false);
    told.targetJudged(true);
    expect(state(breaking(told, tooLarge))).toMatchObject({ id: 'awaiting' });
  });
});

describe('what a person says about work that breaks a rule', () => {
  test('approved it goes on to its review, and is not held up by its gate or the rule', () => {
    const told = breaking(story(), guarded).decided('a', { kind: 'approve' });
    expect(state(told)).toMatchObject({ id: 'queued', commit: 'a-1-1' });
    const review = { reviewers: ['r'], person: false, rounds: 1, retries: 0 };
    const reviewed = breaking(story({ review }), guarded).decided('a', { kind: 'approve' });
    expect(state(reviewed)).toMatchObject({ id: 'unreviewed' });
  });

  test('approved it need not be approved again after its review', () => {
    const review = { reviewers: [], person: true, rounds: 1, retries: 0 };
    const told = breaking(story({ review }), guarded).decided('a', { kind: 'approve' });
    expect(state(told)).toMatchObject({ id: 'queued' });
  });

  test('approved it may be captured again as it is', () => {
    const told = breaking(story(), guarded).decided('a', { kind: 'approve' });
    const failure = { ...red, where: 'candidate' } as const;
    told.built('a').tell({
      type: 'candidate-judged',
      run: 'r1',
      candidate: 'c1',
      tree: 't',
      gate: 'gate',
      verdict: { id: 'failed', ms: 1, failure },
      cached: false,
    });
    told.targetJudged(true).turn('a').turnEnds('a', { ok: true, tail: '' });
    told.captured('a', { commit: 'a-1-1', violations: [guarded] });
    expect(state(told)).toMatchObject({ id: 'gating', commit: 'a-1-1' });
  });

  test('other work is not approved with it', () => {
    const told = breaking(story(), guarded).decided('a', { kind: 'approve' });
    told.built('a').candidateJudged(false).targetJudged(true);
    expect(state(breaking(told, guarded))).toMatchObject({ id: 'awaiting', commit: 'a-1-2' });
  });

  test('rejected it goes back to the agent with the reason', () => {
    const told = breaking(story(), guarded).decided('a', { kind: 'reject', reason: 'leave CI' });
    expect(state(told)).toEqual({
      id: 'between-turns',
      turnReason: { id: 'rejected', reason: 'leave CI' },
    });
  });
});

describe('a turn that changed things outside of its worktree', () => {
  test('leaves its work to a person, whatever the work is', () => {
    const told = tamperings(story(), hook, edited);
    expect(state(told)).toMatchObject({
      id: 'awaiting',
      failure: { kind: 'approval-needed', because: 'tampering', found: [hook] },
    });
  });

  test('is only told of where a person at work explains it as well', () => {
    const told = tamperings(story(), edited);
    expect(state(told)).toMatchObject({ id: 'gating' });
    expect(told.task('a').attempt?.tampering).toBeUndefined();
  });

  test('is not forgotten by the next turn, nor by a rejection', () => {
    const told = tamperings(story(), hook).decided('a', { kind: 'reject', reason: 'no' });
    told.works('a');
    expect(state(told)).toMatchObject({ id: 'awaiting', failure: { because: 'tampering' } });
  });

  test('is forgiven by an approval', () => {
    const told = tamperings(story(), hook).decided('a', { kind: 'approve' });
    expect(state(told)).toMatchObject({ id: 'queued' });
    told.built('a').candidateJudged(false).targetJudged(true).works('a');
    expect(state(told)).toMatchObject({ id: 'gating' });
  });

  test('weighs more than a rule', () => {
    const told = story()
      .turn('a')
      .tell({ type: 'tampering-seen', ...of, turn: 1, found: [hook] });
    told.turnEnds('a', { ok: true, tail: '' }).captured('a', { violations: [tooLarge] });
    expect(state(told)).toMatchObject({ failure: { because: 'tampering' } });
  });
});

describe('the gate of a branch', () => {
  test('is counted where it was run, and where it was not, not', () => {
    const told = story().works('a').judged('a', false);
    expect(told.record().gateRuns).toEqual({ branch: 1, candidate: 0, target: 0 });
    told.targetJudged(true).works('a');
    const judged = { type: 'branch-judged', ...of, tree: 'tree-a-1-2', gate: 'gate' } as const;
    told.tell({ ...judged, verdict: { id: 'passed', ms: 1 }, cached: true });
    expect(told.record().gateRuns.branch).toBe(1);
    expect(state(told)).toMatchObject({ id: 'queued' });
  });

  test('of a tree that is not the newest says nothing', () => {
    const told = story().works('a');
    const judged = { type: 'branch-judged', ...of, tree: 'other', gate: 'gate' } as const;
    told.tell({ ...judged, verdict: { id: 'passed', ms: 1 }, cached: false });
    expect(state(told)).toMatchObject({ id: 'gating' });
    told.tell({ type: 'gate-skipped', ...of, tree: 'other', reason: 'x' });
    expect(state(told)).toMatchObject({ id: 'gating' });
  });

  test('that could not be run ends the run, and is tried under another name later', () => {
    const told = story().works('a');
    const failure = { kind: 'gate-not-run', where: 'branch', cause: 'x' } as const;
    const judged = { type: 'branch-judged', ...of, tree: 'tree-a-1-1', gate: 'gate' } as const;
    told.tell({ ...judged, verdict: { id: 'not-run', failure }, cached: false });
    expect(state(told)).toMatchObject({ id: 'gating', again: 1 });
    expect(told.record()).toMatchObject({ trouble: failure, gateRuns: { branch: 0 } });
  });
});

describe('work that a person hands in', () => {
  const handIn = { kind: 'hand-in', commit: 'mine', ref: 'refs/yard/resolved/a' } as const;

  test('waits for a run, and opens a task that stood still', () => {
    const told = new Story().tasks(task('a')).start({ jobs: 1 });
    told.decided('a', { kind: 'block', reason: 'x' }).decided('a', handIn);
    expect(told.task('a')).toMatchObject({
      status: { id: 'open' },
      handedIn: { commit: 'mine', ref: 'refs/yard/resolved/a' },
    });
    expect(told.says()).toEqual(['claim a 1']);
  });

  test('needs no agent: from its worktree it is captured, judged and queued', () => {
    const told = new Story().tasks(task('a')).start({ jobs: 1 }).decided('a', handIn);
    told.prepared('a');
    expect(state(told)).toEqual({ id: 'capturing', slot: 1, tail: '' });
    expect(told.task('a').attempt?.handedIn).toBe('mine');
    expect(told.says()).toEqual(['capture a 1']);
    told.captured('a', { commit: 'mine', by: 'person' });
    expect(told.task('a').handedIn).toBeUndefined();
    expect(state(told.judged('a', true))).toMatchObject({ id: 'queued', commit: 'mine' });
    expect(told.record().starts).toBe(0);
  });

  test('leaves nothing to do for the task that was filed for the same conflict', () => {
    const filed = task('a-conflict', { type: 'conflict', labels: ['conflict:a'] });
    const told = new Story().tasks(task('a'), filed).start({ jobs: 1 }).decided('a', handIn);
    expect(told.task('a-conflict').status).toMatchObject({ id: 'skipped' });
  });

  test('leaves a task alone that only has such a name', () => {
    const told = new Story().tasks(task('a'), task('a-conflict')).start().decided('a', handIn);
    expect(told.task('a-conflict').status).toEqual({ id: 'open' });
  });

  test('ends what is done for that task already', () => {
    const filed = task('a-conflict', { type: 'conflict', labels: ['conflict:a'] });
    const told = new Story().tasks(task('a'), filed).start({ jobs: 2 });
    told.prepared('a-conflict').turn('a-conflict').decided('a', handIn);
    expect(told.says()).toContain('interrupt a-conflict 1');
  });

  test('that does not hold is not handed in again by itself', () => {
    const told = new Story().tasks(task('a')).start({ jobs: 1 }).decided('a', handIn);
    told.prepared('a').captured('a', { commit: 'mine', by: 'person' }).judged('a', false);
    told.targetJudged(true);
    expect(told.says()).toEqual(['begin-turn a 1']);
  });

  test('says nothing about a task that has landed', () => {
    const told = new Story().tasks(task('a')).start().landed('a').decided('a', handIn);
    expect(told.task('a').status.id).toBe('landed');
    expect(told.task('a').handedIn).toBeUndefined();
  });
});
