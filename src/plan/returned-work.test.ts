import { describe, expect, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { red, Story, settings, task } from '../../test/story.ts';
import type { MergedTarget } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import { troubleIn } from '../model/run-record.ts';
import { conflictCauseOf, needsMerge } from './returned-work.ts';

const of = { run: 'r1', id: 'a', attempt: 1 };
const conflict: Failure = { kind: 'conflict', files: ['f'], target: 'base', branch: 'yard/r1/a-1' };
const about = { onto: 'base', log: '', stat: '' };
const clean: MergedTarget = { ...about, id: 'clean', commit: 'merge' };
const conflicts: MergedTarget = { ...about, id: 'conflicts', files: ['f'] };
const fallback = { agent: 'other', cooldown: 3 };

const merges = (story: Story, merged: MergedTarget): Story =>
  story.tell({ type: 'target-merged', ...of, merged });

/** Work of `a` that was red together with what has landed. */
const redTogether = (more: Parameters<Story['start']>[0] = {}): Story =>
  new Story()
    .tasks(task('a'))
    .start({ jobs: 1, ...more })
    .queued('a')
    .built('a')
    .candidateJudged(false)
    .targetJudged(true);

const inConflict = (more: Parameters<Story['start']>[0] = {}): Story =>
  new Story()
    .tasks(task('a'))
    .start({ jobs: 1, ...more })
    .queued('a')
    .tell({ type: 'merge-refused', ...of, failure: conflict });

const givenUp = (story: Story, failure: Failure): Story =>
  story.tell(
    { type: 'attempt-given-up', ...of, failure },
    { type: 'attempt-failed', ...of, failure, kept: 'yard/r1/a-1' },
  );

describe('work that came back', () => {
  test('gets the target merged in before its agent has the next turn', () => {
    const story = redTogether();
    expect(story.commands()).toEqual(['merge-target a 1']);
    expect(merges(story, clean).commands()).toEqual(['begin-turn a 1']);
    expect(inConflict().commands()).toEqual(['merge-target a 1']);
    expect(merges(inConflict(), conflicts).commands()).toEqual(['begin-turn a 1']);
  });

  test('is judged once more where the gate changed committed files, and the run goes on', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).queued('a').built('a');
    const failure = { kind: 'gate-changed-tree', where: 'candidate', files: ['f'] } as const;
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c1', count: 1 } as const;
    const verdict = { id: 'not-run', failure } as const;
    story.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: false });
    expect(story.record()).toMatchObject({ train: { candidates: [], gateChangedTree: true } });
    expect(troubleIn(story.record())).toBeUndefined();
    expect(story.task('a').attempt?.state.id).toBe('queued');
  });

  test('queues again where the target cannot be judged, whoever may be to blame', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, retries: 0 }).queued('a');
    story.built('a').candidateJudged(false);
    expect(story.commands()).toEqual(['judge-target base']);
    const failure = { kind: 'gate-not-run', where: 'target', cause: 'no make' } as const;
    const unjudged = { type: 'target-judged', run: 'r1', commit: 'base', tree: 't' } as const;
    story.tell({ ...unjudged, gate: 'gate', verdict: { id: 'not-run', failure } });
    const [command] = story.decide().commands;
    if (command?.type !== 'skip-gate') throw new Error(story.commands().join());
    story.tell({ ...command, type: 'gate-skipped', run: 'r1' });
    expect(story.task('a').attempt).toMatchObject({
      state: { id: 'queued' },
      returns: { reds: 0 },
    });
  });

  test('needs no merge where its own branch is red', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').works('a');
    story.judged('a', false).targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('gets the target of each return, not that of the first', () => {
    const story = merges(redTogether(), clean).works('a').judged('a', true).built('a');
    story.candidateJudged(false);
    expect(story.commands()).toEqual(['merge-target a 1']);
  });

  test('gets it too where a limit of the gate was crossed on a newer target', () => {
    const failure = {
      kind: 'limit-crossed',
      phase: 'gate',
      limit: 'wall',
      value: 1,
      tail: '',
    } as const;
    const state = { id: 'returned', failure } as const;
    const attempt = need(inConflict().task('a').attempt);
    expect(needsMerge({ ...attempt, state: { ...state, on: { commit: 'base', at: 1 } } })).toBe(
      true,
    );
    expect(needsMerge({ ...attempt, state })).toBe(false);
  });

  test('because of a conflict was not red', () => {
    expect(inConflict().task('a').attempt?.returns.reds).toBe(0);
    expect(redTogether().task('a').attempt?.returns.reds).toBe(1);
  });

  test('is judged together with the target once, where no time is given after which it is again', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').works('a');
    const target = { type: 'target-judged', run: 'r1', commit: 'base', tree: 't' } as const;
    const verdict = { id: 'passed', ms: 1 } as const;
    story.judged('a', false).tell({ ...target, gate: 'gate', verdict, cached: true });
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('waits for what it was red together with to land', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2 });
    story.queued('b', 1).queued('a', 2).built('b', 'a');
    story.candidateJudged(false).candidateJudged(true, 1).targetJudged(true, 'landing-b');
    expect(story.commands()).toEqual(['land c1']);
    expect(story.lands().commands()).toEqual(['merge-target a 1']);
  });

  test('goes to a fresh attempt after two returns', () => {
    const story = merges(redTogether(), clean);
    for (const count of [1, 2]) {
      story.turn('a');
      expect(story.task('a').attempt?.returns).toMatchObject({
        count,
        because: { kind: 'gate-red' },
      });
      story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', false);
    }
    expect(story.commands()).toEqual(['give-up a 1']);
    givenUp(story, red);
    expect(story.task('a')).toMatchObject({
      status: { id: 'open' },
      previous: { number: 1, agent: 'scripted', failure: red, branch: 'yard/r1/a-1' },
    });
    expect(story.commands()).toEqual(['claim a 2']);
    expect(story.prepared('a').task('a').attempt?.previous).toMatchObject({ number: 1 });
  });

  test('goes there at once with `retry.returns` 0, and after a turn that brought nothing new', () => {
    expect(redTogether({ returns: 0 }).commands()).toEqual(['give-up a 1']);
    const story = merges(redTogether(), clean).turn('a').turnEnds('a', { ok: true, tail: '' });
    givenUp(story, { kind: 'no-progress', last: red });
    expect(story.commands()).toEqual(['claim a 2']);
  });

  test('is for a person once its retries are used up', () => {
    const story = givenUp(redTogether({ retries: 0 }), red);
    expect(story.task('a').status).toEqual({
      id: 'blocked',
      failure: { kind: 'returned-too-often', times: 1, last: red },
    });
  });

  test('starts over with the fallback agent where there is one', () => {
    const story = givenUp(redTogether({ fallback, returns: 0 }), red);
    expect(story.decide().commands).toMatchObject([{ type: 'claim', agent: 'other' }]);
    const named = new Story().tasks(task('a', { agent: 'scripted' })).start({ jobs: 1 });
    expect(named.decide().commands).toMatchObject([{ type: 'claim', agent: 'scripted' }]);
  });
});

describe('a merge that its agent could not finish', () => {
  const dropped = { kind: 'lines-dropped', file: 'f', lines: ['x'] } as const;
  const marked: Failure = { kind: 'conflict-markers', files: ['f'] };

  test('starts over', () => {
    const story = merges(inConflict(), conflicts).turn('a').turnEnds('a', { ok: true, tail: '' });
    expect(givenUp(story, marked).commands()).toEqual(['claim a 2']);
  });

  test('is still known as the conflict it was', () => {
    const attempt = need(merges(inConflict(), conflicts).turn('a').task('a').attempt);
    expect(conflictCauseOf({ kind: 'no-progress', last: conflict }, attempt)).toEqual(conflict);
    expect(conflictCauseOf(marked, attempt)).toEqual(conflict);
    expect(conflictCauseOf({ kind: 'rules-broken', violations: [dropped] }, attempt)).toEqual(
      conflict,
    );
    expect(conflictCauseOf(red, attempt)).toBeUndefined();
  });
});

describe('two tasks that start over because of the same file', () => {
  const lost = (id: string) => ({ run: 'r1', id, attempt: 1, failure: conflict }) as const;

  test('do so one after the other, and so do those that meet work in flight there', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c')).start({ jobs: 3, returns: 0 });
    for (const id of ['a', 'b']) {
      story.prepared(id).works(id).judged(id, true);
      story.tell({ type: 'attempt-given-up', ...lost(id) });
      story.tell({ type: 'attempt-failed', ...lost(id) });
    }
    expect(story.commands()).toEqual(['claim a 2', 'claim c 1']);
    story.prepared('a');
    expect(story.commands().filter((said) => said.startsWith('claim b'))).toEqual([]);
    story.works('a').judged('a', true).built('a').candidateJudged(true).lands();
    expect(story.commands()).toContain('claim b 2');
    const changes = { files: ['f'], count: 1, added: 1, removed: 0 };
    story.prepared('c', 2).works('c', 2, { changes });
    expect(story.commands().filter((said) => said.startsWith('claim b'))).toEqual([]);
  });
});

describe('the task that was filed for a conflict', () => {
  const filed = task('a-conflict', { type: 'conflict', labels: ['conflict:a'] });

  test('is closed when the other one lands, by whatever way', () => {
    const story = new Story()
      .tasks(task('a'), filed)
      .start(settings({ jobs: 1 }))
      .landed('a');
    expect(story.task('a-conflict').status).toEqual({
      id: 'skipped',
      reason: 'a has landed',
    });
    expect(story.commands()).toEqual(['end-run drained']);
  });
});

describe('returned work that is known to conflict with work on its way', () => {
  test('waits until that has landed, instead of resolving one conflict after the other', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2 });
    story.queued('b').queued('a');
    story.tell({ type: 'conflict-predicted', ...of, with: 'b', files: ['f'] });
    story.built('b');
    story.tell({ type: 'merge-refused', ...of, failure: conflict });
    expect(story.commands()).not.toContain('merge-target a 1');
    story.candidateJudged(true).lands();
    expect(story.commands()).toContain('merge-target a 1');
  });
});
