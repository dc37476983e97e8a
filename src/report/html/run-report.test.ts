import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { drawnRun, recordsOf, sourceOf, stepsIn } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import type { Event } from '../../model/event.ts';
import { spendTablesOf } from '../spend/spend-tables.ts';
import { summaryOf } from '../summary/summary.ts';
import { historyLines } from '../task/history.ts';
import { timelineOf } from '../timeline/timeline.ts';
import { type AttemptReport, type RunReport, reportHtml } from './run-report.ts';

function reportOf(events: readonly Event[], texts: Partial<AttemptReport> = {}): RunReport {
  const source = sourceOf(events);
  const { run, attempts } = source;
  const queue = recordsOf(events).queueSteps.get(run.id) ?? [];
  const now = 99_000;
  return {
    project: 'shop',
    summary: summaryOf(source),
    drawing: drawnRun(events),
    timeline: timelineOf({ run, attempts, queue }, { now, rows: 'slots', squeeze: true }),
    queue,
    spend: spendTablesOf(run, attempts),
    attempts: attempts.map((record) => ({
      record,
      title: 'A title',
      story: historyLines(stepsIn(events, record.task)),
      prompts: [],
      gates: [],
      reviews: [],
      ...texts,
    })),
    at: now,
    offsetMin: 0,
  };
}

/** Tags that are ours, in the order of their first use. */
const tagsIn = (html: string): readonly string[] => [
  ...new Set([...html.matchAll(/<([a-z][a-z0-9]*)[\s>]/g)].map(([, tag = '']) => tag)),
];

describe('the report of a run', () => {
  it('has every part, and links to each', () => {
    const html = reportHtml(reportOf(trainStory));
    for (const part of ['summary', 'graph', 'timeline', 'merge-queue', 'spend', 'attempts']) {
      expect(html).toContain(`id="${part}"`);
      expect(html).toContain(`href="#${part}"`);
    }
    expect(html).not.toMatch(/<script|src=|https?:\/\/(?!www\.w3\.org|example\.com)/);
  });

  it('shows text of agents as text, with control characters visible, and says what is left out', () => {
    const text = '<script>alert(1)</script>\u001b[2J';
    const cut = { name: '"><img src=x>', text, leftOut: 12_345 };
    const html = reportHtml(
      reportOf(story, { prompts: [cut], gates: [cut], reviews: [cut], diff: cut, title: text }),
    );
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J');
    expect(html).toContain('12,345 more bytes are left out.');
    expect(tagsIn(html)).not.toContain('script');
    expect(tagsIn(html)).not.toContain('img');
  });

  it('shows the bisection that found the culprit', () => {
    const entries = ['a', 'b'].map((id) => ({ id, attempt: 1, commit: `c-${id}` }));
    const of = { run: 'r1', candidate: 'c1' };
    const judged = {
      ...of,
      type: 'candidate-judged',
      tree: 't',
      gate: 'g',
      cached: false,
    } as const;
    const failure = { kind: 'gate-not-run', where: 'candidate', cause: 'x' } as const;
    const html = reportHtml(
      reportOf(
        logOf(
          {
            ...of,
            type: 'candidate-built',
            parent: 'p',
            commit: 'c1-2',
            tree: 't',
            entries,
            prefixes: [1, 2].map((at) => ({ commit: `c1-${at}`, tree: 't' })),
          },
          { ...judged, count: 2, verdict: { id: 'failed', ms: 1, failure } },
          { ...judged, count: 1, verdict: { id: 'passed', ms: 1 } },
        ),
      ),
    );
    expect(html).toContain('bisection: first 1 of 2, a passed');
    expect(html).toContain('<b class="bad">b</b> makes it red; a passes without it');
  });

  it('says in plain words that a gate did not run', () => {
    const failure = failures['gate-not-run'];
    const verdict = { id: 'not-run', failure } as const;
    const of = { run: 'r1', commit: 'c'.repeat(40), tree: 't', gate: 'g', cached: false };
    const html = reportHtml(reportOf(logOf({ ...of, type: 'target-judged', verdict })));
    expect(html).toContain('target ccccccc not run');
    expect(html).toContain('gate of the target at ccccccc: not run');
    expect(html).not.toContain('not-run');
  });

  it('is whole on any log', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const html = reportHtml(reportOf(events));
        expect(html.endsWith('</html>\n')).toBe(true);
        for (const tag of ['details', 'table', 'ul', 'pre', 'svg', 'g']) {
          const opened = html.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0;
          expect(html.split(`</${tag}>`).length - 1, tag).toBe(opened);
        }
      }),
      { numRuns: 40 },
    );
  });
});
