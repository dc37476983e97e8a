import { describe, expect, it } from 'vitest';
import { task } from '../../test/story.ts';
import type { AttemptState } from '../model/attempt.ts';
import { newAttempt } from '../model/attempt.ts';
import { keepRefOf } from '../model/branch.ts';
import type { AttemptRecord } from '../model/history.ts';
import type { Inventory } from '../model/inventory.ts';
import { newTaskRecord, type TaskRecord } from '../model/task-record.ts';
import {
  ignoredArchives,
  mismatches,
  sharedWork,
  strayCommits,
  worktreesInUse,
} from './inventory.ts';

const commit = 'c'.repeat(40);
const held = (ref: string) => ({ ref, commit });

function record(task: string, more: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    task,
    number: 1,
    runs: ['r1'],
    slot: 1,
    agent: 'scripted',
    branch: `yard/r1/${task}-1`,
    startedAt: 1,
    changedAt: 1,
    turns: [],
    calls: [],
    captures: [],
    prefixes: [],
    end: { id: 'live' },
    ...more,
  };
}

function live(id: string, state: AttemptState, judged = false): TaskRecord {
  const begun = newAttempt({
    run: 'r1',
    number: 1,
    fence: 1,
    agent: 'scripted',
    branch: `yard/r1/${id}-1`,
    startedAt: 1,
    state,
  });
  const attempt = {
    ...begun,
    worktree: { id: 'w', dir: `/w/${id}`, base: commit },
    captured: { commit, tree: commit, judged, clashes: [] },
  };
  return { ...newTaskRecord({ task: task(id), order: 1, blockers: 0 }), attempts: 1, attempt };
}

const nothing: Inventory = {
  tasks: [],
  attempts: [],
  runs: new Map([['r1', { hasEnded: true }]]),
  refs: [],
  worktrees: [],
  files: [],
  exists: () => true,
};
const worktree = (dir: string, key?: string, isRecorded = true) => ({
  run: 'r1',
  dir,
  isRecorded,
  key,
});

describe('what records, git and disk have of each other', () => {
  it('agrees if every ref and folder belongs to a record, and every record has its folder', () => {
    const inventory: Inventory = {
      ...nothing,
      tasks: [live('a', { id: 'prepared', slot: 1 })],
      attempts: [record('a'), record('b', { end: { id: 'planned', at: 1 } })],
      refs: [
        'refs/heads/yard/r1/a-1',
        'refs/heads/yard/r1/b-1',
        'refs/yard/held/r1/a-1',
        'refs/yard/keep/r1/a-1',
        'refs/yard/keep/r1/b-1.stray1',
        'refs/yard/keep/r1/b-1.target2',
        'refs/yard/keep/r1/b-1.2',
        'refs/yard/keep/r1/leftover-3.1',
      ].map(held),
      worktrees: [worktree('/w/a', 'a-1'), worktree('/w/2'), worktree('/w/3', 'gate:1')],
      files: [{ run: 'r1', dir: '/runs/r1' }],
    };
    expect(mismatches(inventory)).toEqual([]);
  });

  it.each([
    'refs/heads/yard/mine',
    'refs/heads/yard/r1/a-1',
    'refs/yard/keep/r2/a-1',
    'refs/yard/keep/r2/leftover-1',
    'refs/yard/held/r2/a-1',
    'refs/yard/handed/a',
    'refs/yard/other',
  ])('names %s, which no record explains', (ref) => {
    const found = mismatches({ ...nothing, refs: [held(ref)] });
    expect(found).toEqual([{ id: 'ref-without-record', ref, commit }]);
  });

  it('explains a branch by its delivery, and a ref of handed-in work by its task', () => {
    const end = { id: 'delivered', at: 1, run: 'r1', work: commit, coClaims: [] } as const;
    const handed = { ...live('h', { id: 'planned', filed: [] }), handedIn: { commit, ref: 'x' } };
    const inventory: Inventory = {
      ...nothing,
      tasks: [handed],
      attempts: [record('a', { end: { ...end, how: 'branch', branch: 'yard/nice' } })],
      refs: [held('refs/heads/yard/nice'), held('refs/yard/handed/h')],
    };
    expect(mismatches(inventory)).toEqual([]);
  });

  it('names refs of bases and candidates that an ended run left, but not those of a live one', () => {
    const refs = [held('refs/yard/held/r1/a-1'), held('refs/yard/held/r1/c1')];
    const attempts = [record('a', { end: { id: 'planned', at: 1 } })];
    expect(mismatches({ ...nothing, attempts, refs }).map(({ id }) => id)).toEqual([
      'ref-without-folder',
      'ref-without-folder',
    ]);
    const runs = new Map([['r1', { hasEnded: false }]]);
    expect(mismatches({ ...nothing, attempts, refs, runs })).toEqual([]);
  });

  it('names folders of unknown runs and attempts, and those without their own record', () => {
    const inventory: Inventory = {
      ...nothing,
      worktrees: [
        { ...worktree('/w/1'), run: 'r2' },
        worktree('/w/2', 'gone-1'),
        worktree('/w/3', undefined, false),
      ],
      files: [{ run: 'r2', dir: '/runs/r2' }],
    };
    expect(
      mismatches(inventory).map((one) => one.id === 'folder-without-record' && one.dir),
    ).toEqual(['/w/1', '/w/2', '/w/3', '/runs/r2']);
  });

  it('names work in the shared repository, also of an attempt that has landed, and misses no ref for it', () => {
    const shared = [held(`${keepRefOf('yard/r1/a-1')}.stray1`)];
    const inventory: Inventory = { ...nothing, attempts: [record('a', { shared }), record('b')] };
    expect(sharedWork(inventory)).toEqual([{ run: 'r1', task: 'a', attempt: 1, ...shared[0] }]);
    expect(mismatches(inventory)).toEqual([]);
  });

  it('names missing worktrees, unsaved work and archives, unless the work was saved since', () => {
    const failed = { id: 'failed', at: 1 } as const;
    const interrupted = { kind: 'interrupted', by: 'x' } as const;
    const noChanges = { kind: 'no-changes', tail: '', archive: '/runs/r1/x.tar.gz' } as const;
    const inventory: Inventory = {
      ...nothing,
      exists: () => false,
      files: [{ run: 'r1', dir: '/runs/r1' }],
      tasks: [live('a', { id: 'asking', question: '?', since: 1 })],
      attempts: [
        record('a'),
        record('b', { end: { ...failed, failure: interrupted, left: '/w/b' } }),
        record('c', { end: { ...failed, failure: interrupted, left: '/w/c' } }),
        record('d', { end: { ...failed, failure: noChanges } }),
      ],
      refs: [held(`${keepRefOf('yard/r1/c-1')}.stray1`)],
    };
    expect(mismatches(inventory)).toMatchObject([
      { task: 'a', what: 'worktree', path: '/w/a' },
      { task: 'b', what: 'work', path: '/w/b' },
      { task: 'd', what: 'archive', path: '/runs/r1/x.tar.gz' },
    ]);
    expect(ignoredArchives(inventory)).toEqual([]);
    expect(ignoredArchives({ ...inventory, exists: () => true })).toEqual([
      { run: 'r1', task: 'd', attempt: 1, file: '/runs/r1/x.tar.gz' },
    ]);
  });
});

describe('stray commits', () => {
  it('are those next to the work of an attempt, and those of worktrees without one', () => {
    const refs = [
      'refs/yard/keep/r1/a-1',
      'refs/yard/keep/r1/a-1.stray1',
      'refs/yard/keep/r1/leftover-3.1',
      'refs/yard/keep/r1/unknown-1.stray1',
      'refs/heads/yard/r1/a-1',
    ].map(held);
    expect(strayCommits({ ...nothing, attempts: [record('a')], refs })).toEqual([
      {
        id: 'attempt',
        run: 'r1',
        task: 'a',
        attempt: 1,
        ref: 'refs/yard/keep/r1/a-1.stray1',
        commit,
      },
      { id: 'worktree', run: 'r1', n: 3, ref: 'refs/yard/keep/r1/leftover-3.1', commit },
    ]);
  });
});

describe('worktrees in use', () => {
  const gating = { id: 'queued', commit, tree: commit, since: 1 } as const;

  it.each([
    ['between turns', live('a', { id: 'asking', question: '?', since: 1 }, true), true],
    ['captured and not judged', live('a', gating), true],
    ['captured and judged: a gate may have left files', live('a', gating, true), false],
  ])('hold edits that count as work: %s', (_, owner, changesCount) => {
    const inventory = { ...nothing, tasks: [owner], attempts: [record('a')] };
    const found = worktreesInUse({ ...inventory, worktrees: [worktree('/w/a', 'a-1')] });
    expect(found).toMatchObject([{ task: 'a', attempt: 1, dir: '/w/a', changesCount }]);
  });

  it('are also the folders of `ym resolve`, whatever state the attempt is in', () => {
    const attempts = [record('a', { end: { id: 'planned', at: 1 } })];
    const worktrees = (['resolving', 'abandoned'] as const).map((resolution) => ({
      ...worktree(`/resolve/${resolution}`, 'a-1'),
      resolution,
    }));
    const inventory = { ...nothing, attempts, worktrees };
    expect(mismatches(inventory)).toEqual([]);
    expect(worktreesInUse(inventory)).toMatchObject([
      { task: 'a', attempt: 1, state: 'resolving', changesCount: true },
      { task: 'a', attempt: 1, state: 'abandoned', changesCount: true },
    ]);
  });

  it('are also those whose work could not be saved', () => {
    const failure = { kind: 'interrupted', by: 'x' } as const;
    const attempts = [record('a', { end: { id: 'failed', at: 1, failure, left: '/w/a' } })];
    const found = worktreesInUse({ ...nothing, attempts, worktrees: [worktree('/w/a', 'a-1')] });
    expect(found).toMatchObject([{ state: 'left', changesCount: true }]);
  });
});
