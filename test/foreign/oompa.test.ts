import { describe, expect, it } from 'vitest';
import { oompaRun } from '../../src/foreign/oompa.ts';
import type { ForeignRun } from '../../src/model/foreign-run.ts';
import { cycle, filesOf, oompaOld, oompaRunFiles } from './samples.ts';

const read = (entries: Readonly<Record<string, unknown>>): ForeignRun =>
  oompaRun('folder', filesOf(entries));

describe('a run of oompa', () => {
  it('has a lane for each worker and a turn for each cycle', () => {
    const run = read(oompaRunFiles);
    expect(run).toMatchObject({
      tool: 'oompa',
      id: '8f00ba12',
      startedAt: Date.UTC(2026, 1, 16, 10),
      endedAt: Date.UTC(2026, 1, 16, 10, 20),
      stop: 'completed',
      lanes: [{ id: 'w0' }, { id: 'w1' }],
      problems: [],
    });
    expect(run.turns).toMatchObject([
      { lane: 'w0', number: 1, outcome: 'continued', task: 't-1', coClaims: ['t-2'] },
      { lane: 'w1', number: 1, outcome: 'error', note: 'HTTP 429', agent: 'codex', model: 'gpt-5' },
      { lane: 'w0', number: 2, outcome: 'done', word: 'merged', reviewRounds: 2 },
      { lane: 'w1', number: 2, outcome: 'not-merged', word: 'merge-failed', task: 't-3' },
    ]);
    expect(run.turns[0]).toMatchObject({
      startedAt: Date.UTC(2026, 1, 16, 10, 1, 0, 123),
      endedAt: Date.UTC(2026, 1, 16, 10, 1, 30, 123),
      ms: 30_000,
    });
  });

  it('never has tokens, because oompa records none', () => {
    for (const turn of read(oompaRunFiles).turns) expect(turn).not.toHaveProperty('usage');
  });

  it('is read from the files of versions before 0.7.1', () => {
    const run = read(oompaOld);
    expect(run).toMatchObject({
      id: 'old1',
      stop: 'completed',
      endedAt: Date.UTC(2026, 0, 5, 8, 30),
      lanes: [{ id: 'w0', stop: 'exhausted' }],
      problems: [],
    });
    expect(run.turns).toMatchObject([
      { lane: 'w0', number: 1, task: 't-9', outcome: 'done', reviewRounds: 1 },
    ]);
  });

  it('has no end without stopped.json', () => {
    const { 'stopped.json': _, ...rest } = oompaRunFiles;
    const run = read(rest);
    expect(run).not.toHaveProperty('stop');
    expect(run).not.toHaveProperty('endedAt');
  });

  it('names the error that ended it', () => {
    const stopped = { ...oompaRunFiles['stopped.json'], reason: 'error', error: 'no disk\nat x' };
    expect(read({ ...oompaRunFiles, 'stopped.json': stopped })).toMatchObject({
      stop: 'error',
      stopNote: 'no disk',
    });
  });

  it('shows a cycle that was reviewed and never ended', () => {
    const review = { ...oompaRunFiles['reviews/w0-c2-r1.json'], cycle: 3 };
    const run = read({
      ...oompaRunFiles,
      'reviews/w0-c3-r1.json': review,
      'reviews/w0-c3-r2.json': { ...review, round: 2, timestamp: '2026-02-16T10:05:00Z' },
    });
    expect(run.turns.filter(({ outcome }) => outcome === 'incomplete')).toMatchObject([
      { lane: 'w0', number: 3, reviewRounds: 2, startedAt: Date.UTC(2026, 1, 16, 10, 2) },
    ]);
  });

  it('keeps the lane of a worker that started.json does not name', () => {
    const run = read({ 'cycles/w9-c1.json': cycle('w9', 1, 'working') });
    expect(run).toMatchObject({ id: 'folder', lanes: [{ id: 'w9' }] });
    expect(run.turns[0]).not.toHaveProperty('agent');
  });

  it.each([
    ['rejected', 'rejected'],
    ['sync-failed', 'not-merged'],
    ['interrupted', 'canceled'],
    ['stuck', 'error'],
    ['no-changes', 'no-result'],
    ['executor-done', 'no-result'],
    ['done', 'no-result'],
    ['working', 'continued'],
    ['needs-followup', 'continued'],
    ['something-new', 'unknown'],
  ])('translates the outcome %s', (word, outcome) => {
    const run = read({ 'cycles/w0-c1.json': cycle('w0', 1, word) });
    expect(run.turns).toMatchObject([{ word, outcome }]);
    expect(run.turns[0]).not.toHaveProperty('task');
  });

  it('leaves out a file that is cut off, and names it with its line', () => {
    const run = read({ ...oompaRunFiles, 'cycles/w0-c1.json': '{\n  "worker-id": "w0"' });
    expect(run.turns).toHaveLength(3);
    expect(run.problems).toEqual([
      expect.objectContaining({
        file: 'cycles/w0-c1.json',
        line: 2,
        problem: 'the JSON ends too early',
      }),
    ]);
  });
});
