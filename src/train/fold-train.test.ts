import { describe, expect, test } from 'vitest';
import { owner, red, Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import type { RunSettings } from '../model/run.ts';
import { troubleIn } from '../model/run-record.ts';
import { stateOf as taskState } from '../model/task-record.ts';

const of = (id: string) => ({ run: 'r1', id, attempt: 1 });

/** A run whose branches wait for the train. */
function newStory(ids: string, more: Partial<RunSettings> = {}): Story {
  const how = { gateSlots: 2, train: { batch: 8, style: 'merge' } } as const;
  const names = ids.split(' ');
  const story = new Story().tasks(...names.map((id) => task(id)));
  story.start({ jobs: 1, pool: 99, ...how, ...more });
  for (const id of names) story.queued(id);
  return story;
}

const stateOf = (story: Story, id: string): string => story.task(id).attempt?.state.id ?? '';
const states = (story: Story, ids: string): readonly string[] =>
  ids.split(' ').map((id) => stateOf(story, id));

describe('a candidate that is built', () => {
  test('takes its branches out of the queue and stands at the end of the line', () => {
    const story = newStory('a b c').built('a', 'b').built('c');
    expect(story.record().train.candidates).toMatchObject([
      { id: 'c1', parent: 'base', green: 0, landed: 0 },
      { id: 'c2', parent: 'landing-b' },
    ]);
    expect(story.task('b').attempt?.state).toMatchObject({ id: 'landing', candidate: 'c1' });
    expect(story.record()).toMatchObject({ target: { tip: 'base' }, train: { built: 2 } });
  });

  test('is dropped if one of its tasks was canceled meanwhile; the others queue again', () => {
    const story = newStory('a b');
    const entries = ['a', 'b'].map((id) => ({ id, attempt: 1, commit: `${id}-1-1` }));
    story.decided('b', { kind: 'cancel', reason: 'no' });
    const made = { parent: 'base', commit: 'x', tree: 'tx', entries };
    story.tell({ type: 'candidate-built', run: 'r1', candidate: 'c1', ...made });
    expect(story.record()).toMatchObject({ train: { candidates: [], built: 1 } });
    expect(stateOf(story, 'a')).toBe('queued');
  });

  /** A candidate of `b`, built on what c1 was. */
  const onTop = (parent: string, on?: string) =>
    ({
      type: 'candidate-built',
      run: 'r1',
      candidate: 'c2',
      parent,
      commit: 'k',
      tree: 'tk',
      entries: [{ id: 'b', attempt: 1, commit: 'b-1-1' }],
      on,
    }) as const;

  test('on one that has left the line meanwhile is void, and its branches stay queued', () => {
    const story = newStory('a b').built('a').candidateJudged(false);
    story.tell(onTop('landing-a', 'c1'));
    expect(story.record()).toMatchObject({ train: { candidates: [], built: 2 } });
    expect(stateOf(story, 'b')).toBe('queued');
  });

  test('on one that has landed meanwhile stands on the target as it is now', () => {
    const story = newStory('a b').built('a').judgedAs('c1', true).lands();
    story.tell(onTop('landing-a', 'c1'));
    expect(story.record().train.candidates).toMatchObject([{ id: 'c2', parent: 'landing-a' }]);
    expect(stateOf(story, 'b')).toBe('landing');
  });

  test('on a target that has moved meanwhile is void while others are on their way', () => {
    const story = newStory('a b c').built('a').built('c').judgedAs('c1', true).lands();
    story.tell(onTop('base'));
    expect(story.record().train.candidates).toMatchObject([{ id: 'c2', entries: [{ id: 'c' }] }]);
    expect(stateOf(story, 'b')).toBe('queued');
  });

  test('on one that turned red meanwhile is void: nobody is judged on top of red', () => {
    const story = newStory('a c b').built('a', 'c').judgedAs('c1', false);
    story.tell(onTop('landing-c', 'c1'));
    expect(story.record().train.candidates).toMatchObject([{ id: 'c1' }]);
    expect(stateOf(story, 'b')).toBe('queued');
  });
});

describe('a gate of the train', () => {
  const begun = () => newStory('a b').built('a', 'b').gatesBegin();

  test('holds its slot from its start to its verdict', () => {
    const story = begun();
    expect(story.record().train.runningGates).toMatchObject([
      { candidate: 'c1', count: 2, slot: 0 },
    ]);
    expect(story.judgedAs('c1', true).record().train.runningGates).toEqual([]);
  });

  test('holds it also after its candidate is gone, until it is abandoned', () => {
    const story = begun();
    story.tell({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: 'x' },
    });
    expect(story.record().train.runningGates).toHaveLength(1);
    story.tell({ type: 'gate-abandoned', run: 'r1', candidate: 'c1', count: 2 });
    expect(story.record().train.runningGates).toEqual([]);
  });

  test('is counted where it was really run, by what it judged', () => {
    const story = begun().judgedAs('c1', true);
    story.targetJudged(true);
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c9' } as const;
    const verdict = { id: 'passed', ms: 1 } as const;
    story.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: true });
    expect(story.gateRuns()).toEqual({ branch: 2, candidate: 1, target: 1 });
  });

  test('that could not be run says nothing about anybody: all queue again and the run ends', () => {
    const story = newStory('a b').built('a').built('b');
    const failure = { kind: 'gate-not-run', where: 'candidate', cause: 'no memory' } as const;
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c1', count: 1 } as const;
    const verdict = { id: 'not-run', failure } as const;
    story.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: false });
    expect(story.record()).toMatchObject({
      train: { candidates: [] },
      phase: { trouble: failure },
    });
    expect(story.gateRuns().candidate).toBe(0);
    expect(states(story, 'a b')).toEqual(['queued', 'queued']);
    expect(story.record().train.recentOutcomes).toEqual([]);
  });

  test('of a candidate that is gone changes nothing but its slot', () => {
    const story = begun();
    story.tell({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: 'x' },
    });
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c1', count: 2 } as const;
    const verdict = { id: 'failed', ms: 1, failure: red } as const;
    story.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: false });
    expect(story.record().train.runningGates).toEqual([]);
    expect(states(story, 'a b')).toEqual(['queued', 'queued']);
  });

  test('that ends red after more was green is not believed: what is implied was not asked for', () => {
    const story = newStory('a b c d').built('a', 'b', 'c', 'd').judgedAs('c1', false);
    story.judgedAs('c1', true, 3).judgedAs('c1', false, 1);
    expect(story.record().train.candidates).toMatchObject([{ green: 3 }]);
    expect(states(story, 'a d')).toEqual(['landing', 'returned']);
  });

  test('that ends green with more than what is red is not believed either', () => {
    const story = newStory('a b c d').built('a', 'b', 'c', 'd').judgedAs('c1', false);
    story.judgedAs('c1', false, 2).judgedAs('c1', true, 3);
    expect(story.record().train.candidates).toMatchObject([{ green: 0, red: { count: 2 } }]);
  });
});

describe('a branch that was found to blame', () => {
  test('goes back with what the gate said and what it stood on; it counts as bad', () => {
    const story = newStory('a b c').built('a', 'b', 'c').judgedAs('c1', false);
    story.judgedAs('c1', false, 2).judgedAs('c1', true, 1);
    expect(story.task('b').attempt?.state).toMatchObject({
      id: 'returned',
      failure: { kind: 'gate-red', where: 'candidate' },
      on: { commit: 'landing-a' },
    });
    expect(states(story, 'a c')).toEqual(['landing', 'queued']);
    expect(story.record().train.recentOutcomes).toEqual([false]);
    expect(story.record().train.outcomesByKind).toEqual({ 'scripted task': { good: 0, bad: 1 } });
  });

  test('is not looked for in a candidate on top of another, until that has landed', () => {
    const story = newStory('a b').built('a').built('b');
    story.judgedAs('c2', false);
    expect(stateOf(story, 'b')).toBe('landing');
    story.judgedAs('c1', true).lands();
    expect(story.task('b').attempt?.state).toMatchObject({
      id: 'returned',
      on: { commit: 'landing-a' },
    });
  });

  test('is nobody in a candidate whose ground was bad', () => {
    const story = newStory('a b').built('a').built('b');
    story.judgedAs('c2', false).judgedAs('c1', false);
    expect(states(story, 'a b')).toEqual(['returned', 'queued']);
    expect(story.record().train.recentOutcomes).toEqual([false]);
  });

  test('forgets nothing and nobody: only the newest outcomes count', () => {
    const story = newStory('a');
    for (let times = 0; times < limits.trainWindow + 5; times += 1) {
      story
        .tasks(task(`t${times}`))
        .queued(`t${times}`)
        .built(`t${times}`)
        .candidateJudged(false);
    }
    expect(story.record().train.recentOutcomes).toHaveLength(limits.trainWindow);
  });
});

describe('a branch that does not merge', () => {
  const conflict = { kind: 'conflict', files: ['x'], target: 'base', branch: 'b' } as const;

  test('with the target goes back to its agent, from the queue or before it is judged', () => {
    const story = newStory('a').tasks(task('b'), task('c'));
    story.prepared('b').works('b').prepared('c', 2).turn('c', 2);
    for (const id of ['a', 'b', 'c']) {
      story.tell({ type: 'merge-refused', ...of(id), failure: conflict });
    }
    expect(states(story, 'a b c')).toEqual(['returned', 'returned', 'working']);
  });

  test('with what is on the way waits behind that, and keeps its place', () => {
    const story = newStory('a b').built('a');
    const since = story.task('b').attempt?.state;
    story.tell({ type: 'merge-deferred', ...of('b'), behind: 'c1' });
    expect(story.task('b').attempt?.state).toEqual({ ...since, behind: 'c1' });
    story.tell({ type: 'merge-deferred', ...of('a'), behind: 'c9' });
    expect(stateOf(story, 'a')).toBe('landing');
  });
});

describe('a landing', () => {
  test('of a part marks those that landed, and leaves the others on their way', () => {
    const story = newStory('a b c').built('a', 'b', 'c').judgedAs('c1', false);
    story.judgedAs('c1', true, 1).lands();
    expect(story.task('a').status).toMatchObject({ id: 'landed', commit: 'landing-a', run: 'r1' });
    expect(states(story, 'b c')).toEqual(['landing', 'landing']);
    expect(story.record()).toMatchObject({
      train: { landed: 1, recentOutcomes: [true] },
      target: { tip: 'landing-a' },
    });
    expect(story.record().train.candidates).toMatchObject([{ landed: 1, green: 1 }]);
  });

  test('makes void what was built on the target beside it', () => {
    const story = newStory('a b').built('a').builtOn(undefined, 'b');
    story.judgedAs('c1', true).lands();
    expect(story.record().train.candidates).toEqual([]);
    expect(stateOf(story, 'b')).toBe('queued');
  });

  test('takes along the tasks that the attempt claimed', () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    story
      .prepared('a')
      .turn('a')
      .calls('a', { id: 'claim', ids: ['b'] });
    story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
    story.built('a').candidateJudged(true).lands();
    expect(story.task('b').status.id).toBe('landed');
    expect(story.record().train.landed).toBe(2);
  });

  test('of the task that resolved a conflict is also that of the one in conflict', () => {
    const resolving = { type: 'conflict', labels: ['conflict:a'] };
    const story = new Story().tasks(task('a'), task('child', { after: ['a'] })).start();
    story.decided('a', { kind: 'block', reason: 'its conflict is with another task' });
    story.tasks(task('a-conflict', resolving)).prepared('a-conflict');
    story.works('a-conflict', 1, { resolves: 'a' }).judged('a-conflict', true);
    story.built('a-conflict');
    const [candidate] = story.record().train.candidates;
    const entries = [{ ...candidate?.entries[0], coClaims: ['a'] }] as NonNullable<
      typeof candidate
    >['entries'];
    const landed = { type: 'landed', run: 'r1', candidate: 'c1', from: 'base', entries } as const;
    story.tell({ ...landed, commit: 'landing-a-conflict' });
    expect(story.task('a').status).toMatchObject({ id: 'landed', commit: 'landing-a-conflict' });
    expect(story.task('child').blockers).toBe(0);
  });

  test('is remembered as good ground', () => {
    const story = newStory('a').built('a').judgedAs('c1', true).lands();
    expect(story.record().target.cleared).toEqual(['landing-a']);
  });

  test('that waits remembers since when', () => {
    const story = newStory('a').built('a').judgedAs('c1', true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const waits = { type: 'landing-waits', run: 'r1', candidate: 'c1', failure } as const;
    story.tell({ ...waits, until: 5 });
    const since = story.now;
    story.tell({ ...waits, until: 9 });
    expect(story.record().train.candidates[0]?.state).toEqual({
      id: 'waiting',
      failure,
      since,
      until: 9,
    });
  });
});

describe('a candidate that is dropped', () => {
  test('takes the whole line with it, but for what has landed', () => {
    const story = newStory('a b c').built('a', 'b').built('c').judgedAs('c1', true, 1).lands();
    story.tell({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: 'x' },
    });
    expect(story.record().train.candidates).toEqual([]);
    expect(states(story, 'a b c')).toEqual(['landed', 'queued', 'queued']);
  });
});

describe('a run that ends', () => {
  test.each(['canceled', 'died'] as const)(
    'and %s keeps a green candidate, whose branches count as queued until it is resumed',
    (reason) => {
      const story = newStory('a b').built('a', 'b').judgedAs('c1', true);
      story.tell({ type: 'run-ended', run: 'r1', stop: { reason } });
      expect(story.record().train.candidates).toHaveLength(1);
      expect(taskState(story.task('b'))).toBe('queued');
      story.tell({ type: 'run-resumed', run: 'r1', owner });
      expect(taskState(story.task('b'))).toBe('landing');
      expect(story.task('b').attempt?.state).not.toHaveProperty('stopped');
    },
  );
});

describe('a target that somebody else moved', () => {
  const moved = { type: 'target-moved', run: 'r1', from: 'base', to: 'theirs' } as const;

  test('is foreign until it was judged', () => {
    const story = newStory('a').tell(moved);
    expect(story.record()).toMatchObject({ target: { tip: 'theirs', externalTip: 'theirs' } });
    story.targetJudged(true, 'other');
    expect(story.record().target.externalTip).toBe('theirs');
    story.targetJudged(true, 'theirs');
    expect(story.record().target.externalTip).toBeUndefined();
    expect(story.record().target.cleared).toContain('theirs');
  });

  test('and is red ends the run, and nobody is blamed', () => {
    const story = newStory('a').tell(moved).targetJudged(false, 'theirs');
    expect(troubleIn(story.record())).toMatchObject({ kind: 'target-red', commit: 'theirs' });
    expect(stateOf(story, 'a')).toBe('queued');
    expect(story.commands()).toEqual(['end-run environment']);
  });

  test('ends the run where an agent did it, or where something that had landed is gone', () => {
    const taken = newStory('a').tell({ ...moved, by: { id: 'a', attempt: 1 } });
    expect(troubleIn(taken.record())).toEqual({
      kind: 'target-taken',
      task: 'a',
      from: 'base',
      to: 'theirs',
    });
    const rewound = newStory('a').tell({ ...moved, rewound: true });
    expect(troubleIn(rewound.record())).toMatchObject({ kind: 'target-taken', task: '' });
  });
});

describe('a branch judged by itself', () => {
  test('says how work of its kind comes out only by what lands or is blamed', () => {
    const story = newStory('a');
    expect(story.record().train.outcomesByKind).toEqual({});
    story.built('a').judgedAs('c1', true).lands();
    expect(story.record().train.outcomesByKind).toEqual({ 'scripted task': { good: 1, bad: 0 } });
  });
});
