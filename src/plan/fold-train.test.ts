import { describe, expect, test } from 'vitest';
import { red, Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { limits } from './limits.ts';

const of = (id: string) => ({ run: 'r1', id, attempt: 1 });

/** A run whose branches wait for the train. */
function story(ids: string, more: Partial<RunSettings> = {}): Story {
  const how = { gateSlots: 2, train: { batch: 8, style: 'merge' } } as const;
  const names = ids.split(' ');
  const told = new Story().tasks(...names.map((id) => task(id)));
  told.start({ jobs: 1, pool: 99, ...how, ...more });
  for (const id of names) told.queued(id);
  return told;
}

const stateOf = (told: Story, id: string): string => told.task(id).attempt?.state.id ?? '';
const states = (told: Story, ids: string): readonly string[] =>
  ids.split(' ').map((id) => stateOf(told, id));

describe('a candidate that is built', () => {
  test('takes its branches out of the queue and stands at the end of the line', () => {
    const told = story('a b c').built('a', 'b').built('c');
    expect(told.record().candidates).toMatchObject([
      { id: 'c1', parent: 'base', green: 0, landed: 0 },
      { id: 'c2', parent: 'landing-b' },
    ]);
    expect(told.task('b').attempt?.state).toMatchObject({ id: 'landing', candidate: 'c1' });
    expect(told.record()).toMatchObject({ tip: 'base', candidatesBuilt: 2 });
  });

  test('has links also where a log of an older version has none', () => {
    const told = story('a').built('a');
    expect(told.record().candidates[0]?.prefixes).toEqual([
      { commit: 'landing-a', tree: 'tree-landing-a' },
    ]);
  });

  test('goes nowhere where somebody of it was cancelled meanwhile; the others queue again', () => {
    const told = story('a b');
    const entries = ['a', 'b'].map((id) => ({ id, attempt: 1, commit: `${id}-1-1` }));
    told.decided('b', { kind: 'cancel', reason: 'no' });
    const made = { parent: 'base', commit: 'x', tree: 'tx', entries };
    told.tell({ type: 'candidate-built', run: 'r1', candidate: 'c1', ...made });
    expect(told.record()).toMatchObject({ candidates: [], candidatesBuilt: 1 });
    expect(stateOf(told, 'a')).toBe('queued');
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
      ...(on === undefined ? {} : { on }),
    }) as const;

  test('on one that has left the line meanwhile is void, and its branches stay queued', () => {
    const told = story('a b').built('a').candidateJudged(false);
    told.tell(onTop('landing-a', 'c1'));
    expect(told.record()).toMatchObject({ candidates: [], candidatesBuilt: 2 });
    expect(stateOf(told, 'b')).toBe('queued');
  });

  test('on one that has landed meanwhile stands on the target as it is now', () => {
    const told = story('a b').built('a').judgedAs('c1', true).lands();
    told.tell(onTop('landing-a', 'c1'));
    expect(told.record().candidates).toMatchObject([{ id: 'c2', parent: 'landing-a' }]);
    expect(stateOf(told, 'b')).toBe('landing');
  });

  test('on a target that has moved meanwhile is void while others are on their way', () => {
    const told = story('a b c').built('a').built('c').judgedAs('c1', true).lands();
    told.tell(onTop('base'));
    expect(told.record().candidates).toMatchObject([{ id: 'c2', entries: [{ id: 'c' }] }]);
    expect(stateOf(told, 'b')).toBe('queued');
  });

  test('on one that turned red meanwhile is void: nobody is judged on top of red', () => {
    const told = story('a c b').built('a', 'c').judgedAs('c1', false);
    told.tell(onTop('landing-c', 'c1'));
    expect(told.record().candidates).toMatchObject([{ id: 'c1' }]);
    expect(stateOf(told, 'b')).toBe('queued');
  });
});

describe('a gate of the train', () => {
  const begun = () => story('a b').built('a', 'b').gatesBegin();

  test('holds its slot from its start to its verdict', () => {
    const told = begun();
    expect(told.record().runningGates).toMatchObject([{ candidate: 'c1', count: 2, slot: 0 }]);
    expect(told.judgedAs('c1', true).record().runningGates).toEqual([]);
  });

  test('holds it also after its candidate is gone, until it is abandoned', () => {
    const told = begun();
    told.tell({ type: 'candidate-dropped', run: 'r1', candidate: 'c1', found: 'x' });
    expect(told.record().runningGates).toHaveLength(1);
    told.tell({ type: 'gate-abandoned', run: 'r1', candidate: 'c1', count: 2 });
    expect(told.record().runningGates).toEqual([]);
  });

  test('is counted where it was really run, by what it judged', () => {
    const told = begun().judgedAs('c1', true);
    told.targetJudged(true);
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c9' } as const;
    const verdict = { id: 'passed', ms: 1 } as const;
    told.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: true });
    expect(told.record().gateRuns).toEqual({ branch: 2, candidate: 1, target: 1 });
  });

  test('that could not be run says nothing about anybody: all queue again and the run ends', () => {
    const told = story('a b').built('a').built('b');
    const failure = { kind: 'gate-not-run', where: 'candidate', cause: 'no memory' } as const;
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c1', count: 1 } as const;
    const verdict = { id: 'not-run', failure } as const;
    told.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: false });
    expect(told.record()).toMatchObject({
      candidates: [],
      trouble: failure,
      gateRuns: { candidate: 0 },
    });
    expect(states(told, 'a b')).toEqual(['queued', 'queued']);
    expect(told.record().recentOutcomes).toEqual([]);
  });

  test('of a candidate that is gone changes nothing but its slot', () => {
    const told = begun();
    told.tell({ type: 'candidate-dropped', run: 'r1', candidate: 'c1', found: 'x' });
    const judged = { type: 'candidate-judged', run: 'r1', candidate: 'c1', count: 2 } as const;
    const verdict = { id: 'failed', ms: 1, failure: red } as const;
    told.tell({ ...judged, tree: 't', gate: 'gate', verdict, cached: false });
    expect(told.record().runningGates).toEqual([]);
    expect(states(told, 'a b')).toEqual(['queued', 'queued']);
  });

  test('that ends red after more was green is not believed: what is implied was not asked for', () => {
    const told = story('a b c d').built('a', 'b', 'c', 'd').judgedAs('c1', false);
    told.judgedAs('c1', true, 3).judgedAs('c1', false, 1);
    expect(told.record().candidates).toMatchObject([{ green: 3 }]);
    expect(states(told, 'a d')).toEqual(['landing', 'returned']);
  });

  test('that ends green with more than what is red is not believed either', () => {
    const told = story('a b c d').built('a', 'b', 'c', 'd').judgedAs('c1', false);
    told.judgedAs('c1', false, 2).judgedAs('c1', true, 3);
    expect(told.record().candidates).toMatchObject([{ green: 0, red: { count: 2 } }]);
  });
});

describe('a branch that was found to blame', () => {
  test('goes back with what the gate said and what it stood on; it counts as bad', () => {
    const told = story('a b c').built('a', 'b', 'c').judgedAs('c1', false);
    told.judgedAs('c1', false, 2).judgedAs('c1', true, 1);
    expect(told.task('b').attempt?.state).toMatchObject({
      id: 'returned',
      failure: { kind: 'gate-red', where: 'candidate' },
      on: 'landing-a',
    });
    expect(states(told, 'a c')).toEqual(['landing', 'queued']);
    expect(told.record().recentOutcomes).toEqual([false]);
    expect(told.record().outcomesByKind).toEqual({ 'scripted task': { good: 0, bad: 1 } });
  });

  test('is not looked for in a candidate on top of another, until that has landed', () => {
    const told = story('a b').built('a').built('b');
    told.judgedAs('c2', false);
    expect(stateOf(told, 'b')).toBe('landing');
    told.judgedAs('c1', true).lands();
    expect(told.task('b').attempt?.state).toMatchObject({ id: 'returned', on: 'landing-a' });
  });

  test('is nobody in a candidate whose ground was bad', () => {
    const told = story('a b').built('a').built('b');
    told.judgedAs('c2', false).judgedAs('c1', false);
    expect(states(told, 'a b')).toEqual(['returned', 'queued']);
    expect(told.record().recentOutcomes).toEqual([false]);
  });

  test('forgets nothing and nobody: only the newest outcomes count', () => {
    const told = story('a');
    for (let times = 0; times < limits.trainWindow + 5; times += 1) {
      told
        .tasks(task(`t${times}`))
        .queued(`t${times}`)
        .built(`t${times}`)
        .candidateJudged(false);
    }
    expect(told.record().recentOutcomes).toHaveLength(limits.trainWindow);
  });
});

describe('a branch that does not merge', () => {
  const conflict = { kind: 'conflict', files: ['x'], target: 'base', branch: 'b' } as const;

  test('with the target goes back to its agent, from the queue or before it is judged', () => {
    const told = story('a').tasks(task('b'), task('c'));
    told.prepared('b').works('b').prepared('c', 2).turn('c', 2);
    for (const id of ['a', 'b', 'c']) {
      told.tell({ type: 'merge-refused', ...of(id), failure: conflict });
    }
    expect(states(told, 'a b c')).toEqual(['returned', 'returned', 'working']);
  });

  test('with what is on the way waits behind that, and keeps its place', () => {
    const told = story('a b').built('a');
    const since = told.task('b').attempt?.state;
    told.tell({ type: 'merge-deferred', ...of('b'), behind: 'c1' });
    expect(told.task('b').attempt?.state).toEqual({ ...since, behind: 'c1' });
    told.tell({ type: 'merge-deferred', ...of('a'), behind: 'c9' });
    expect(stateOf(told, 'a')).toBe('landing');
  });
});

describe('a landing', () => {
  test('of a part marks those that landed, and leaves the others on their way', () => {
    const told = story('a b c').built('a', 'b', 'c').judgedAs('c1', false);
    told.judgedAs('c1', true, 1).lands();
    expect(told.task('a').status).toMatchObject({ id: 'landed', commit: 'landing-a', run: 'r1' });
    expect(states(told, 'b c')).toEqual(['landing', 'landing']);
    expect(told.record()).toMatchObject({ landed: 1, tip: 'landing-a', recentOutcomes: [true] });
    expect(told.record().candidates).toMatchObject([{ landed: 1, green: 1 }]);
  });

  test('told twice counts once', () => {
    const told = story('a b').built('a').judgedAs('c1', true);
    const entries = [{ id: 'a', attempt: 1, commit: 'a-1-1' }];
    const landed = { type: 'landed', run: 'r1', candidate: 'c1', from: 'base', entries } as const;
    told.tell({ ...landed, commit: 'landing-a' });
    const before = told.record();
    told.tell({ ...landed, commit: 'landing-a' });
    expect(told.record()).toMatchObject({
      landed: 1,
      recentOutcomes: [true],
      outcomesByKind: before.outcomesByKind,
    });
  });

  test('a landing that is told late does not take anything back', () => {
    const told = story('a b c d').built('a', 'b', 'c').built('d').judgedAs('c1', true);
    const entries = ['a', 'b', 'c'].map((id) => ({ id, attempt: 1, commit: `${id}-1-1` }));
    const landed = { type: 'landed', run: 'r1', candidate: 'c1', from: 'base' } as const;
    told.tell({ ...landed, commit: 'landing-c', entries });
    told.tell({ ...landed, commit: 'landing-a', entries: entries.slice(0, 1) });
    expect(told.record()).toMatchObject({ tip: 'landing-c', landed: 3 });
    expect(told.record().candidates).toMatchObject([{ id: 'c2', parent: 'landing-c' }]);
    expect(stateOf(told, 'd')).toBe('landing');
  });

  test('makes void what was built on the target beside it', () => {
    const told = story('a b').built('a').builtOn(undefined, 'b');
    told.judgedAs('c1', true).lands();
    expect(told.record().candidates).toEqual([]);
    expect(stateOf(told, 'b')).toBe('queued');
  });

  test('takes along the tasks that the attempt claimed', () => {
    const told = new Story().tasks(task('a'), task('b')).start();
    told
      .prepared('a')
      .turn('a')
      .calls('a', { id: 'claim', ids: ['b'] });
    told.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
    told.built('a').candidateJudged(true).lands();
    expect(told.task('b').status.id).toBe('landed');
    expect(told.record().landed).toBe(2);
  });

  test('of the task that resolved a conflict is also that of the one in conflict', () => {
    const resolving = { type: 'conflict', labels: ['conflict:a'] };
    const told = new Story().tasks(task('a'), task('child', { after: ['a'] })).start();
    told.decided('a', { kind: 'block', reason: 'its conflict is with another task' });
    told.tasks(task('a-conflict', resolving)).prepared('a-conflict');
    told.works('a-conflict', 1, { resolves: 'a' }).judged('a-conflict', true);
    told.built('a-conflict');
    const [candidate] = told.record().candidates;
    const entries = [{ ...candidate?.entries[0], coClaims: ['a'] }] as NonNullable<
      typeof candidate
    >['entries'];
    const landed = { type: 'landed', run: 'r1', candidate: 'c1', from: 'base', entries } as const;
    told.tell({ ...landed, commit: 'landing-a-conflict' });
    expect(told.task('a').status).toMatchObject({ id: 'landed', commit: 'landing-a-conflict' });
    expect(told.task('child').blockers).toBe(0);
  });

  test('is remembered as good ground', () => {
    const told = story('a').built('a').judgedAs('c1', true).lands();
    expect(told.record().clearedCommits).toEqual(['landing-a']);
  });

  test('that waits remembers since when', () => {
    const told = story('a').built('a').judgedAs('c1', true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const waits = { type: 'landing-waits', run: 'r1', candidate: 'c1', failure } as const;
    told.tell({ ...waits, until: 5 });
    const since = told.now;
    told.tell({ ...waits, until: 9 });
    expect(told.record().candidates[0]?.state).toEqual({ id: 'waiting', failure, since, until: 9 });
  });
});

describe('a candidate that is dropped', () => {
  test('takes the whole line with it, but for what has landed', () => {
    const told = story('a b c').built('a', 'b').built('c').judgedAs('c1', true, 1).lands();
    told.tell({ type: 'candidate-dropped', run: 'r1', candidate: 'c1', found: 'x' });
    expect(told.record().candidates).toEqual([]);
    expect(states(told, 'a b c')).toEqual(['landed', 'queued', 'queued']);
  });
});

describe('a target that somebody else moved', () => {
  const moved = { type: 'target-moved', run: 'r1', from: 'base', to: 'theirs' } as const;

  test('is foreign until it was judged', () => {
    const told = story('a').tell(moved);
    expect(told.record()).toMatchObject({ tip: 'theirs', externalTip: 'theirs' });
    told.targetJudged(true, 'other');
    expect(told.record().externalTip).toBe('theirs');
    told.targetJudged(true, 'theirs');
    expect(told.record().externalTip).toBeUndefined();
    expect(told.record().clearedCommits).toContain('theirs');
  });

  test('and is red ends the run, and nobody is blamed', () => {
    const told = story('a').tell(moved).targetJudged(false, 'theirs');
    expect(told.record().trouble).toMatchObject({ kind: 'target-red', commit: 'theirs' });
    expect(stateOf(told, 'a')).toBe('queued');
    expect(told.says()).toEqual(['end-run environment']);
  });

  test('ends the run where an agent did it, or where something that had landed is gone', () => {
    const taken = story('a').tell({ ...moved, by: { id: 'a', attempt: 1 } });
    expect(taken.record().trouble).toEqual({
      kind: 'target-taken',
      task: 'a',
      from: 'base',
      to: 'theirs',
    });
    const rewound = story('a').tell({ ...moved, rewound: true });
    expect(rewound.record().trouble).toMatchObject({ kind: 'target-taken', task: '' });
  });
});

describe('work that is delivered', () => {
  const delivered = (told: Story, url?: string) => {
    const entries = [{ id: 'a', attempt: 1, commit: 'a-1-1' }];
    const of = { run: 'r1', candidate: 'c1', how: 'pr', entries, branch: 'yard/r1/a-1' } as const;
    return told.tell({ type: 'delivered', ...of, ...(url === undefined ? {} : { url }) });
  };

  test('is done for this run, but has not landed: what comes after it waits', () => {
    const told = story('a', { delivery: 'pr' }).tasks(task('child', { after: ['a'] }));
    delivered(told.built('a').judgedAs('c1', true), 'https://example.invalid/1');
    expect(told.task('a').status).toEqual({
      id: 'delivered',
      how: 'pr',
      branch: 'yard/r1/a-1',
      commit: 'a-1-1',
      url: 'https://example.invalid/1',
    });
    expect(told.record()).toMatchObject({ candidates: [], landed: 1, tip: 'base' });
    expect(told.task('child').blockers).toBe(1);
    expect(told.says()).toEqual(['end-run drained']);
  });

  test('as a stack lets those after it begin', () => {
    const told = story('a', { delivery: 'stack' }).tasks(task('child', { after: ['a'] }));
    const entries = [{ id: 'a', attempt: 1, commit: 'a-1-1' }];
    told.built('a').judgedAs('c1', true);
    const of = {
      run: 'r1',
      candidate: 'c1',
      how: 'stack',
      entries,
      branch: 'yard/r1/a-1',
    } as const;
    told.tell({ type: 'delivered', ...of });
    expect(told.task('child').blockers).toBe(0);
  });

  test('told twice counts once', () => {
    const told = story('a', { delivery: 'pr' }).built('a').judgedAs('c1', true);
    delivered(delivered(told));
    expect(told.record().landed).toBe(1);
  });

  test('lets those beside it go on', () => {
    const told = story('a b', { delivery: 'pr' }).built('a').builtOn(undefined, 'b');
    delivered(told.judgedAs('c1', true));
    expect(told.record().candidates).toMatchObject([{ id: 'c2', entries: [{ id: 'b' }] }]);
  });
});

describe('a branch judged by itself', () => {
  test('says how work of its kind comes out only by what lands or is blamed', () => {
    const told = story('a');
    expect(told.record().outcomesByKind).toEqual({});
    told.built('a').judgedAs('c1', true).lands();
    expect(told.record().outcomesByKind).toEqual({ 'scripted task': { good: 1, bad: 0 } });
  });
});
