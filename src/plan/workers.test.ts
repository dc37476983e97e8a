import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { WorkerState } from '../model/run-record.ts';
import { decide } from './decide.ts';

const gpu = { ...task('g'), labels: ['needs:gpu'] };

function worker(story: Story, id: string, state: WorkerState = 'joined', slots = 2): Story {
  const labels = id === 'w2' ? ['gpu'] : [];
  const of = { run: story.run, worker: id, host: `${id}.example`, labels, slots, state };
  return story.tell({ type: 'worker-changed', ...of });
}

function begun(jobs = 1): Story {
  return new Story().tasks(...['a', 'b', 'c', 'd'].map((id) => task(id))).start({ jobs });
}

function commandsOf(story: Story) {
  return decide(story.state, story.run, story.now).commands;
}

function claims(story: Story): readonly (readonly [string, number])[] {
  return commandsOf(story).flatMap((command) =>
    command.type === 'claim' ? [[command.id, command.slot] as const] : [],
  );
}

describe('a worker', () => {
  test('brings slots of its own, and the attempts in them are on it', () => {
    const story = worker(begun(), 'w1');
    expect(claims(story)).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    story.prepared('a', 1).prepared('b', 2);
    expect(story.task('a').attempt?.worker).toBeUndefined();
    expect(story.task('b').attempt?.worker).toBe('w1');
  });

  test('that drains takes nothing new, and gets the same slots when it comes back', () => {
    const story = worker(worker(begun(), 'w1'), 'w1', 'draining');
    expect(claims(story)).toEqual([['a', 1]]);
    worker(story, 'w1', 'joined', 3);
    expect(claims(story).map(([, slot]) => slot)).toEqual([1, 2, 3, 4]);
    expect(story.record().slots).toHaveLength(4);
  });

  test('is not counted when a person changes the number of slots of the run', () => {
    const story = worker(begun(), 'w1');
    story.tell({ type: 'slots-changed', run: story.run, change: { id: 'number', jobs: 2 } });
    expect(claims(story).map(([, slot]) => slot)).toEqual([1, 2, 3, 4]);
    story.tell({ type: 'slots-changed', run: story.run, change: { id: 'number', jobs: 1 } });
    expect(claims(story).map(([, slot]) => slot)).toEqual([1, 2, 3]);
  });

  test('takes a task that needs its label, and no other slot does', () => {
    const story = worker(new Story().tasks(gpu).start({ jobs: 1 }), 'w1');
    expect(claims(story)).toEqual([]);
    expect(claims(worker(story, 'w2'))).toEqual([['g', 4]]);
  });

  test('needs for a gate all labels that the tasks of the candidate need', () => {
    const other = { ...task('h'), labels: ['needs:big', 'needs:gpu', 'ui'] };
    const story = new Story().tasks(task('a'), gpu, other).start({ jobs: 3 });
    story.queued('a').queued('g').queued('h').built('a').gatesBegin();
    const labels = () =>
      commandsOf(story).flatMap((one) => (one.type === 'judge-candidate' ? [one.labels] : []));
    expect(labels()).toEqual([[]]);
    story.judgedAs('c1', true).lands().built('g', 'h').gatesBegin();
    expect(labels()).toEqual([['gpu', 'big']]);
  });
});

describe('a conversation on a worker', () => {
  const waiting = () =>
    worker(worker(begun(), 'w1', 'joined', 1), 'w2', 'joined', 1)
      .prepared('b', 2)
      .turn('b', 2)
      .turnEnds('b', { ok: true, tail: '', signal: { id: 'nothing' } });

  test('goes on in a slot of that worker, however many others are free', () => {
    const turn = commandsOf(waiting()).find(({ type }) => type === 'begin-turn');
    expect(turn).toMatchObject({ id: 'b', slot: 2 });
  });

  test('waits while the slots of its worker are taken', () => {
    const story = waiting().prepared('c', 2).turn('c', 2);
    expect(commandsOf(story).some(({ type }) => type === 'begin-turn')).toBe(false);
  });

  test.each(['draining', 'ended', 'lost'] as const)('is given up if its worker is %s', (how) => {
    const given = commandsOf(worker(waiting(), 'w1', how)).find(({ type }) => type === 'give-up');
    expect(given).toMatchObject({ id: 'b', failure: { kind: 'worker-gone', worker: 'w1', how } });
  });
});

describe('an internal error of a worker', () => {
  const bug = { kind: 'worker-unfit', worker: 'w1', problem: 'error', detail: 'Error: x' } as const;
  const broken = (): Story => {
    const story = worker(begun(), 'w1').prepared('b', 2).prepared('c', 3).turn('b', 2).turn('c', 3);
    story.tell({ type: 'step-paused', run: story.run, step: 'run-turn b 1 1', failure: bug });
    return worker(story, 'w1', 'refused');
  };
  const givenUp = (story: Story): Story => {
    const of = { run: story.run, id: 'b', attempt: 1, failure: bug };
    return story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
  };

  test('is the failure of the attempt that met it, and of no other one', () => {
    const given = commandsOf(broken()).filter(({ type }) => type === 'give-up');
    expect(given).toMatchObject([
      { id: 'b', failure: bug },
      { id: 'c', failure: { kind: 'worker-gone', how: 'refused' } },
    ]);
  });

  test('costs the task nothing, and its next attempts know the worker', () => {
    const story = worker(givenUp(broken()), 'w2').prepared('b', 4);
    expect(story.task('b')).toMatchObject({ failures: 0, status: { id: 'open' } });
    expect(story.task('b').attempt).toMatchObject({ worker: 'w2', brokeWorker: 'w1' });
    const gone = { kind: 'worker-gone', worker: 'w2', host: 'h', how: 'lost' } as const;
    const of = { run: story.run, id: 'b', attempt: 2, failure: gone };
    story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
    expect(story.prepared('b', 1).task('b').attempt?.brokeWorker).toBe('w1');
  });

  test('counts as a failure of the task if it happens on a second worker too', () => {
    const story = worker(givenUp(broken()), 'w2').prepared('b', 4);
    const failure = { kind: 'workers-failed', workers: ['w1', 'w2'], detail: 'x' } as const;
    const of = { run: story.run, id: 'b', attempt: 2, failure };
    story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
    expect(story.task('b').failures).toBe(1);
  });
});

describe('work on a worker that is lost', () => {
  const working = () => worker(begun(), 'w1').prepared('b', 2).turn('b', 2);
  const ends = { ok: true, tail: '' } as const;

  test('starts again elsewhere, at no cost for the task', () => {
    const story = worker(working(), 'w1', 'lost');
    const given = commandsOf(story).find(({ type }) => type === 'give-up');
    expect(given).toMatchObject({ id: 'b', attempt: 1 });
    const failure = { kind: 'worker-gone', worker: 'w1', host: 'w1', how: 'lost' } as const;
    const of = { run: story.run, id: 'b', attempt: 1, failure };
    story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
    expect(story.task('b')).toMatchObject({ failures: 0, status: { id: 'open' } });
    expect(claims(story)).toEqual([['a', 1]]);
  });

  test('goes on if it is in the merge queue: git has it', () => {
    const story = working().turnEnds('b', ends).captured('b').judged('b', true);
    worker(story, 'w1', 'lost');
    const types = commandsOf(story).map(({ type }) => type);
    expect(types).toContain('build-candidate');
    expect(types).not.toContain('give-up');
  });

  test('ends its turn if the worker only drains', () => {
    const types = commandsOf(worker(working(), 'w1', 'draining')).map(({ type }) => type);
    expect(types).toContain('run-turn');
    expect(types).not.toContain('give-up');
  });
});
