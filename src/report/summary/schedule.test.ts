import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { aRecord, aRun } from '../../../test/report/fixtures.ts';
import { Story, task } from '../../../test/story.ts';
import type { AttemptRecord } from '../../model/history.ts';
import { type ScheduleSummary, scheduleLines, scheduleSummaryOf } from './schedule.ts';

const minute = 60_000;

/** Lands tasks of one minute each, one after the other; `files` are those that they change. */
function ran(files: Readonly<Record<string, string>>, end = true): ScheduleSummary {
  const story = new Story();
  const ids = Object.keys(files);
  story.tasks(
    task('a', { paths: ['src/a.ts'] }),
    task('b', { paths: ['src/a.ts'], after: ['a'] }),
    task('c', { paths: ['src/c.ts'] }),
  );
  story.start({ jobs: 2 });
  for (const id of ids) {
    const changes = { files: [files[id] ?? ''], count: 1, added: 1, removed: 0 };
    story.prepared(id).turn(id);
    story.now += minute;
    story.turnEnds(id, { ok: true, tail: '' }).captured(id, { changes }).judged(id, true);
    story.built(id).candidateJudged(true).lands();
  }
  const { run } = story;
  if (end) story.tell({ type: 'run-ended', run, stop: { reason: 'drained' } });
  const attempts = ids.flatMap((id): AttemptRecord[] => {
    const found = story.state.attempt(id, 1);
    return found === undefined ? [] : [found];
  });
  return scheduleSummaryOf(story.record(), attempts, [...story.state.tasks.values()]);
}

describe('the schedule in a summary', () => {
  it('compares predicted with real overlaps, and the time with the least possible', () => {
    const summary = ran({ a: 'src/a.ts', b: 'src/b.ts', c: 'src/b.ts' });
    expect(summary.overlap).toEqual({ predicted: 1, real: 1, both: 0, precision: 0, recall: 0 });
    expect(summary.conflicts).toEqual({ count: 0, per100Landed: 0 });
    // b waits for a, so no number of slots does it in less than two minutes; it took three.
    expect(summary.makespan?.boundMs).toBeCloseTo(2 * minute, -2);
    expect(summary.makespan?.toBound).toBeCloseTo(1.5, 2);
    expect(scheduleLines(summary)).toEqual([
      'schedule: 1.50 × the least possible time for this agent work, 2 m 00 s',
      'overlap: 1 pair of tasks changed the same files, 0 % of them predicted; 1 predicted, 0 % right',
    ]);
  });

  it('knows predictions that came true', () => {
    const { overlap } = ran({ a: 'src/a.ts', b: 'src/a.ts', c: 'src/c.ts' });
    expect(overlap).toEqual({ predicted: 1, real: 1, both: 1, precision: 1, recall: 1 });
  });

  it('leaves out what is not known', () => {
    expect(ran({})).toEqual({});
    expect(ran({ a: 'src/a.ts' })).toEqual({ conflicts: { count: 0, per100Landed: 0 } });
    expect(ran({ a: 'src/a.ts', c: 'src/c.ts' }, false).makespan).toBeUndefined();
  });

  it('counts conflicts for each hundred landed tasks', () => {
    const run = aRun();
    const landed = { id: 'landed', run: run.id, commit: 'c', at: 1 } as never;
    const variant = { ...aRecord('a.v1', landed), task: task('a.v1', { variantOf: 'a' }) };
    const conflicted = { turns: [{ failure: failures.conflict }], task: 'a.v1' } as never;
    const tasks = [aRecord('a', landed), variant, aRecord('b', landed)];
    const { conflicts } = scheduleSummaryOf(run, [conflicted], tasks);
    expect(conflicts).toEqual({ count: 1, per100Landed: 50 });
    expect(scheduleLines({ conflicts: { count: 3, per100Landed: 7.5 } })).toEqual([
      'conflicts: 3, 7.5 per 100 landed tasks',
    ]);
  });
});
