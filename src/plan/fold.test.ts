import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEvent } from '../../test/any-event.ts';
import { crash, Story, task } from '../../test/story.ts';
import type { Event } from '../model/event.ts';
import { openWaits, satisfies, stateOf } from '../model/task-record.ts';
import { fold } from './fold.ts';
import { State } from './state.ts';

describe('the fold', () => {
  test('counts the parents that are not done, whatever order the tasks came in', () => {
    const story = new Story().tasks(task('c', { after: ['a', 'b'] }), task('a'), task('b'));
    expect(story.task('c').blockers).toBe(2);
    story.start().landed('a');
    expect(story.task('c').blockers).toBe(1);
    story.landed('b');
    expect(story.task('c').blockers).toBe(0);
  });

  test('gives a parent back to its children as a blocker when its skip is taken back', () => {
    const story = new Story().tasks(task('a'), task('b', { after: ['a'] }));
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'skip', reason: 'x' } });
    expect(story.task('b').blockers).toBe(0);
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'retry' } });
    expect(story.task('b').blockers).toBe(1);
  });

  test('a landing that is dropped blocks the children until it is restored or decided about', () => {
    const story = new Story()
      .tasks(task('a'), task('b', { after: ['a'] }))
      .start()
      .landed('a');
    const landing = { id: 'a', commit: 'landing-a', target: 'main', tip: 'base' } as const;
    const landed = story.task('a').status;
    story.tell({ type: 'landing-dropped', ...landing, commit: 'another' });
    expect(story.task('a').status).toEqual(landed);
    story.tell({ type: 'landing-dropped', ...landing });
    expect(story.task('a').status).toMatchObject({ failure: { kind: 'landing-dropped' } });
    expect(story.task('b').blockers).toBe(1);
    story.tell({ type: 'landing-restored', ...landing });
    expect(story.task('a').status).toEqual(landed);
    expect(story.task('b').blockers).toBe(0);
    story.tell({ type: 'landing-dropped', ...landing });
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'skip', reason: 'x' } });
    story.tell({ type: 'landing-restored', ...landing });
    expect(story.task('a').status.id).toBe('skipped');
    expect(story.task('b').blockers).toBe(0);
  });

  test('an epic is done while all of its tasks are, whatever order they came in', () => {
    const epic = { type: 'epic' };
    const story = new Story().tasks(
      task('a', { parent: 'top' }),
      task('top', { ...epic, after: ['a'] }),
      task('sub', { ...epic, parent: 'top' }),
      task('b', { parent: 'sub' }),
      task('next', { after: ['top'] }),
    );
    expect(story.task('top').task.after).toEqual(['a', 'sub']);
    expect(story.start().commands().join()).not.toMatch(/top|sub/);
    story.landed('a').landed('b');
    expect(story.task('sub').status).toMatchObject({ id: 'done' });
    expect(story.task('top').status).toMatchObject({ id: 'done' });
    expect(story.task('next').blockers).toBe(0);
    story.tell({ type: 'task-added', task: task('late', { parent: 'sub' }) });
    expect(story.task('top').status.id).toBe('open');
    expect(story.task('next').blockers).toBe(1);
    story.tell({ type: 'task-changed', task: task('late', { parent: 'elsewhere' }) });
    expect(story.task('top').status.id).toBe('done');
  });

  test('an epic without tasks is given to no agent', () => {
    const story = new Story().tasks(task('e', { type: 'epic' })).start();
    expect(story.task('e').status.id).toBe('done');
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('counts blockers again when a task gets other parents', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c', { after: ['a'] }));
    story.start().landed('a');
    story.tell({ type: 'task-changed', task: task('c', { after: ['b'] }) });
    expect(story.task('c').blockers).toBe(1);
    story.landed('b');
    expect(story.task('c').blockers).toBe(0);
  });

  test('a landed task stays landed, whatever events follow', () => {
    const story = new Story().tasks(task('a')).start().landed('a');
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'late' } });
    expect(story.task('a').status.id).toBe('landed');
  });

  test('an event of an older attempt changes nothing', () => {
    const story = new Story().tasks(task('a')).start().errs('a').prepared('a');
    const before = story.task('a');
    story.tell({
      type: 'turn-ended',
      run: 'r1',
      id: 'a',
      attempt: 1,
      turn: 1,
      result: { ok: true, tail: '' },
    });
    expect(story.task('a')).toEqual(before);
  });

  test('an event that comes twice changes nothing the second time', () => {
    const story = new Story().tasks(task('a')).start().prepared('a');
    const turn = {
      type: 'turn-started',
      run: 'r1',
      id: 'a',
      attempt: 1,
      turn: 1,
      slot: 1,
    } as const;
    story.tell(turn);
    const once = { task: story.task('a'), run: story.record() };
    story.tell(turn);
    expect({ task: story.task('a'), run: story.record() }).toEqual(once);
  });

  test('a failed attempt counts, an interrupted one does not', () => {
    const story = new Story().tasks(task('a')).start().errs('a');
    expect(story.task('a').failures).toBe(1);
    story.prepared('a').turn('a');
    const failure = { kind: 'interrupted', by: 'me' } as const;
    story.turnEnds('a', { ok: false, failure });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 2, failure });
    expect(story.task('a')).toMatchObject({ failures: 1, status: { id: 'open' } });
    story.landed('a');
    expect(story.task('a').failures).toBe(0);
  });

  test('a task that a person wants again starts with no failure on its record', () => {
    const story = new Story().tasks(task('a')).start({ quarantineAfter: 2 });
    story.errs('a').errs('a');
    expect(story.task('a').status.id).toBe('quarantined');
    story.decided('a', { kind: 'retry' });
    expect(story.task('a')).toMatchObject({ failures: 0, status: { id: 'open' } });
    expect(story.errs('a').task('a')).toMatchObject({ failures: 1, status: { id: 'open' } });
  });

  test('a failed attempt keeps the folder in which its work was left', () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    const of = { type: 'attempt-failed', run: 'r1', attempt: 1, failure: crash } as const;
    story.prepared('a').tell({ ...of, id: 'a', left: '/w1' });
    story.prepared('b', 2).tell({ ...of, id: 'b' });
    const failed = { id: 'failed', failure: crash, at: expect.any(Number) };
    expect(story.task('a').attempt?.state).toEqual({ ...failed, left: '/w1' });
    expect(story.task('b').attempt?.state).toEqual(failed);
  });

  test('an interrupted turn gives back its own start and no other', () => {
    const story = new Story().tasks(task('a')).start().prepared('a').works('a').judged('a', false);
    story.targetJudged(true).turn('a');
    expect(story.task('a').starts).toBe(2);
    story.turnEnds('a', { ok: false, failure: { kind: 'interrupted', by: 'me' } });
    expect(story.task('a').starts).toBe(1);
  });

  test('shows each step of a task under one word', () => {
    const story = new Story().tasks(task('a'), task('b', { after: ['a'] })).start();
    const seen = [stateOf(story.task('b')), stateOf(story.task('a'))];
    story.prepared('a');
    seen.push(stateOf(story.task('a')));
    story.works('a');
    seen.push(stateOf(story.task('a')));
    story.judged('a', true);
    seen.push(stateOf(story.task('a')));
    story.built('a');
    seen.push(stateOf(story.task('a')));
    story.candidateJudged(true).lands();
    seen.push(stateOf(story.task('a')), stateOf(story.task('b')));
    expect(seen).toEqual([
      'open',
      'ready',
      'working',
      'gating',
      'queued',
      'landing',
      'landed',
      'ready',
    ]);
  });
});

describe('the fold of any log, however partial', () => {
  test('never throws, and blockers are always the parents that are not done and the waits that are not over', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (bodies) => {
        const state = new State();
        for (const [index, body] of bodies.entries()) {
          fold(state, { seq: index + 1, at: index, version: 1, ...body } as Event);
        }
        for (const record of state.tasks.values()) {
          const open = record.task.after.filter((parent) => !satisfies(state.task(parent)));
          expect(record.blockers).toBe(open.length + openWaits(record).length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the index of ready tasks equal to what the records say', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (bodies) => {
        const state = new State();
        for (const [index, body] of bodies.entries()) {
          fold(state, { seq: index + 1, at: index, version: 1, ...body } as Event);
        }
        const ready = [...state.tasks.values()]
          .filter((record) => stateOf(record) === 'ready' && !state.live.has(record.task.id))
          .map((record) => record.task.id);
        expect(new Set(state.ready.ids())).toEqual(new Set(ready));
      }),
      { numRuns: 500 },
    );
  });
});
