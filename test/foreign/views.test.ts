import { describe, expect, it } from 'vitest';
import { boiRun } from '../../src/foreign/boi.ts';
import { hewRun } from '../../src/foreign/hew.ts';
import { oompaRun } from '../../src/foreign/oompa.ts';
import type { ForeignRun } from '../../src/model/foreign-run.ts';
import { foreignDrawing } from '../../src/report/foreign/drawing.ts';
import { foreignSummary } from '../../src/report/foreign/summary.ts';
import { foreignList, foreignText } from '../../src/report/foreign/text.ts';
import { plain } from '../../src/report/format/style.ts';
import { render } from '../../src/report/graph/render.ts';
import {
  boiFirst,
  filesOf,
  hewOld,
  hewParallel,
  hewRunFile,
  iteration,
  oompaRunFiles,
} from './samples.ts';

const hew = hewRun('x', filesOf(hewParallel));
const oompa = oompaRun('x', filesOf(oompaRunFiles));
const boi = boiRun('boi.db', 'q-7', boiFirst);
const text = (run: ForeignRun) => foreignText(foreignSummary(run), plain, 100).join('\n');

describe('the summary of a run of another program', () => {
  it('shows a parallel run of hew with its batches, verification and workers', () => {
    expect(text(hew)).toMatchInlineSnapshot(`
      "Run loop-parallel of hew has ended  30 m 00 s  2 workers

      turns       ✓ 2 done, ◐ 1 without a result, ↺ 1 rolled back
      tasks       2 of 3 done
      batches     planner: agent=0, runtime=1, fallback=1
      verify: failed: "cargo test" exited with status 101
        error: test merge_back failed
        error: test gate failed
      stop        ready_empty
      time        ████  one bar per turn
      tokens      17,950: 4,700 input, 12,000 cache read, 400 cache write, 850 output
      unknown     cost, commits, gate runs: hew does not record them here

      worker    turns  done  failed      time  tokens  stop
      worker-0      2     2       0  2 m 00 s   8,600  ready_empty
      worker-1      2     0       1  2 m 00 s   8,600  budget_wall"
    `);
  });

  it('shows a run of oompa, whose tokens and cost are unknown', () => {
    expect(text(oompa)).toMatchInlineSnapshot(`
      "Run 8f00ba12 of oompa has ended  20 m 00 s  2 workers

      turns       ✓ 1 done, → 1 continued, ≠ 1 not merged, ✗ 1 failed
      tasks       2 of 3 done
      reviews     2 rounds
      stop        completed
      time        ████  one bar per turn
      unknown     tokens, cost, commits, gate runs: oompa does not record them here

      worker  turns  done  failed      time  tokens  stop
      w0          2     1       0  1 m 00 s       -  -
      w1          2     0       2  1 m 00 s       -  -

      by model  turns  input  cached  output  total
      opus          2      -       -       -      -
      gpt-5         2      -       -       -      -"
    `);
  });

  it('shows a spec of boi with its cost and the reasons of its tasks', () => {
    expect(text(boi)).toMatchInlineSnapshot(`
      "Run q-7 of boi has ended  10 m 00 s  1 worker

      spec        Add a search box
      turns       ✓ 1 done, ↺ 1 rejected, ✗ 1 failed
      tasks       1 of 2 done
      stop        failed, VerifyFailed: task t-2, exit_code 1, stderr_excerpt assertion failed
      time        ███  one bar per turn
      tokens      1,620: 1,500 input, 0 cache read, 0 cache write, 120 output
      cost        $0.75
      unknown     commits, gate runs: boi does not record them here

      worker  turns  done  failed      time  tokens  stop
      w-1         3     1       2  4 m 30 s   1,620  -

      by model   turns  input  cached  output  total
      sonnet         1    500       0      40    540
      (default)      2  1,000       0      80  1,080

      Tasks with a reason: 1
        t-2  FAILED: plain words of an old version"
    `);
  });

  it('counts a task once, however many turns it had', () => {
    expect(foreignSummary(oompa)).toMatchObject({ tasksDone: 2, tasksSeen: 3 });
    expect(foreignSummary(boi)).toMatchObject({ tasksDone: 1, tasksSeen: 2 });
  });

  it('says that a killed run has no recorded end, and counts its time to the newest turn', () => {
    const run = hewRun('loop-x', filesOf({ 'iter-001.json': iteration(1, 'a') }));
    expect(foreignSummary(run)).toMatchObject({ class: 'in-flight', wallMs: 60_000 });
    expect(text(run)).toContain('Run loop-x of hew has no recorded end: it goes on, or was killed');
  });

  it('says that a run without turns has none', () => {
    const run = hewRun('loop-x', []);
    expect(foreignSummary(run).class).toBe('empty');
    expect(text(run)).toContain('Run loop-x of hew has no recorded turn  unknown time');
  });

  it('lists files that could not be read, and cuts a long list', () => {
    const bad = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [`iter-${100 + at}.json`, '{']),
    );
    const shown = text(hewRun('loop-x', filesOf(bad)));
    expect(shown).toContain('Not read, and missing from the figures: 25');
    expect(shown).toContain('iter-100.json:1: the JSON ends too early');
    expect(shown).toContain('and 5 more: add --json');
  });

  it('has no row of models if no turn names one', () => {
    const run = hewRun('x', filesOf(hewOld));
    expect(foreignSummary(run)).not.toHaveProperty('byModel');
    expect(text(run)).not.toContain('by model');
  });

  it('stays within narrow and wide terminals', () => {
    for (const width of [20, 40, 300]) {
      for (const run of [hew, oompa, boi]) {
        for (const line of foreignText(foreignSummary(run), plain, width)) {
          expect(line.length).toBeLessThanOrEqual(Math.max(width, 60));
        }
      }
    }
  });
});

it('lists runs with their program and state', () => {
  const open = hewRun('loop-open', filesOf({ 'iter-001.json': iteration(1, 'a') }));
  expect(foreignList([hew, oompa, open], plain, 100, 0).join('\n')).toMatchInlineSnapshot(`
    "run            of     started           turns  done       time  state
    loop-parallel  hew    2026-05-30 12:00      4     2  30 m 00 s  ready_empty
    8f00ba12       oompa  2026-02-16 10:00      4     2  20 m 00 s  completed
    loop-open      hew    2026-05-30 12:02      1     1   1 m 00 s  no end recorded"
  `);
});

it('says in the list how many files of a run could not be read', () => {
  const damaged = hewRun(
    'loop-x',
    filesOf({ 'iter-001.json': iteration(1, 'a'), 'iter-002.json': 'x', 'iter-003.json': '[' }),
  );
  const lines = foreignList([hew, damaged], plain, 200, 0);
  expect(lines.slice(3)).toEqual([
    'loop-x: 2 files could not be read in full, so its figures are incomplete. `ym summary loop-x --from DIR` says why.',
  ]);
});

describe('the graph of a run of another program', () => {
  const kinds = (run: ForeignRun) =>
    foreignDrawing(run).edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`);

  it('has a lane for each worker, and shows what chose a task, rollback and verification', () => {
    expect(render(foreignDrawing(hew), 'ascii', plain, 120)).toMatchInlineSnapshot(`
      "Turns of run loop-parallel of hew

      worker-0: ready_empty  ✓ hew-aaa.1 ─p▸ ✓ hew-ccc.2
      worker-1: budget_wall  ↺ hew-bbb.1 ┄⟳┄ ◐ hew-bbb.2
      ✗ verify  failed: "cargo test" exited with status 101
          error: test merge_back failed
          error: test gate failed

      ✓ hew-aaa.1  1 m 00 s
      ↺ hew-bbb.1  1 m 00 s  backpressure_fail, 2 tests failed
      ✓ hew-ccc.2  1 m 00 s
      ◐ hew-bbb.2  1 m 00 s  no_close
      ✗ verify  failed: "cargo test" exited with status 101
      hew-aaa.1 ─p▸ hew-ccc.2
      hew-bbb.1 ┄⟳┄ hew-bbb.2
      hew-bbb.1 ─↶─ hew-bbb.1

      ─p▸ chosen by the planner   ┄⟳┄ another turn for the task
      "
    `);
    expect(kinds(hew)).toContain('0 planner 2');
  });

  it('connects the turns of dependent tasks', () => {
    expect(kinds(boi)).toContain('0 needs 1');
  });

  it.each(['mermaid', 'dot', 'svg', 'html'] as const)(
    'is drawn as %s with words of its own',
    (format) => {
      const drawn = render(foreignDrawing(hew), format, plain, 120);
      expect(drawn).toContain('hew-ccc');
      expect(drawn.replace(/<style>.*?<\/style>/gs, '')).not.toContain('landed');
    },
  );

  it('shows phases, dependencies and the words of boi', () => {
    expect(render(foreignDrawing(boi), 'ascii', plain, 120)).toMatchInlineSnapshot(`
      "Turns of run q-7 of boi

      w-1  ✓ t-1.1/execute ──▸ ↺ t-2.2/execute ┄⟳┄ ✗ t-2.3/verify

      ✓ t-1.1/execute  1 m 30 s
      ↺ t-2.2/execute  1 m 30 s  redo
      ✗ t-2.3/verify  1 m 30 s  fail
      t-2.2/execute ┄⟳┄ t-2.3/verify

      ──▸ depends on it   ┄⟳┄ another turn for the task
      "
    `);
  });

  it('shows claims and failed merges of oompa', () => {
    expect(render(foreignDrawing(oompa), 'ascii', plain, 120)).toMatchInlineSnapshot(`
      "Turns of run 8f00ba12 of oompa

      w0  → t-1.1 ┄⟳┄ ✓ t-1.2
      w1  ✗ w1.1 ─── ≠ t-3.2

      → t-1.1  30 s  claimed
      ✗ w1.1  30 s  error, HTTP 429
      ✓ t-1.2  30 s
      ≠ t-3.2  30 s  merge-failed
      t-1.1 ┄⟳┄ t-1.2

      ┄⟳┄ another turn for the task
      "
    `);
  });

  it('marks an open turn of a canceled run with the time', () => {
    const run = hewRun(
      'x',
      filesOf({
        'run.json': { ...hewRunFile, stop_reason: 'cancelled' },
        'iter-001.json': iteration(1, 'a', { outcome: null, ended_at: null }),
      }),
    );
    expect(foreignDrawing(run).nodes).toMatchObject([
      { glyph: '⊘', style: 'canceled', note: 'canceled at 12:20:00' },
    ]);
  });

  it('is empty for a run without turns', () => {
    expect(render(foreignDrawing(hewRun('x', [])), 'ascii', plain, 80)).toContain(
      'No turn is recorded',
    );
  });
});
