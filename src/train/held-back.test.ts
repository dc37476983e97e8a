import { describe, expect, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { Story, task } from '../../test/story.ts';
import { keyOf } from '../model/command.ts';
import { limits } from '../model/limits.ts';

const cause = (...files: readonly string[]): string =>
  `error: Your local changes to the following files would be overwritten by merge:\n${files.map((file) => `\t${file}\n`).join('')}Please commit your changes or stash them before you merge.`;

const edited = (...files: readonly string[]) =>
  ({ kind: 'checkout-in-the-way', dir: '/', cause: cause(...files) }) as const;

/** A run whose branches wait for the train. Branch `a` changes a.txt, and so on. */
function newStory(names: string, gateSlots = 1): Story {
  const ids = names.split(' ');
  const story = new Story().tasks(...ids.map((id) => task(id)));
  story.start({ jobs: 1, pool: 99, gateSlots, train: { batch: 8, style: 'merge' } });
  for (const id of ids) joins(story, id);
  return story.targetJudged(true);
}

function joins(story: Story, id: string, file = `${id}.txt`): Story {
  const changes = { files: [file], count: 1, added: 1, removed: 0 };
  return story.prepared(id).works(id, 1, { changes }).judged(id, true);
}

/** The user's edit of these files keeps a candidate from landing. */
function waits(story: Story, candidate: string, ...files: readonly string[]): Story {
  const until = story.now + 500;
  const of = { type: 'landing-waits', run: 'r1', candidate, until } as const;
  return story.tell({ ...of, failure: edited(...files), inTheWay: [...files] });
}

const trainCommands = (story: Story): readonly string[] =>
  story.commands().filter((one) => /^(build-candidate|begin-gate|land|end-run)/.test(one));

const states = (story: Story, names: string) =>
  names.split(' ').map((id) => story.task(id).attempt?.state.id);

test('while a landing waits for the shared repository, the next candidate is built on top of it', () => {
  const story = newStory('a', 2).built('a').judgedAs('c1', true);
  const failure = { kind: 'share-slow', ms: 1 } as const;
  const until = story.now + 500;
  story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until });
  joins(story.tasks(task('b')), 'b');
  const { commands } = story.decide();
  expect(commands).toContainEqual(
    expect.objectContaining({ type: 'build-candidate', on: expect.objectContaining({ id: 'c1' }) }),
  );
});

describe('a green branch that an edit of the user keeps from landing', () => {
  test('lets a branch that comes later land without it, then is judged again', () => {
    const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'a.txt');
    joins(story.tasks(task('b')), 'b');
    expect(trainCommands(story)).toEqual(['build-candidate b']);
    story.builds();
    expect(story.record().train.candidates).toMatchObject([
      { id: 'c1', state: { id: 'waiting' } },
      { id: 'c2', parent: 'base' },
    ]);
    story.judgedAs('c2', true);
    expect(trainCommands(story)).toEqual(['land c2']);
    story.tell({ ...landing(story, 'c2') });
    expect(states(story, 'a b')).toEqual(['queued', 'landed']);
    expect(trainCommands(story)).toEqual([]);
    story.now += 500;
    expect(trainCommands(story)).toEqual(['build-candidate a']);
    expect(trainCommands(story.builds().gatesBegin().judgedAs('c3', true))).toEqual(['land c3']);
  });

  test('is tried again while nothing else lands', () => {
    const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'a.txt');
    expect(story.decide().wakeAt).toBe(story.now + 499);
    story.now += 500;
    expect(trainCommands(story)).toEqual(['land c1']);
  });

  test('is taken out of a candidate with others, which are built again', () => {
    const story = waits(newStory('a b').built('a', 'b').judgedAs('c1', true), 'c1', 'a.txt');
    expect(states(story, 'a b')).toEqual(['queued', 'queued']);
    expect(trainCommands(story)).toEqual(['build-candidate b']);
    expect(trainCommands(story.builds().judgedAs('c2', true))).toEqual(['land c2']);
  });

  test('has nothing built on it, and what was built on it queues again', () => {
    const story = newStory('a b', 2).built('a').built('b').judgedAs('c1', true);
    waits(story, 'c1', 'a.txt');
    expect(states(story, 'a b')).toEqual(['landing', 'queued']);
    expect(trainCommands(story)).toEqual(['build-candidate b']);
  });

  test('holds back branches that change the same file while it waits', () => {
    const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'src');
    joins(story.tasks(task('x')), 'x', 'src/deep/x.txt');
    expect(trainCommands(story)).toEqual([]);
  });

  test('is found by trying each branch alone, if none is known to change the file', () => {
    const story = waits(newStory('a b').built('a', 'b').judgedAs('c1', true), 'c1', 'x.txt');
    expect(states(story, 'a b')).toEqual(['queued', 'queued']);
    story.now += 500;
    expect(trainCommands(story)).toEqual(['build-candidate a']);
    waits(story.builds().gatesBegin().judgedAs('c2', true), 'c2', 'x.txt');
    expect(trainCommands(story)).toEqual(['build-candidate b']);
  });

  test('does not wait for other branches if it is urgent', () => {
    const story = newStory('a').built('a').judgedAs('c1', true);
    story.tell({ type: 'task-changed', task: { ...story.task('a').task, priority: 0 } });
    waits(story, 'c1', 'a.txt');
    joins(story.tasks(task('b')), 'b')
      .builds()
      .judgedAs('c2', true);
    story.tell({ ...landing(story, 'c2') });
    joins(story.tasks(task('d')), 'd');
    expect(trainCommands(story)).toEqual(['build-candidate d']);
    story.now += 500;
    expect(trainCommands(story)).toEqual(['build-candidate a']);
  });

  test('comes before others once it has waited for long', () => {
    const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'a.txt');
    joins(story.tasks(task('b')), 'b')
      .builds()
      .judgedAs('c2', true);
    story.tell({ ...landing(story, 'c2') });
    joins(story.tasks(task('d')), 'd');
    story.now += limits.trainAgeMs - 500;
    expect(trainCommands(story)).toEqual(['build-candidate d']);
    story.now += 500;
    expect(trainCommands(story)).toEqual(['build-candidate a']);
  });

  test('is never landed while another landing is under way', () => {
    const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'a.txt');
    joins(story.tasks(task('b')), 'b')
      .builds()
      .gatesBegin();
    story.now += 500;
    const keys = () =>
      story
        .decide()
        .commands.filter(({ type }) => type === 'land')
        .map(keyOf);
    const underWay = keys();
    story.judgedAs('c2', true);
    expect([trainCommands(story), keys()]).toEqual([['land c2'], underWay]);
  });

  test('ends the run with the reason after a while, also if others landed meanwhile', () => {
    const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'a.txt');
    joins(story.tasks(task('b')), 'b')
      .builds()
      .judgedAs('c2', true);
    story.tell({ ...landing(story, 'c2') });
    story.now += limits.machinePatienceMs;
    story.builds().judgedAs('c3', true);
    waits(story, 'c3', 'a.txt');
    expect(story.decide().commands).toMatchObject([
      { type: 'end-run', stop: { failure: { kind: 'checkout-in-the-way' } } },
    ]);
  });
});

test('anything else in the way of the checkout holds up all branches', () => {
  const story = newStory('a b', 2).built('a').built('b').judgedAs('c1', true);
  const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'a rebase' } as const;
  story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', until: 9, failure });
  expect(states(story, 'a b')).toEqual(['landing', 'landing']);
});

test('of two green candidates on the target, one that is dropped leaves the other', () => {
  const story = waits(newStory('a').built('a').judgedAs('c1', true), 'c1', 'a.txt');
  joins(story.tasks(task('b')), 'b')
    .builds()
    .judgedAs('c2', true);
  // The target may be at c2 already, by an engine that died before it could say so.
  const dropped = {
    type: 'candidate-dropped',
    run: 'r1',
    candidate: 'c1',
    reason: { id: 'target-moved', to: 'x' },
  } as const;
  story.tell({ ...dropped, alone: true });
  expect(states(story, 'a b')).toEqual(['queued', 'landing']);
});

describe('in a log of an older version', () => {
  test('a candidate that an edit keeps from landing waits as a whole, and what is built on it stays', () => {
    const story = newStory('a b', 2).built('a').built('b').judgedAs('c1', true);
    const old = { type: 'landing-waits', run: 'r1', candidate: 'c1', until: 9 } as const;
    story.tell({ ...old, failure: edited('a.txt') });
    expect(states(story, 'a b')).toEqual(['landing', 'landing']);
  });

  test('a candidate that is dropped takes all others along', () => {
    const story = newStory('a b', 2).built('a').built('b').judgedAs('c1', true);
    story.tell({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c2',
      reason: { id: 'target-moved', to: 'x' },
    });
    expect(states(story, 'a b')).toEqual(['queued', 'queued']);
  });
});

function landing(story: Story, id: string) {
  const candidate = need(story.record().train.candidates.find((one) => one.id === id));
  const { entries, commit, parent: from } = candidate;
  return { type: 'landed', run: 'r1', candidate: id, commit, from, entries } as const;
}
