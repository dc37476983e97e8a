import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { fits } from '../../../test/report/fits.ts';
import { aRecord, logOf } from '../../../test/report/fixtures.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { start } from '../../../test/report/story.ts';
import { newRunHistory } from '../../history/run-history.ts';
import type { Event, EventBody } from '../../model/event.ts';
import type { CallResult } from '../../model/review.ts';
import { verifiedLines } from '../event/verify.ts';
import { plain } from '../format/style.ts';
import { summaryOf, type TrainSummary, trainSummaryOf } from './summary.ts';
import { deliveredLines, summaryText, trainFacts } from './text.ts';

const trained = (events: readonly Event[]): TrainSummary => {
  const { run, history = newRunHistory('r1', 0), attempts, flakes } = sourceOf(events);
  return trainSummaryOf(run, history, attempts, flakes, new Set());
};
const of = (id: string) => ({ run: 'r1', id, attempt: 1 });
/** Its attempt is known. */
const ready = (id: string): EventBody => ({
  ...of(id),
  type: 'worktree-ready',
  worktree: { id: 'w1', dir: '/w/1' },
  base: 'b',
});
const passed = { id: 'passed', ms: 5 } as const;
const judged = { tree: 't', gate: 'g', verdict: passed, cached: false };
const branch = (id: string, more: Partial<typeof judged> = {}): EventBody => ({
  ...of(id),
  type: 'branch-judged',
  ...judged,
  ...more,
});
const candidate = (more: Partial<typeof judged> = {}): EventBody => ({
  run: 'r1',
  candidate: 'c1',
  type: 'candidate-judged',
  ...judged,
  ...more,
});
const entries = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, attempt: 1, commit: `c-${id}` }));
const landed = (...ids: readonly string[]): EventBody => ({
  run: 'r1',
  candidate: 'c1',
  type: 'landed',
  commit: 'm',
  from: 'b',
  entries: entries(...ids),
});
const delivered = (id: string, url?: string): EventBody => ({
  run: 'r1',
  candidate: 'c2',
  type: 'delivered',
  how: url === undefined ? 'branch' : 'pr',
  entries: entries(id),
  branch: `yard/${id}`,
  url,
});
const reviewed = (round: number, agent: string, result: CallResult): EventBody[] => {
  const call = { kind: 'review', round, agent, again: 1 } as const;
  return [
    { ...of('a'), type: 'call-started', call, slot: 2 },
    { ...of('a'), type: 'call-ended', call, result },
  ];
};
const approved = { ok: true, verdict: 'approved', findings: [] } as const;
const flaked = (command: string): EventBody => ({
  type: 'check-flaked',
  run: 'r1',
  command,
  tree: 't',
  log: 'l',
});

describe('gate runs', () => {
  it('are those that really ran, by what they judged, and for each task that is done', () => {
    const { gateRuns } = trained(
      logOf(
        branch('a'),
        branch('b', { cached: true }),
        branch('c', { gate: 'none' }),
        candidate(),
        candidate({ verdict: { id: 'not-run', failure: failures['gate-not-run'] } as never }),
        candidate({ verdict: { id: 'failed', ms: 1, failure: failures['gate-red'] } as never }),
        { type: 'target-judged', run: 'r1', commit: 'b', tree: 't', gate: 'g', verdict: passed },
        { ...candidate({ cached: true }), type: 'target-judged', commit: 'b' } as EventBody,
        { type: 'gate-abandoned', run: 'r1', candidate: 'c1', count: 1 },
        landed('a', 'b'),
        delivered('c'),
      ),
    );
    expect(gateRuns).toEqual({
      branch: 1,
      candidate: 2,
      target: 1,
      total: 4,
      perLanded: 4 / 3,
      abandoned: 1,
    });
  });

  it('have no share where nothing landed', () => {
    const summary = trained(logOf(branch('a')));
    expect(summary.gateRuns?.perLanded).toBeUndefined();
    expect(trainFacts(summary)).toEqual([['gate runs', '1 (branch 1, candidates 0, target 0)']]);
    expect(trainFacts(trained([]))).toEqual([]);
  });

  it('count a task once that landed twice in the log, and co-claimed tasks with their branch', () => {
    const coClaim = { ...entries('a')[0], id: 'a', attempt: 1, commit: 'c', coClaims: ['b'] };
    const twice = { ...landed('a'), entries: [coClaim] } as EventBody;
    expect(trained(logOf(ready('a'), candidate(), twice, twice)).gateRuns.perLanded).toBe(0.5);
  });
});

describe('critiques', () => {
  const call = { kind: 'critique', round: 1, agent: 'c', again: 1 } as const;
  const improve = { ...call, kind: 'improve' } as const;
  const later = { ...call, round: 2, again: 2 };
  const asked = { ...of('a'), type: 'call-started', call, slot: 2 } as const;
  const ended = { ...of('a'), type: 'call-ended', call } as const;
  const story = logOf(
    start,
    asked,
    { ...ended, result: { ok: true, verdict: 'needs-changes', findings: [] } },
    { ...asked, call: improve },
    { ...ended, call: improve, result: { ok: true, body: 'Better.' } },
    { ...asked, call: { ...call, round: 2 } },
    {
      ...ended,
      call: { ...call, round: 2 },
      result: { ok: false, failure: failures['review-failed'] },
    },
    { ...asked, call: later },
    { ...ended, call: later, result: { ok: true, verdict: 'approved', findings: [] } },
  );

  it('are counted by how they came out', () => {
    const summary = trained(story);
    expect(summary.critiques).toEqual({
      rounds: 2,
      approved: 1,
      changes: 1,
      failed: 1,
      improved: 1,
    });
    expect(trainFacts(summary)).toEqual([
      ['critiques', '2 rounds (1 clear, 1 unclear, 1 rewritten, 1 gave no result)'],
    ]);
    expect(trained([])).not.toHaveProperty('critiques');
  });

  it('and reviews keep the slot busy that they take place in', () => {
    const summary = summaryOf(sourceOf(story));
    expect(summary.slots.find(({ slot }) => slot === 2)?.busyMs).toBe(4000);
    expect(summary.totals.busyMs).toBe(4000);
    const open = logOf(start, asked, ready('b'), ready('c'));
    expect(summaryOf(sourceOf(open)).totals.busyMs).toBe(2000);
  });
});

describe('a summary of a run with reviews, flaky checks and deliveries', () => {
  const log = logOf(
    start,
    branch('a'),
    candidate(),
    ...reviewed(1, 'codex', { ok: true, verdict: 'needs-changes', findings: [] }),
    ...reviewed(1, 'gemini', approved),
    ...reviewed(2, 'codex', approved),
    ...reviewed(2, 'gemini', { ok: false, failure: failures['review-failed'] }),
    flaked('npm test'),
    flaked('npm run lint'),
    flaked('npm test'),
    ready('b'),
    landed('b'),
    delivered('a', 'https://example.com/pull/1'),
    ready('c'),
    delivered('c'),
    {
      type: 'run-verified',
      run: 'r1',
      outcome: { kind: 'failed', command: 'npm test', exit: 1, ms: 5, tail: 'not ok 1 - adds' },
    },
  );

  it('reads', () => {
    const status = { id: 'delivered', how: 'branch', branch: 'yard/c', commit: 'c-c' } as const;
    const text = summaryText(
      summaryOf(sourceOf(log, undefined, [aRecord('c', status)])),
      plain,
      90,
    );
    expect(`\n${text.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      Run r1 is in flight  19 s  → main  2 × mine

      0 landed, 1 delivered

      attempts    ✓ 1 landed, ⇡ 2 delivered
      scope       every task
      gate        branch: 1 passed, in 5 ms
      gate        candidate: 1 passed, in 5 ms
      gate runs   2 (branch 1, candidates 1, target 0), 0.67 per landed task
      reviews     2 rounds (2 approved, 1 wanted changes, 1 gave no verdict)
      flaky       "npm test" failed, then passed on the same tree, 2 times
      flaky       "npm run lint" failed, then passed on the same tree, 1 time
      verify      failed: "npm test" exited with status 1
                  not ok 1 - adds
      time        ▁▁▁  agent time, one bar per attempt, longest 0 ms

      slot  attempts  turns  landed  failed  busy
         ?         3      0       1       0  0 ms
         2         0      0       0       0   4 s
       all         3      0       1       0   4 s

      Delivered: 2
        ⇡ a  https://example.com/pull/1
        ⇡ c  yard/c

      Files: /repo/.git/yardmaster/runs/r1
      "
    `);
  });

  it('has it all as data', () => {
    const summary = summaryOf(sourceOf(log));
    expect(summary).toMatchObject({
      reviews: { rounds: 2, approved: 2, changes: 1, failed: 1 },
      flakes: [
        { command: 'npm test', times: 2 },
        { command: 'npm run lint', times: 1 },
      ],
      delivered: [
        { task: 'a', how: 'pr', branch: 'yard/a', url: 'https://example.com/pull/1' },
        { task: 'c', how: 'branch', branch: 'yard/c' },
      ],
      verified: { kind: 'failed' },
      outcomes: { landed: 1, delivered: 2 },
      totals: { failed: 0 },
    });
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
  });

  it('leaves out what there was not', () => {
    const summary = trained(logOf(start));
    expect(Object.keys(JSON.parse(JSON.stringify(summary)))).toEqual(['gateRuns']);
    expect(verifiedLines(summary, plain, 90)).toEqual([]);
    expect(deliveredLines(summary, plain, 90)).toEqual([]);
  });

  it('counts what it has no room to list', () => {
    const many = Array.from({ length: 33 }, (_, at) => [
      ready(`t${at}`),
      delivered(`t${at}`),
    ]).flat();
    const lines = deliveredLines(trained(logOf(...many)), plain, 90);
    expect(lines.at(-1)).toBe('  and 3 more: ym tasks --state delivered');
  });

  it('is never wider than the screen, whatever the log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 12, max: 90 }), (events, width) => {
        const summary = trained(events);
        const lines = [
          ...verifiedLines(summary, plain, width),
          ...deliveredLines(summary, plain, width),
        ];
        for (const line of lines) expect(fits(line, width)).toBe(true);
      }),
    );
  });
});
