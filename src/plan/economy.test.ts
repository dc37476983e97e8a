import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { sparedBecause } from './economy.ts';

/** A run in which `a` has work to be judged. */
function story(more: Partial<RunSettings> = {}, type = 'task'): Story {
  const told = new Story().tasks(task('a', { type }), task('b'), task('c'));
  return told
    .start({ jobs: 3, pool: 99, ...more })
    .prepared('a')
    .works('a');
}

function spared(told: Story): string | undefined {
  const live = [...told.state.live].map((id) => told.task(id));
  return sparedBecause(told.task('a'), told.record(), live);
}

/** Work of the same kind came out like this before. */
function seen(good: number, bad: number, more: Partial<RunSettings> = {}): Story {
  const told = story({ branchGate: 'auto', ...more });
  for (let at = 0; at < good; at += 1) told.tasks(task(`g${at}`)).landed(`g${at}`, 2);
  for (let at = 0; at < bad; at += 1) {
    told
      .tasks(task(`b${at}`))
      .queued(`b${at}`, 2)
      .coupled(`b${at}`)
      .candidateJudged(false);
  }
  // Somebody is on the way, so that the train is not idle.
  return told.queued('b', 2).coupled('b');
}

describe('the gate of a branch', () => {
  test('is always run where nobody says otherwise', () => {
    expect(spared(story())).toBeUndefined();
    expect(spared(story({ branchGate: 'always' }))).toBeUndefined();
    expect(story().says()).toContain('judge-branch a 1');
  });

  test('is never run where it is not wanted', () => {
    const told = story({ branchGate: 'never' });
    expect(spared(told)).toBe('gate.branch is never');
    expect(told.says()).toContain('spare-gate a 1');
  });

  test('is run in front of a review, however idle the train is: nobody is to look at red work', () => {
    const review = { reviewers: ['critic'], person: false, rounds: 1, retries: 0 };
    expect(spared(story({ branchGate: 'auto' }))).toContain('idle');
    expect(spared(story({ branchGate: 'auto', review }))).toBeUndefined();
    const pipelines = { default: ['work', 'gate', 'land'] } as const;
    expect(spared(story({ branchGate: 'auto', review, pipelines }))).toContain('idle');
  });

  test('is not run for tasks whose type skips it', () => {
    const pipelines = { docs: ['work', 'land'] } as const;
    expect(spared(story({ pipelines }, 'docs'))).toBe('tasks of type docs skip it');
    expect(spared(story({ pipelines }))).toBeUndefined();
  });
});

describe('the gate of a branch, where the run may decide', () => {
  test('is spared while the train is idle: the candidate is judged at once anyway', () => {
    expect(spared(story({ branchGate: 'auto' }))).toContain('idle');
  });

  test('is run while others queue, are in line or at a gate, and nothing is known of such work', () => {
    const told = story({ branchGate: 'auto' }).queued('b', 2);
    expect(spared(told)).toBeUndefined();
    told.coupled('b');
    expect(spared(told)).toBeUndefined();
    told.gatesBegin();
    told.tell({ type: 'candidate-dropped', run: 'r1', candidate: 'c1', found: 'x' });
    told.decided('b', { kind: 'cancel', reason: 'x' });
    expect(spared(told)).toBeUndefined();
  });

  test('is spared where work of its kind was good nearly always', () => {
    expect(spared(seen(3, 0))).toContain('3 of 3');
    expect(spared(seen(2, 0))).toBeUndefined();
    expect(spared(seen(8, 1))).toContain('8 of 9');
    expect(spared(seen(4, 1))).toBeUndefined();
  });

  test('is run where work of its kind was often bad, and the train is busy', () => {
    expect(spared(seen(1, 3))).toBeUndefined();
  });

  test('learns by agent and type: others say nothing about it', () => {
    const told = story({ branchGate: 'auto' }, 'hard');
    for (const id of ['g1', 'g2', 'g3', 'g4']) told.tasks(task(id)).landed(id, 2);
    told.queued('b', 2);
    expect(spared(told)).toBeUndefined();
    const other = story({ branchGate: 'auto' });
    for (const id of ['g1', 'g2', 'g3', 'g4']) {
      other.tasks(task(id)).prepared(id, 2, 'base', 'other').works(id, 2).judged(id, true);
      other.coupled(id).candidateJudged(true).lands();
    }
    expect(spared(other.queued('b', 2))).toBeUndefined();
  });

  test('is run where it has a quick command of its own, also while the train is idle', () => {
    expect(spared(story({ branchGate: 'auto', quickGate: true }))).toBeUndefined();
    expect(spared(seen(3, 0, { quickGate: true }))).toContain('3 of 3');
  });
});
