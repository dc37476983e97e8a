import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import type { Failure } from '../../model/failure.ts';
import type { Stop } from '../../model/run.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { stopView, waitingIn } from './stop.ts';
import { stopText } from './stop-text.ts';
import { taskViewsOf } from './task.ts';

const commit = 'a'.repeat(40);
const rules: Failure = { kind: 'approval-needed', because: 'rules' };
const asked: Failure = { kind: 'approval-needed', because: 'asked-for' };

const awaits = (id: string, failure: Failure = rules): TaskRecord =>
  aRecord(id, undefined, {
    attempt: anAttempt({ id: 'awaiting', commit, tree: commit, since: 1, failure }),
  });
const asks = (id: string, question: string): TaskRecord =>
  aRecord(id, undefined, { attempt: anAttempt({ id: 'asking', question, since: 1 }) });

const stopped = (records: readonly TaskRecord[], failure: Failure = rules) =>
  stopView({ reason: 'question', failure }, waitingIn(taskViewsOf(records), 'r1'));

describe('why a run has stopped', () => {
  it('says that work waits for an approval, not that an agent asks', () => {
    expect(stopText({ reason: 'question', failure: rules })).toBe(
      'stopped: work waits for your approval',
    );
    const question: Stop = {
      reason: 'question',
      failure: { kind: 'question-open', question: 'Which?' },
    };
    expect(stopText(question)).toBe('stopped: an agent waits for an answer');
    expect(stopText({ reason: 'question' })).toBe('stopped: an agent waits for an answer');
    expect(stopText({ reason: 'drained' })).toBe('ended: nothing left to start');
  });

  it('says which task waits for a choice, and what to type', () => {
    const failure: Failure = { kind: 'choice-needed', variants: ['a.v1', 'a.v2'] };
    expect(stopText({ reason: 'question', failure })).toBe(
      'stopped: finished variants wait for your choice',
    );
    const variants = {
      ids: ['a.v1', 'a.v2'],
      base: commit,
      choose: 'person',
      calls: 0,
      failed: 0,
      asked: { run: 'r1', at: 1, finished: ['a.v1', 'a.v2'] },
    } as const;
    expect(stopped([aRecord('a', undefined, { variants })], failure).failure).toMatchObject({
      what: 'a waits for your choice between variants.',
      do: 'Look at `ym compare a`; then type `ym choose a N`. Then type `ym resume`.',
    });
  });

  it('names the one task that waits, and what to type', () => {
    const { failure, tasks } = stopped([awaits('ci')]);
    expect(tasks).toEqual(['ci']);
    expect(failure).toMatchObject({
      kind: 'approval-needed',
      because: 'rules',
      what: 'ci waits for your approval: it changes files that only you may approve.',
    });
    expect(failure?.do).toBe(
      'Look at `ym diff ci`; then type `ym approve ci` to let it land, or `ym reject ci "why"` to send it back to its agent. Then type `ym resume`.',
    );
  });

  it('names all that wait, each with the command to look at it, and one command that lets all land', () => {
    const { failure, tasks } = stopped([awaits('b'), awaits('a', asked), aRecord('c')]);
    expect(tasks).toEqual(['b', 'a']);
    expect(failure?.what).toBe('2 tasks wait for your approval: b, a.');
    expect(failure?.do).toBe(
      'Look at `ym why b`, `ym why a`; then type `ym approve b a` to let them land, or `ym reject ID "why"` to send one back to its agent. Then type `ym resume`.',
    );
    expect(failure?.details).toEqual([
      'b: Waits for your approval: it changes files that only you may approve.',
      'a: Waits for your approval: the config requires it.',
    ]);
  });

  it('names those who ask, and those who wait for an approval beside them', () => {
    const failure: Failure = { kind: 'question-open', question: 'Which?' };
    expect(stopped([asks('q', 'Which?')], failure).failure).toMatchObject({
      what: 'The agent of q asks: Which?',
      do: 'Type `ym answer q "…"`. Then type `ym resume`.',
    });
    const both = stopped([asks('q', 'Which?'), asks('r', 'Why?'), awaits('a')], failure);
    expect(both.tasks).toEqual(['q', 'r', 'a']);
    expect(both.failure).toMatchObject({
      what: '2 tasks wait for an answer: q, r. a waits for your approval: it changes files that only you may approve.',
      do:
        'Type `ym answer q "…"`, `ym answer r "…"`. Look at `ym diff a`; then type `ym approve a` to let it land, ' +
        'or `ym reject a "why"` to send it back to its agent. Then type `ym resume`.',
    });
  });

  it('counts what would not fit', () => {
    const many = Array.from({ length: 12 }, (_, at) => awaits(`t${at + 1}`));
    const { failure, tasks } = stopped(many);
    expect(tasks).toHaveLength(12);
    expect(failure?.what).toBe(
      '12 tasks wait for your approval: t1, t2, t3, t4, t5, t6, t7, t8 and 4 more.',
    );
    expect(failure?.do).toContain('`ym tasks --state blocked` lists them all');
    expect(failure?.do).not.toContain('t9');
  });

  it('says that nothing is in the way any more once a person has spoken', () => {
    expect(stopped([aRecord('ci')])).toMatchObject({
      failure: { do: 'Everything was answered; type `ym resume` to continue.' },
    });
    expect(stopped([aRecord('ci')]).tasks).toEqual([]);
  });

  it('leaves out what waits in another run', () => {
    const other = aRecord('x', undefined, {
      attempt: anAttempt(
        { id: 'awaiting', commit, tree: commit, since: 1, failure: rules },
        { run: 'r0' },
      ),
    });
    expect(waitingIn(taskViewsOf([other, awaits('a')]), 'r1').map(({ id }) => id)).toEqual(['a']);
  });

  it('is part of the view of the run', () => {
    const run = aRun({ phase: endedPhase(5, { reason: 'question', failure: rules }) });
    expect(viewed([awaits('ci')], run, 9).run).toMatchObject({
      stop: {
        reason: 'question',
        tasks: ['ci'],
        failure: { what: expect.stringContaining('ci waits for') },
      },
    });
  });

  it('is as the failure says where no person is waited for', () => {
    const failure: Failure = { kind: 'target-missing', branch: 'main' };
    expect(stopView({ reason: 'environment', failure }, [])).toMatchObject({
      reason: 'environment',
      failure: { kind: 'target-missing' },
    });
    expect(stopView({ reason: 'drained' }, [])).toEqual({ reason: 'drained', tasks: [] });
  });
});
