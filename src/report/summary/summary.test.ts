import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog, anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { fits } from '../../../test/report/fits.ts';
import {
  anAttempt,
  aRecord,
  aRun,
  endedPhase,
  logOf,
  settings,
} from '../../../test/report/fixtures.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { end, start, story } from '../../../test/report/story.ts';
import type { Event } from '../../model/event.ts';
import { plain } from '../format/style.ts';
import { failureIn } from '../view/state.ts';
import { type Summary, summaryOf } from './summary.ts';
import { sparkline, summaryText } from './text.ts';

const records = [
  aRecord('api', { id: 'landed', commit: 'b'.repeat(40), run: 'r1', at: 5 }),
  aRecord('ui', { id: 'failed', failure: failures['limit-crossed'], run: 'r1' }),
  aRecord('docs', { id: 'quarantined', failure: failures['failed-too-often'] }),
  aRecord('after', undefined, { after: ['ui'] }),
  aRecord('untouched'),
];
const whole = [...story, ...logOf(end).map((event) => ({ ...event, seq: 99, at: 60_000 }))];
const summed = (...source: Parameters<typeof sourceOf>): Summary => summaryOf(sourceOf(...source));

describe('a summary', () => {
  it('reads', () => {
    const summary = summed(whole, undefined, records);
    expect(`\n${summaryText(summary, plain, 80).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      Run r1 is done  59 s  → main  2 × mine

      stop        ended: nothing left to start
      1 landed, 2 need you, 2 left to do

      Needs you: 2
        ✗ ui  failed  ym retry ui
          └─ The agent printed nothing for 15 m 00 s and was stopped.
        ‼ docs  quarantined  ym retry docs
          └─ Failed 1 time. Last failure: the agent was killed by SIGKILL.

      Left to do: 2
        ■ after  waiting behind ui  ym why ui
          └─ Waits for ui, which is failed.
        ○ untouched  ready  ym resume

      attempts    ✓ 1 landed, ◐ 1 no changes, ✗ 2 error, ⊘ 1 interrupted, ⋯ 1
                  incomplete
      scope       every task
      gate        branch: 1 passed, 1 failed, in 3 s
      gate        candidate: 1 passed, 1 of them from the cache, in 0 ms
      gate runs   2 (branch 2, candidates 0, target 0), 2.00 per landed task
      returned    1 to its agent
      time        ▁▁▁▁▁█  agent time, one bar per attempt, longest 31 s

      slot  attempts  turns  landed  failed  busy
         1         3      4       1       1   4 s
         2         3      3       0       2  33 s
       all         6      7       1       3  37 s

      Files: /repo/.git/yardmaster/runs/r1
      "
    `);
  });

  it('counts batches by who chose them, and what the planner used', () => {
    const usage = { input: 40, cacheRead: 0, cacheWrite: 0, output: 2 };
    const batches = {
      counts: { agent: 2, planner: 1, skipped: 3 },
      calls: 1,
      spent: [{ agent: 'chooser', calls: 1, usage }],
    };
    const source = sourceOf(whole, undefined, records);
    const summary = summaryOf({ ...source, run: { ...source.run, batches } });
    expect(summary).toMatchObject({
      planner: { agent: 2, runtime: 1, fallback: 3 },
      spend: { totals: { total: 42, turns: 1 }, byAgent: [{ agent: 'chooser', total: 42 }] },
    });
    const lines = summaryText(summary, plain, 80);
    const at = lines.findIndex((line) => line.startsWith('scope'));
    expect(lines[at + 1]).toBe('batches     planner: agent=2, runtime=1, fallback=3');
    for (const skipped of [0, 1]) {
      const nobody = { ...batches, counts: { agent: 0, planner: 0, skipped } };
      const without = summaryOf({ ...source, run: { ...source.run, batches: nobody } });
      expect(summaryText(without, plain, 80).join('\n')).not.toContain('planner:');
    }
  });

  it('does not call a run done that was stopped', () => {
    const ended = logOf({ type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } });
    const log = [...story, ...ended.map((event) => ({ ...event, seq: 99, at: 60_000 }))];
    const [banner] = summaryText(summed(log, undefined, records), plain, 80);
    expect(banner).toContain('Run r1 was stopped');
  });

  it('says that there was no gate, and counts none of its verdicts', () => {
    const verdict = { id: 'passed', ms: 0 } as const;
    const judged = { run: 'r1', id: 'api', attempt: 1, tree: 't', verdict, cached: false };
    const events = logOf({ ...judged, type: 'branch-judged', gate: 'none' });
    const run = aRun({ settings: { ...settings, gate: 'none' } });
    const summary = summed(events, run, []);
    expect(summary.gates.branch.passed).toBe(0);
    expect(summaryText(summary, plain, 80).join('\n')).toContain(
      'gate        none: work landed untested',
    );
  });

  it('lists no slot that got no work, and only some names of a long scope', () => {
    const tasks = Array.from({ length: 9 }, (_, at) => `t${at}`);
    const scope = { kind: 'only', tasks } as const;
    const run = aRun({ settings: { ...settings, jobs: 8, scope } });
    const summary = summed(story, run, records);
    expect(summary.slots).toHaveLength(8);
    const text = summaryText(summary, plain, 80).join('\n');
    expect(text).not.toMatch(/^ +8 +0 /m);
    expect(text).toContain('only t0, t1, t2, t3, t4, t5 and 3 more');
  });

  it('says what to do where the run was stopped by something outside', () => {
    const stop = { reason: 'environment', failure: failures['target-red'] } as const;
    const ended = aRun({ phase: endedPhase(5, stop) });
    const text = summaryText(summed([], ended, []), plain, 80).join('\n');
    expect(text).toContain('because     The target itself fails the gate');
    expect(text).toMatch(/^do {10}Read .*fix/m);
  });

  it('asks to resume a stopped run only where something is left', () => {
    const stopped = aRun({ phase: endedPhase(5, { reason: 'stop-asked' }) });
    const text = (tasks: typeof records): string =>
      summaryText(summed([], stopped, tasks), plain, 80).join('\n');
    expect(text(records)).toContain('do          Type `ym resume`');
    expect(text([])).not.toContain('ym resume');
  });

  it('counts every outcome', () => {
    expect(summed(whole, undefined, records).outcomes).toEqual({
      landed: 1,
      delivered: 0,
      planned: 0,
      tested: 0,
      superseded: 0,
      returned: 0,
      'no-changes': 1,
      error: 2,
      interrupted: 1,
      incomplete: 1,
    });
  });

  it('counts gate runs by place, verdict and whether they were known', () => {
    expect(summed(whole, undefined, records).gates).toEqual({
      branch: { passed: 1, failed: 1, notRun: 0, cached: 0, ms: 3500 },
      candidate: { passed: 1, failed: 0, notRun: 0, cached: 1, ms: 0 },
      target: { passed: 0, failed: 0, notRun: 0, cached: 0, ms: 0 },
    });
  });

  it('lists every task that did not land, started or not, with its reason where there is one', () => {
    const { notLanded } = summed(whole, undefined, records);
    expect(notLanded.map((one) => [one.id, failureIn(one)?.kind])).toEqual([
      ['ui', 'limit-crossed'],
      ['docs', 'failed-too-often'],
      ['after', 'parent-stuck'],
      ['untouched', undefined],
    ]);
  });

  it('leaves out tasks beyond the scope of the run', () => {
    const scope = { kind: 'only', tasks: ['api'] } as const;
    const run = aRun({ settings: { ...settings, scope } });
    expect(summed(logOf(start), run, records).notLanded).toEqual([]);
  });

  it('passes over events of other runs', () => {
    const other: readonly Event[] = JSON.parse(JSON.stringify(story), (key, value) =>
      key === 'run' ? 'r0' : key === 'attempt' ? value + 10 : value,
    );
    const summary = summed([...other, ...whole], aRun(), records);
    expect(summary.totals).toEqual(summed(whole, aRun(), records).totals);
  });
});

describe('the class of a run', () => {
  it('is completed when its end is recorded', () => {
    expect(summed(whole, undefined, []).class).toBe('completed');
    expect(summed(whole, undefined, []).stop).toEqual({ reason: 'drained', tasks: [] });
  });

  it('is in flight without an end', () => {
    const summary = summed(story, undefined, []);
    expect(summary.class).toBe('in-flight');
    expect(summary).not.toHaveProperty('stop');
    expect(summary.wallMs).toBe(story.length * 1000 - 1000);
  });

  it('says that a run died if its process is gone, and that its tasks are stopped', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 });
    const source = sourceOf(story, undefined, [aRecord('a', undefined, { attempt })]);
    const summary = summaryOf({ ...source, hasDied: true });
    expect(summary.class).toBe('died');
    const lines = summaryText(summary, plain, 100);
    expect(lines[0]).toContain('Run r1 died');
    expect(lines.join('\n')).toContain('a  stopped  ym resume');
  });

  it('is in flight again once it is resumed', () => {
    const { owner } = aRun();
    const log = logOf(start, end, { type: 'run-resumed', run: 'r1', owner });
    expect(summed([...log, ...story.slice(1)], undefined, []).class).toBe('in-flight');
  });

  it('is empty when nothing was tried', () => {
    expect(summed(logOf(start), undefined, []).class).toBe('empty');
    expect(summed([], undefined, []).class).toBe('empty');
    const [banner] = summaryText(summed([], undefined, []), plain, 80);
    expect(banner).toContain('Run r1 has not started a task yet');
  });
});

describe('the table of slots', () => {
  it('lists idle slots as well', () => {
    const { slots } = summed(logOf(start), aRun(), []);
    expect(slots.map(({ slot, attempts }) => [slot, attempts])).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  it('counts the time agents ran', () => {
    const { slots } = summed(whole, undefined, records);
    expect(slots.map(({ busyMs }) => busyMs)).toEqual([4000, 33_000]);
  });

  it('calls no interrupted attempt failed', () => {
    const { totals, outcomes } = summed(whole, undefined, records);
    expect(outcomes.interrupted).toBe(1);
    expect(totals.failed).toBe(outcomes.error + outcomes.returned + outcomes['no-changes']);
  });

  it('has totals that are the sums of its rows, on any log', () => {
    fc.assert(
      fc.property(anyLog, anyRecords, fc.boolean(), (log, any, known) => {
        const summary = summed(log, known ? aRun() : undefined, any);
        for (const key of ['attempts', 'turns', 'landed', 'failed', 'busyMs'] as const) {
          const sum = summary.slots.reduce((total, row) => total + row[key], 0);
          expect(summary.totals[key]).toBe(sum);
        }
        const counted = Object.values(summary.outcomes).reduce((total, count) => total + count, 0);
        expect(summary.totals.attempts).toBe(counted);
        expect(summary.totals.attempts).toBe(summary.attempts.length);
        expect(summary.totals.landed).toBe(summary.outcomes.landed);
        expect(summary.totals.busyMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('on partial logs', () => {
  it('never throws, is plain data, and prints no wider than asked for', () => {
    fc.assert(
      fc.property(anyLog, anyRecords, fc.integer({ min: 24, max: 120 }), (log, any, width) => {
        const summary = summed(log, undefined, any);
        expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
        for (const line of summaryText(summary, plain, width)) {
          expect(fits(line, width)).toBe(true);
        }
      }),
    );
  });

  it('sums up every beginning of a log', () => {
    for (let length = 0; length <= whole.length; length += 1) {
      const summary = summed(whole.slice(0, length), undefined, records);
      expect(summary.class).toBe(
        length === whole.length ? 'completed' : length <= 1 ? 'empty' : 'in-flight',
      );
    }
  });
});

describe('a sparkline', () => {
  it('has eight levels', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇██');
  });

  it('is flat for nothing', () => {
    expect(sparkline([0, 0])).toBe('▁▁');
    expect(sparkline([])).toBe('');
  });
});
