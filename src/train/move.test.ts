import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { RunSettings, TrainSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { RunningGate } from '../model/train-record.ts';
import { isUndecided } from './candidates.ts';
import { moveTrain } from './move.ts';
import { queuedBranches } from './queue.ts';

type More = Partial<TrainSettings & { slots: number }> & Pick<RunSettings, 'delivery'>;

/** A run whose branches wait for the train, in this order; those that begin with `!` are the most important. */
function newStory(names: string, more: More = {}): Story {
  const { delivery, slots: gateSlots = 1, ...train } = more;
  const how = { gateSlots, train: { batch: 8, style: 'merge', ...train } as const };
  const story = new Story().tasks(...names.split(' ').map(taskOf));
  story.start({ jobs: 1, pool: 99, ...how, ...(delivery && { delivery }) });
  for (const id of names.split(' ')) story.queued(id.replace('!', ''));
  return story;
}

const lineOf = (story: Story) => story.record().train.candidates;
const returnedOn = (commit: string) => ({ id: 'returned', on: { commit } });

function taskOf(name: string): Task {
  return name.startsWith('!') ? task(name.slice(1), { priority: 0 }) : task(name);
}

/** Another branch is ready to ride. */
function joins(story: Story, name: string): Story {
  return story.tasks(taskOf(name)).queued(name.replace('!', ''));
}

const earlier = ['s', 't', 'u', 'v', 'w', 'x', 'y', 'z'];

/** A run in which everything was red lately. */
function unlucky(more: More = {}): Story {
  const story = newStory(earlier.join(' '), more);
  for (const id of earlier) story.built(id).candidateJudged(false);
  return story.targetJudged(true);
}

function afterGreenRun(more: More = {}): Story {
  const story = newStory(earlier.join(' '), more);
  for (const id of earlier) story.built(id).candidateJudged(true).lands();
  return story;
}

function trainCommands(story: Story): readonly string[] {
  return story
    .commands()
    .filter((said) => !/^(claim|begin-turn|give-up|judge-target|merge-target|end-run)/.test(said));
}

/** All that waits is built and its gates begin, as decided. */
function runToGates(story: Story): Story {
  for (let step = 0; step < 20; step += 1) {
    const next = trainCommands(story);
    if (next.some((said) => said.startsWith('begin-gate'))) story.gatesBegin();
    else if (next.some((said) => said.startsWith('build-candidate'))) story.builds();
    else return story;
  }
  throw new Error('it goes on for ever');
}

describe('a train with one gate', () => {
  test('builds a candidate of what waits, judges it together, and lands it', () => {
    const story = newStory('a b c').built('a', 'b', 'c');
    expect(trainCommands(story)).toEqual(['begin-gate c1']);
    expect(trainCommands(story.gatesBegin())).toEqual(['judge-candidate c1']);
    expect(trainCommands(story.candidateJudged(true))).toEqual(['land c1']);
    expect(trainCommands(story.lands())).toEqual([]);
    expect(story.record().train.landed).toBe(3);
  });

  test('builds nothing new while something is about to land: that changes what there is to build on', () => {
    const story = joins(runToGates(newStory('a', { slots: 2 })), 'b').judgedAs('c1', true);
    expect(trainCommands(story)).toEqual(['land c1']);
    expect(trainCommands(story.lands())).toEqual(['build-candidate b']);
  });

  test('builds nothing new while its gate is at work', () => {
    const story = runToGates(newStory('a'));
    expect(trainCommands(joins(story, 'b'))).toEqual(['judge-candidate c1']);
  });

  test('asks for nothing when nothing waits', () => {
    const story = new Story().start();
    const asked = moveTrain(story.state, story.record(), [], story.now);
    expect(asked).toEqual({ commands: [], free: [0] });
  });

  test('has as many in a candidate as pay, given what was red lately', () => {
    const three = (story: Story): readonly string[] => {
      for (const id of ['a', 'b', 'c']) joins(story, id);
      return trainCommands(story);
    };
    expect(three(afterGreenRun())).toEqual(['build-candidate a b c']);
    expect(three(afterGreenRun({ batch: 2 }))).toEqual(['build-candidate a b']);
    expect(three(unlucky())).toEqual(['build-candidate a']);
  });

  test('waits with a landing that is in the way until its time has come', () => {
    const story = runToGates(newStory('a')).candidateJudged(true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const until = story.now + 500;
    story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until });
    const queue = queuedBranches([...story.state.tasks.values()]);
    const asked = moveTrain(story.state, story.record(), queue, story.now);
    expect(asked).toEqual({ commands: [], free: [0], wakeAt: until });
    story.now = until;
    expect(trainCommands(story)).toEqual(['land c1']);
  });
});

describe('a red candidate', () => {
  /** Judges whatever is asked for, one gate after the other, with one of the branches bad. */
  function settle(story: Story, bad: string): { readonly toBlame: number; readonly gates: number } {
    let [gates, toBlame] = [0, 0];
    for (let step = 0; step < 90; step += 1) {
      runToGates(story);
      if (story.task(bad).attempt?.state.id === 'returned') toBlame ||= gates;
      const [gate] = story.record().train.runningGates;
      if (trainCommands(story).some((said) => said.startsWith('land'))) story.lands();
      else if (gate === undefined) return { toBlame, gates };
      else if (!isNeeded(story, gate)) {
        const { candidate, count } = gate;
        story.tell({ type: 'gate-abandoned', run: 'r1', candidate, count });
      } else {
        gates += 1;
        story.judgedAs(gate.candidate, !holds(story, gate, bad), gate.count);
      }
    }
    throw new Error('it goes on for ever');
  }

  function isNeeded(story: Story, { candidate, count }: RunningGate): boolean {
    return lineOf(story).some((one) => one.id === candidate && isUndecided(one, count));
  }

  /** True if a branch is part of the judged candidate, or of a candidate below it. */
  function holds(story: Story, { candidate, count }: RunningGate, bad: string): boolean {
    const line = lineOf(story);
    const at = line.findIndex(({ id }) => id === candidate);
    const below = line.slice(0, at).flatMap(({ entries }) => entries);
    return [...below, ...(line[at]?.entries.slice(0, count) ?? [])].some(({ id }) => id === bad);
  }

  const eight = 'a b c d e f g h';
  /** All eight of them in one candidate, on a target that is green. */
  const inOne = (slots: number): Story =>
    newStory(eight, { slots })
      .targetJudged(true)
      .built(...eight.split(' '));

  test('is halved until the one to blame is found, and what is green of it lands at once', () => {
    const story = newStory('a b c d').built('a', 'b', 'c', 'd').candidateJudged(false);
    expect(trainCommands(story)).toEqual(['begin-gate c1 first 2']);
    story.gatesBegin().judgedAs('c1', true, 2);
    expect(trainCommands(story)).toEqual(['land c1 first 2', 'begin-gate c1 first 3']);
    story.lands();
    expect(story.task('b').status.id).toBe('landed');
    expect(trainCommands(story)).toEqual(['begin-gate c1 first 3']);
    story.gatesBegin().judgedAs('c1', true, 3);
    expect(story.task('d').attempt?.state).toMatchObject(returnedOn('landing-c'));
    expect(trainCommands(story)).toEqual(['land c1']);
    expect(story.lands().commands()).toContain('merge-target d 1');
    expect(story.task('c').status.id).toBe('landed');
  });

  test('costs about as many gates as halving takes, whoever is to blame', () => {
    for (const bad of eight.split(' ')) {
      const story = inOne(1);
      // One for the whole of it, and about three to halve eight.
      expect([3, 4, 5]).toContain(settle(story, bad).toBlame);
      expect(story.record().train.landed).toBe(7);
      expect(story.task(bad).attempt?.state.id).toBe('returned');
    }
  });

  test('is judged at several places at once where there are gates', () => {
    const story = inOne(3).candidateJudged(false);
    expect(trainCommands(story)).toEqual([
      'begin-gate c1 first 1',
      'begin-gate c1 first 3',
      'begin-gate c1 first 5',
    ]);
  });

  test('comes to the same with any number of gates', () => {
    for (const slots of [2, 3, 4]) {
      for (const bad of eight.split(' ')) {
        const story = inOne(slots);
        settle(story, bad);
        expect(story.record().train).toMatchObject({ landed: 7, candidates: [], runningGates: [] });
        expect(story.task(bad).attempt?.state.id).toBe('returned');
        expect(story.record().train.recentOutcomes.filter((good) => !good)).toHaveLength(1);
      }
    }
  });

  test('of one branch needs no second look', () => {
    const story = runToGates(newStory('a')).candidateJudged(false);
    expect(story.task('a').attempt?.state).toMatchObject(returnedOn('base'));
    expect(trainCommands(story)).toEqual([]);
  });

  test('has nothing built on it, and lets go what was', () => {
    const story = newStory('a b c', { slots: 2 }).built('a', 'b').built('c').gatesBegin();
    expect(story.record().train.runningGates).toHaveLength(2);
    story.judgedAs('c1', false);
    expect(story.record().train.candidates).toHaveLength(1);
    expect(story.task('c').attempt?.state.id).toBe('queued');
    expect(trainCommands(story)).toEqual([
      'judge-candidate c2 first 1',
      'interrupt-gate c2 first 1',
      'begin-gate c1 first 1',
    ]);
  });
});

describe('a train with two gates', () => {
  test('judges the next batch on top of the first one, before that is judged', () => {
    const story = runToGates(newStory('a'));
    expect(story.record().train.candidates).toHaveLength(1);
    const two = runToGates(joins(runToGates(newStory('a', { slots: 2 })), 'b'));
    expect(two.record().train.candidates).toMatchObject([
      { id: 'c1', parent: 'base' },
      { id: 'c2', parent: 'landing-a' },
    ]);
    expect(two.record().train.runningGates).toMatchObject([
      { candidate: 'c1', slot: 0 },
      { candidate: 'c2', slot: 1 },
    ]);
  });

  test('lands the second only after the first, whichever was judged first', () => {
    const story = runToGates(joins(runToGates(newStory('a', { slots: 2 })), 'b'));
    story.judgedAs('c2', true);
    expect(trainCommands(story)).toEqual(['judge-candidate c1']);
    story.judgedAs('c1', true);
    expect(trainCommands(story)).toEqual(['land c1']);
    expect(trainCommands(story.lands())).toEqual(['land c2']);
    const { train, target } = story.lands().record();
    expect([train.landed, train.candidates, target.tip]).toEqual([2, [], 'landing-b']);
  });

  test('ends the gate of a candidate that stands on nothing any more, and takes its branches again', () => {
    const story = runToGates(joins(runToGates(newStory('a', { slots: 2 })), 'b'));
    story.targetJudged(true).judgedAs('c1', false);
    expect(trainCommands(story)).toEqual([
      'judge-candidate c2 first 1',
      'interrupt-gate c2 first 1',
      'build-candidate b',
    ]);
    story.tell({ type: 'gate-abandoned', run: 'r1', candidate: 'c2', count: 1 });
    expect(trainCommands(story)).toEqual(['build-candidate b']);
  });

  test('does not guess where what comes first is likely red', () => {
    const story = runToGates(joins(unlucky({ slots: 2 }), 'a'));
    expect(trainCommands(joins(story, 'b'))).toEqual(['judge-candidate c9']);
  });

  test('builds on what is green already and cannot land yet, however unlucky it was', () => {
    const story = runToGates(joins(unlucky({ slots: 2 }), 'a')).judgedAs('c9', true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const until = story.now + 500;
    story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c9', failure, until });
    expect(trainCommands(joins(story, 'b'))).toEqual(['build-candidate b']);
    expect(story.builds().record().train.candidates).toMatchObject([
      { id: 'c9' },
      { parent: 'landing-a' },
    ]);
  });

  test('never has more candidates in line than its gates and one that waits for them', () => {
    for (const slots of [1, 2, 4]) {
      const story = newStory('a', { slots, batch: 1 });
      for (let more = 0; more < 12; more += 1) runToGates(joins(story, `b${more}`));
      expect(story.record().train.candidates.length).toBeLessThanOrEqual(slots + 1);
      expect(story.record().train.runningGates).toHaveLength(slots);
      expect(new Set(story.record().train.runningGates.map(({ slot }) => slot)).size).toBe(slots);
    }
  });

  test('does not judge what is at a gate already', () => {
    const story = runToGates(newStory('a', { slots: 4 }));
    expect(trainCommands(story)).toEqual(['judge-candidate c1']);
  });
});

describe('the most important work', () => {
  test('goes past what is on the way, on the target itself', () => {
    const story = runToGates(joins(runToGates(newStory('a', { slots: 2 })), 'b'));
    story.judgedAs('c2', true);
    joins(story, '!p');
    expect(trainCommands(story)).toEqual(['judge-candidate c1', 'build-candidate p']);
    runToGates(story);
    expect(story.record().train.candidates).toMatchObject([
      { id: 'c3', urgent: true, parent: 'base' },
      { id: 'c1' },
      { id: 'c2' },
    ]);
    story.judgedAs('c3', true);
    expect(trainCommands(story)).toEqual(['judge-candidate c1', 'land c3']);
    story.lands();
    expect([story.record().target.tip, lineOf(story)]).toEqual(['landing-p', []]);
    expect(trainCommands(story)).toContain('interrupt-gate c1 first 1');
    expect(trainCommands(story)).toContain('build-candidate a b');
  });

  test('with one gate comes right after the one that is at work, before what else is in line', () => {
    const story = runToGates(newStory('a'));
    joins(story, '!p');
    expect(trainCommands(story)).toEqual(['judge-candidate c1']);
    story.judgedAs('c1', true);
    expect(trainCommands(story)).toEqual(['land c1']);
    expect(trainCommands(joins(story, 'b').lands())).toEqual(['build-candidate p']);
  });

  test('goes before the parts of a red candidate', () => {
    const story = newStory('a b').built('a', 'b');
    joins(story, '!p').judgedAs('c1', false);
    expect(trainCommands(story)).toEqual(['build-candidate p']);
    story.builds();
    expect(trainCommands(story)).toEqual(['begin-gate c2']);
  });

  test('is not overtaken by the next part of a red candidate while another part of it lands', () => {
    const story = newStory('a b c d').built('a', 'b', 'c', 'd');
    story.judgedAs('c1', false).gatesBegin();
    joins(story, '!p').judgedAs('c1', true, 2);
    expect(trainCommands(story)).toEqual(['land c1 first 2']);
    expect(trainCommands(story.lands())).toEqual(['build-candidate p']);
  });

  test('has one candidate of its own at a time; what is left is not held up by it', () => {
    const story = runToGates(newStory('a !p', { slots: 3, batch: 1 }));
    expect(story.record().train.candidates.filter(({ urgent }) => urgent)).toHaveLength(1);
    expect(story.record().train.runningGates.map(({ candidate }) => candidate)).toContain('c2');
  });

  test('that is red is to blame by itself, and what it passed goes on', () => {
    const story = runToGates(joins(runToGates(newStory('a', { slots: 2 })), '!p'));
    story.judgedAs('c2', false);
    expect(story.task('p').attempt?.state).toMatchObject(returnedOn('base'));
    expect(story.record().train.candidates).toMatchObject([{ id: 'c1' }]);
    expect(story.judgedAs('c1', true).lands().record().train.landed).toBe(1);
  });
});

describe('a target that somebody else moved', () => {
  const moved = { type: 'target-moved', run: 'r1', from: 'base', to: 'theirs' } as const;

  test('is judged before anything is built on it', () => {
    const story = newStory('a').tell(moved);
    expect(story.commands()).toContain('judge-target theirs');
    expect(trainCommands(story)).toEqual([]);
    story.targetJudged(true, 'theirs');
    expect(trainCommands(story)).toEqual(['build-candidate a']);
  });

  test('is not judged where it is known to be good', () => {
    const story = newStory('a').targetJudged(true, 'theirs').tell(moved);
    expect(story.record().target.externalTip).toBeUndefined();
    expect(trainCommands(story)).toEqual(['build-candidate a']);
  });
});

describe('what does not land', () => {
  test('is handed over one by one, each judged on the target alone', () => {
    const story = runToGates(newStory('a b c', { slots: 2, delivery: 'pr' }));
    expect(story.record().train.candidates).toMatchObject([
      { parent: 'base', entries: [{ id: 'a' }] },
      { parent: 'base', entries: [{ id: 'b' }] },
    ]);
    story.judgedAs('c1', true);
    expect(trainCommands(story)).toEqual(['judge-candidate c2', 'land c1']);
    story.judgedAs('c2', false);
    expect(story.task('a').attempt?.state.id).toBe('landing');
    expect(story.task('b').attempt?.state).toMatchObject(returnedOn('base'));
  });
});

describe('work that does not merge with what is on the way', () => {
  test('waits for what becomes of that, and holds nobody up', () => {
    const story = runToGates(newStory('a', { slots: 2 }));
    joins(story, 'b');
    story.tell({ type: 'merge-deferred', run: 'r1', id: 'b', attempt: 1, behind: 'c1' });
    expect(trainCommands(story)).toEqual(['judge-candidate c1']);
    expect(trainCommands(joins(story, 'c'))).toEqual(['judge-candidate c1', 'build-candidate c']);
    story.judgedAs('c1', true).lands();
    expect(trainCommands(story)).toEqual(['build-candidate b c']);
  });
});
