import { describe, expect, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { red, Story, task } from '../../test/story.ts';
import { stepText } from '../report/event/step.ts';
import { confirmedIn } from '../task/red-work.ts';
import { queuedBranches } from './queue.ts';

/** Branches that wait for the train; each changed a file with its own name. */
function newStory(ids: string): Story {
  const names = ids.split(' ');
  const story = new Story().tasks(...names.map((id) => task(id)));
  story.start({ jobs: 1, pool: 99, gateSlots: 1, train: { batch: 8, style: 'merge' } });
  for (const id of names) {
    const changes = { files: [`src/${id}.ts`], count: 1, added: 1, removed: 0 };
    story.prepared(id).works(id, 1, { changes }).judged(id, true);
  }
  return story;
}

/** A verdict on a whole candidate whose failing test names this file. */
function failsIn(story: Story, file: string, confirmed: readonly string[] = []): Story {
  const candidate = need(story.record().train.candidates.at(-1));
  const failures = [{ name: `${file} > adds`, message: 'expected 2' }];
  const evidence = { ...red.evidence, failures };
  const failure = { ...red, where: 'candidate', evidence, confirmed } as const;
  const { id, tree } = candidate;
  const verdict = { id: 'failed', ms: 1, failure } as const;
  const of = { run: 'r1', candidate: id, tree, gate: 'gate', cached: false } as const;
  return story.tell({ type: 'candidate-judged', ...of, verdict });
}

const order = (story: Story): string =>
  queuedBranches([...story.state.live].flatMap((id) => story.state.task(id) ?? []))
    .map(({ facts, needsOwnCandidate }) =>
      needsOwnCandidate ? `${facts.entry.id}!` : facts.entry.id,
    )
    .join(' ');

/** Confirmed tests that the gate which is decided next knows. */
function confirmedNext(story: Story): readonly string[] {
  const found = story.decide().commands.find(({ type }) => type === 'judge-candidate');
  return found?.type === 'judge-candidate' ? found.confirmed.flatMap(({ tests }) => tests) : [];
}

describe('a red candidate whose failures name a file that one of its branches changed', () => {
  test('is taken apart: the others go first, and the suspect rides alone behind them', () => {
    const story = failsIn(newStory('a b c d').built('a', 'b', 'c', 'd'), 'src/b.ts');
    expect(story.record().train.candidates).toEqual([]);
    expect(order(story)).toBe('a c d b!');
    const told = story.state.takeSteps().filter(([, { what }]) => what.type === 'taken-apart');
    expect(told.map(([id, { what }]) => [id, stepText({ at: 0, what }).text])).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => [
        id,
        'queued again: the failures point to b; it is judged alone, after the others',
      ]),
    );
  });

  test('blames nobody until the suspect is red on top of the others', () => {
    const story = failsIn(newStory('a b c d').built('a', 'b', 'c', 'd'), 'src/b.ts');
    expect(story.record().train.recentOutcomes).toEqual([]);
    story.built('a', 'c', 'd').candidateJudged(true).lands().built('b').candidateJudged(false);
    expect(story.task('b').attempt?.state).toMatchObject({
      id: 'returned',
      on: { commit: 'landing-d-c2' },
    });
    expect(story.record().train.recentOutcomes).toEqual([true, true, true, false]);
  });

  test('lands a suspect that turns out to be green', () => {
    const story = failsIn(newStory('a b c').built('a', 'b', 'c'), 'src/b.ts');
    story.built('a', 'c').candidateJudged(true).lands().built('b').candidateJudged(true).lands();
    expect(story.record().train.landed).toBe(3);
  });

  test('is searched by prefixes if the others are red as well', () => {
    const story = failsIn(newStory('a b c d').built('a', 'b', 'c', 'd'), 'src/b.ts');
    failsIn(story.built('a', 'c', 'd'), 'src/c.ts');
    expect(story.record().train.candidates).toMatchObject([{ id: 'c2', red: { count: 3 } }]);
  });

  test('is searched by prefixes if it has two branches, or if most are suspects', () => {
    const two = failsIn(newStory('a b').built('a', 'b'), 'src/b.ts');
    expect(two.record().train.candidates).toMatchObject([{ red: { count: 2 } }]);
    const most = failsIn(newStory('a b c').built('a', 'b', 'c'), 'src/b.ts src/c.ts');
    expect(most.record().train.candidates).toMatchObject([{ red: { count: 3 } }]);
    const none = failsIn(newStory('a b c').built('a', 'b', 'c'), 'src/z.ts');
    expect(none.record().train.candidates).toMatchObject([{ red: { count: 3 } }]);
  });

  test('is left as it is on top of another candidate: that one may be the cause', () => {
    const story = failsIn(newStory('x a b c').built('x').built('a', 'b', 'c'), 'src/b.ts');
    expect(story.record().train.candidates).toMatchObject([{ id: 'c1' }, { id: 'c2' }]);
  });
});

describe('a failure that a rerun has confirmed', () => {
  test('is known to gates of fewer branches of the same candidate', () => {
    const story = failsIn(newStory('a b').built('a', 'b'), 'src/z.ts', ['adds']).gatesBegin();
    expect(confirmedNext(story)).toEqual(['adds']);
  });

  test('is known to gates of branches of a candidate that was taken apart, but not with others', () => {
    const apart = () =>
      failsIn(newStory('a b c d x').built('a', 'b', 'c', 'd'), 'src/b.ts', ['adds']);
    expect(confirmedNext(apart().built('a', 'c', 'd').gatesBegin())).toEqual(['adds']);
    expect(confirmedNext(apart().built('b').gatesBegin())).toEqual(['adds']);
    expect(confirmedNext(apart().built('a', 'c', 'x').gatesBegin())).toEqual([]);
  });

  test('is known to the gate of returned work, also inside other failures', () => {
    const failure = { ...red, confirmed: ['adds'] } as const;
    const known = [{ command: 'npm test', tests: ['adds'] }];
    expect(confirmedIn([{ kind: 'no-progress', last: failure }])).toEqual(known);
    expect(confirmedIn([red, undefined, { kind: 'no-changes', tail: '' }])).toEqual([]);
  });
});
