import { describe, expect, test } from 'vitest';
import { Story, settings, task } from '../../test/story.ts';
import type { RunSettings, TrainSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { isUndecided } from '../plan/line.ts';
import type { RunningGate } from '../plan/record.ts';
import { moveTrain, trainSettings } from './move.ts';
import { queuedBranches } from './queue.ts';

type More = Partial<TrainSettings & { slots: number }> & Pick<RunSettings, 'delivery'>;

/** A run whose branches wait for the train, in this order; those that begin with `!` are the most important. */
function story(names: string, more: More = {}): Story {
  const { delivery, slots: gateSlots = 1, ...train } = more;
  const wished = { batch: 8, style: 'merge', ...train } as const;
  const how = { gateSlots, train: wished, ...(delivery === undefined ? {} : { delivery }) };
  const told = new Story().tasks(...names.split(' ').map(taskOf));
  told.start({ jobs: 1, pool: 99, ...how });
  for (const id of names.split(' ')) told.queued(id.replace('!', ''));
  return told;
}

function taskOf(name: string): Task {
  return name.startsWith('!') ? task(name.slice(1), { priority: 0 }) : task(name);
}

/** Another branch is ready to ride. */
function joins(told: Story, name: string): Story {
  return told.tasks(taskOf(name)).queued(name.replace('!', ''));
}

const earlier = ['s', 't', 'u', 'v', 'w', 'x', 'y', 'z'];

/** A run in which everything was red lately. */
function unlucky(more: More = {}): Story {
  const told = story(earlier.join(' '), more);
  for (const id of earlier) told.built(id).candidateJudged(false);
  return told.targetJudged(true);
}

/** A run in which everything was green lately. */
function lucky(more: More = {}): Story {
  const told = story(earlier.join(' '), more);
  for (const id of earlier) told.built(id).candidateJudged(true).lands();
  return told;
}

/** What the train asks for, in the words of the story. */
function asks(told: Story): readonly string[] {
  return told
    .says()
    .filter((said) => !/^(claim|begin-turn|give-up|judge-target|merge-target|end-run)/.test(said));
}

/** All that waits is built and its gates begin, as decided. */
function goes(told: Story): Story {
  for (let step = 0; step < 20; step += 1) {
    const next = asks(told);
    if (next.some((said) => said.startsWith('begin-gate'))) told.gatesBegin();
    else if (next.some((said) => said.startsWith('build-candidate'))) told.builds();
    else return told;
  }
  throw new Error('it goes on for ever');
}

describe('a train with one gate', () => {
  test('builds a candidate of what waits, judges it together, and lands it', () => {
    const told = story('a b c').built('a', 'b', 'c');
    expect(asks(told)).toEqual(['begin-gate c1']);
    expect(asks(told.gatesBegin())).toEqual(['judge-candidate c1']);
    expect(asks(told.candidateJudged(true))).toEqual(['land c1']);
    expect(asks(told.lands())).toEqual([]);
    expect(told.record().landed).toBe(3);
  });

  test('builds nothing new while something is about to land: that changes what there is to build on', () => {
    const told = joins(goes(story('a', { slots: 2 })), 'b').judgedAs('c1', true);
    expect(asks(told)).toEqual(['land c1']);
    expect(asks(told.lands())).toEqual(['build-candidate b']);
  });

  test('builds nothing new while its gate is at work', () => {
    const told = goes(story('a'));
    expect(asks(joins(told, 'b'))).toEqual(['judge-candidate c1']);
  });

  test('asks for nothing when nothing waits', () => {
    const told = new Story().start();
    expect(moveTrain(told.record(), [], told.now)).toEqual({ commands: [], free: [0] });
  });

  test('has as many in a candidate as pay, given what was red lately', () => {
    const three = (told: Story): readonly string[] => {
      for (const id of ['a', 'b', 'c']) joins(told, id);
      return asks(told);
    };
    expect(three(lucky())).toEqual(['build-candidate a b c']);
    expect(three(lucky({ batch: 2 }))).toEqual(['build-candidate a b']);
    expect(three(unlucky())).toEqual(['build-candidate a']);
  });

  test('has one branch in a candidate in runs of older versions', () => {
    expect(trainSettings(settings())).toEqual({ batch: 1, style: 'merge' });
  });

  test('waits with a landing that is in the way until its time has come', () => {
    const told = goes(story('a')).candidateJudged(true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const until = told.now + 500;
    told.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until });
    const queue = queuedBranches([...told.state.tasks.values()]);
    expect(moveTrain(told.record(), queue, told.now)).toEqual({
      commands: [],
      free: [0],
      wakeAt: until,
    });
    told.now = until;
    expect(asks(told)).toEqual(['land c1']);
  });
});

describe('a red candidate', () => {
  /** Judges whatever is asked for, one gate after the other, with one of the branches bad. */
  function settle(told: Story, bad: string): { readonly toBlame: number; readonly gates: number } {
    let [gates, toBlame] = [0, 0];
    for (let step = 0; step < 90; step += 1) {
      goes(told);
      if (told.task(bad).attempt?.state.id === 'returned') toBlame ||= gates;
      const [gate] = told.record().runningGates;
      if (asks(told).some((said) => said.startsWith('land'))) told.lands();
      else if (gate === undefined) return { toBlame, gates };
      else if (!isNeeded(told, gate)) {
        const { candidate, count } = gate;
        told.tell({ type: 'gate-abandoned', run: 'r1', candidate, count });
      } else {
        gates += 1;
        told.judgedAs(gate.candidate, !holds(told, gate, bad), gate.count);
      }
    }
    throw new Error('it goes on for ever');
  }

  function isNeeded(told: Story, { candidate, count }: RunningGate): boolean {
    return told.record().candidates.some((one) => one.id === candidate && isUndecided(one, count));
  }

  /** Whether a branch is part of what a gate judges, or of what that stands on. */
  function holds(told: Story, { candidate, count }: RunningGate, bad: string): boolean {
    const { candidates: line } = told.record();
    const at = line.findIndex(({ id }) => id === candidate);
    const below = line.slice(0, at).flatMap(({ entries }) => entries);
    const entries = line[at]?.entries.slice(0, count) ?? [];
    return [...below, ...entries].some(({ id }) => id === bad);
  }

  const eight = 'a b c d e f g h';
  /** All eight of them in one candidate, on a target that is green. */
  const inOne = (slots: number): Story =>
    story(eight, { slots })
      .targetJudged(true)
      .built(...eight.split(' '));

  test('is halved until the one to blame is found, and what is green of it lands at once', () => {
    const told = story('a b c d').built('a', 'b', 'c', 'd').candidateJudged(false);
    expect(asks(told)).toEqual(['begin-gate c1 first 2']);
    told.gatesBegin().judgedAs('c1', true, 2);
    expect(asks(told)).toEqual(['land c1 first 2', 'begin-gate c1 first 3']);
    told.lands();
    expect(told.task('b').status.id).toBe('landed');
    expect(asks(told)).toEqual(['begin-gate c1 first 3']);
    told.gatesBegin().judgedAs('c1', true, 3);
    expect(told.task('d').attempt?.state).toMatchObject({ id: 'returned', on: 'landing-c' });
    expect(asks(told)).toEqual(['land c1']);
    expect(told.lands().says()).toContain('merge-target d 1');
    expect(told.task('c').status.id).toBe('landed');
  });

  test('costs about as many gates as halving takes, whoever is to blame', () => {
    for (const bad of eight.split(' ')) {
      const told = inOne(1);
      // One for the whole of it, and about three to halve eight.
      expect([3, 4, 5]).toContain(settle(told, bad).toBlame);
      expect(told.record().landed).toBe(7);
      expect(told.task(bad).attempt?.state.id).toBe('returned');
    }
  });

  test('is judged at several places at once where there are gates', () => {
    const told = inOne(3).candidateJudged(false);
    expect(asks(told)).toEqual([
      'begin-gate c1 first 1',
      'begin-gate c1 first 3',
      'begin-gate c1 first 5',
    ]);
  });

  test('comes to the same with any number of gates', () => {
    for (const slots of [2, 3, 4]) {
      for (const bad of eight.split(' ')) {
        const told = inOne(slots);
        settle(told, bad);
        expect(told.record()).toMatchObject({ landed: 7, line: [], gates: [] });
        expect(told.task(bad).attempt?.state.id).toBe('returned');
        expect(told.record().recentOutcomes.filter((good) => !good)).toHaveLength(1);
      }
    }
  });

  test('of one branch needs no second look', () => {
    const told = goes(story('a')).candidateJudged(false);
    expect(told.task('a').attempt?.state).toMatchObject({ id: 'returned', on: 'base' });
    expect(asks(told)).toEqual([]);
  });

  test('has nothing built on it, and lets go what was', () => {
    const told = story('a b c', { slots: 2 }).built('a', 'b').built('c').gatesBegin();
    expect(told.record().runningGates).toHaveLength(2);
    told.judgedAs('c1', false);
    expect(told.record().candidates).toHaveLength(1);
    expect(told.task('c').attempt?.state.id).toBe('queued');
    expect(asks(told)).toEqual([
      'judge-candidate c2 first 1',
      'interrupt-gate c2 first 1',
      'begin-gate c1 first 1',
    ]);
  });
});

describe('a train with two gates', () => {
  test('judges the next batch on top of the first one, before that is judged', () => {
    const told = goes(story('a'));
    expect(told.record().candidates).toHaveLength(1);
    const two = goes(joins(goes(story('a', { slots: 2 })), 'b'));
    expect(two.record().candidates).toMatchObject([
      { id: 'c1', parent: 'base' },
      { id: 'c2', parent: 'landing-a' },
    ]);
    expect(two.record().runningGates).toMatchObject([
      { candidate: 'c1', slot: 0 },
      { candidate: 'c2', slot: 1 },
    ]);
  });

  test('lands the second only after the first, whichever was judged first', () => {
    const told = goes(joins(goes(story('a', { slots: 2 })), 'b'));
    told.judgedAs('c2', true);
    expect(asks(told)).toEqual(['judge-candidate c1']);
    told.judgedAs('c1', true);
    expect(asks(told)).toEqual(['land c1']);
    expect(asks(told.lands())).toEqual(['land c2']);
    expect(told.lands().record()).toMatchObject({ landed: 2, tip: 'landing-b', line: [] });
  });

  test('ends the gate of a candidate that stands on nothing any more, and takes its branches again', () => {
    const told = goes(joins(goes(story('a', { slots: 2 })), 'b'));
    told.targetJudged(true).judgedAs('c1', false);
    expect(asks(told)).toEqual([
      'judge-candidate c2 first 1',
      'interrupt-gate c2 first 1',
      'build-candidate b',
    ]);
    told.tell({ type: 'gate-abandoned', run: 'r1', candidate: 'c2', count: 1 });
    expect(asks(told)).toEqual(['build-candidate b']);
  });

  test('does not guess where what comes first is likely red', () => {
    const told = goes(joins(unlucky({ slots: 2 }), 'a'));
    expect(asks(joins(told, 'b'))).toEqual(['judge-candidate c9']);
  });

  test('builds on what is green already and cannot land yet, however unlucky it was', () => {
    const told = goes(joins(unlucky({ slots: 2 }), 'a')).judgedAs('c9', true);
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const until = told.now + 500;
    told.tell({ type: 'landing-waits', run: 'r1', candidate: 'c9', failure, until });
    expect(asks(joins(told, 'b'))).toEqual(['build-candidate b']);
    expect(told.builds().record().candidates).toMatchObject([
      { id: 'c9' },
      { parent: 'landing-a' },
    ]);
  });

  test('never has more candidates in line than its gates and one that waits for them', () => {
    for (const slots of [1, 2, 4]) {
      const told = story('a', { slots, batch: 1 });
      for (let more = 0; more < 12; more += 1) goes(joins(told, `b${more}`));
      expect(told.record().candidates.length).toBeLessThanOrEqual(slots + 1);
      expect(told.record().runningGates).toHaveLength(slots);
      expect(new Set(told.record().runningGates.map(({ slot }) => slot)).size).toBe(slots);
    }
  });

  test('does not judge what is at a gate already', () => {
    const told = goes(story('a', { slots: 4 }));
    expect(asks(told)).toEqual(['judge-candidate c1']);
  });
});

describe('the most important work', () => {
  test('goes past what is on the way, on the target itself', () => {
    const told = goes(joins(goes(story('a', { slots: 2 })), 'b'));
    told.judgedAs('c2', true);
    joins(told, '!p');
    expect(asks(told)).toEqual(['judge-candidate c1', 'build-candidate p']);
    goes(told);
    expect(told.record().candidates).toMatchObject([
      { id: 'c3', urgent: true, parent: 'base' },
      { id: 'c1' },
      { id: 'c2' },
    ]);
    told.judgedAs('c3', true);
    expect(asks(told)).toEqual(['judge-candidate c1', 'land c3']);
    told.lands();
    expect(told.record()).toMatchObject({ tip: 'landing-p', line: [] });
    expect(asks(told)).toContain('interrupt-gate c1 first 1');
    expect(asks(told)).toContain('build-candidate a b');
  });

  test('with one gate comes right after the one that is at work, before what else is in line', () => {
    const told = goes(story('a'));
    joins(told, '!p');
    expect(asks(told)).toEqual(['judge-candidate c1']);
    told.judgedAs('c1', true);
    expect(asks(told)).toEqual(['land c1']);
    expect(asks(joins(told, 'b').lands())).toEqual(['build-candidate p']);
  });

  test('goes before the parts of a red candidate', () => {
    const told = story('a b').built('a', 'b');
    joins(told, '!p').judgedAs('c1', false);
    expect(asks(told)).toEqual(['build-candidate p']);
    told.builds();
    expect(asks(told)).toEqual(['begin-gate c2']);
  });

  test('is not overtaken by the next part of a red candidate while another part of it lands', () => {
    const told = story('a b c d').built('a', 'b', 'c', 'd');
    told.judgedAs('c1', false).gatesBegin();
    joins(told, '!p').judgedAs('c1', true, 2);
    expect(asks(told)).toEqual(['land c1 first 2']);
    expect(asks(told.lands())).toEqual(['build-candidate p']);
  });

  test('has one candidate of its own at a time; what is left is not held up by it', () => {
    const told = goes(story('a !p', { slots: 3, batch: 1 }));
    expect(told.record().candidates.filter(({ urgent }) => urgent)).toHaveLength(1);
    expect(told.record().runningGates.map(({ candidate }) => candidate)).toContain('c2');
  });

  test('that is red is to blame by itself, and what it passed goes on', () => {
    const told = goes(joins(goes(story('a', { slots: 2 })), '!p'));
    told.judgedAs('c2', false);
    expect(told.task('p').attempt?.state).toMatchObject({ id: 'returned', on: 'base' });
    expect(told.record().candidates).toMatchObject([{ id: 'c1' }]);
    expect(told.judgedAs('c1', true).lands().record().landed).toBe(1);
  });
});

describe('a target that somebody else moved', () => {
  const moved = { type: 'target-moved', run: 'r1', from: 'base', to: 'theirs' } as const;

  test('is judged before anything is built on it', () => {
    const told = story('a').tell(moved);
    expect(told.says()).toContain('judge-target theirs');
    expect(asks(told)).toEqual([]);
    told.targetJudged(true, 'theirs');
    expect(asks(told)).toEqual(['build-candidate a']);
  });

  test('is not judged where it is known to be good', () => {
    const told = story('a').targetJudged(true, 'theirs').tell(moved);
    expect(told.record().externalTip).toBeUndefined();
    expect(asks(told)).toEqual(['build-candidate a']);
  });
});

describe('what does not land', () => {
  test('is handed over one by one, each judged on the target alone', () => {
    const told = goes(story('a b c', { slots: 2, delivery: 'pr' }));
    expect(told.record().candidates).toMatchObject([
      { parent: 'base', entries: [{ id: 'a' }] },
      { parent: 'base', entries: [{ id: 'b' }] },
    ]);
    told.judgedAs('c1', true);
    expect(asks(told)).toEqual(['judge-candidate c2', 'land c1']);
    told.judgedAs('c2', false);
    expect(told.task('a').attempt?.state.id).toBe('landing');
    expect(told.task('b').attempt?.state).toMatchObject({ id: 'returned', on: 'base' });
  });
});

describe('work that does not merge with what is on the way', () => {
  test('waits for what becomes of that, and holds nobody up', () => {
    const told = goes(story('a', { slots: 2 }));
    joins(told, 'b');
    told.tell({ type: 'merge-deferred', run: 'r1', id: 'b', attempt: 1, behind: 'c1' });
    expect(asks(told)).toEqual(['judge-candidate c1']);
    expect(asks(joins(told, 'c'))).toEqual(['judge-candidate c1', 'build-candidate c']);
    told.judgedAs('c1', true).lands();
    expect(asks(told)).toEqual(['build-candidate b c']);
  });
});
