import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentStory,
  begun,
  ended,
  folded,
  said,
  turn,
  used,
} from '../../../test/report/agent-story.ts';
import { anyLog } from '../../../test/report/any-log.ts';
import { fits } from '../../../test/report/fits.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import type { EventBody } from '../../model/event.ts';
import { plain } from '../format/style.ts';
import { spendFacts, spendTables } from './spend.ts';
import { type Summary, summaryOf } from './summary.ts';
import { summaryText } from './text.ts';

const { run, tasks } = folded(agentStory);
const summary = summaryOf(sourceOf(agentStory, run, tasks));
const shown = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;
const facts = (of: Summary): Record<string, string> => Object.fromEntries(spendFacts(of));
const done = { id: 'complete' } as const;
const summed = (...bodies: readonly EventBody[]): Summary => {
  const start = { type: 'run-started', run: 'r1' } as const;
  const first = agentStory.find(({ type }) => type === 'run-started');
  const settings = first?.type === 'run-started' ? first : undefined;
  const events = settings === undefined ? [] : logOf({ ...settings, ...start }, ...bodies);
  return summaryOf(sourceOf(events));
};

describe('the spend of a run', () => {
  it('reads', () => {
    expect(shown(summaryText(summary, plain, 110))).toMatchInlineSnapshot(`
      "
      Run r1 is in flight  38 s  → main  3 × claude, codex, gemini

      3 landed, 1 needs you, 2 left to do

      Needs you: 1
        ■ query  awaiting an answer  ym answer query "…"
          └─ Its agent asks: Which of the two formats is meant?

      Left to do: 2
        ○ docs  ready  ym why docs
          └─ The quota of claude is used up until 1970-01-01 00:10 UTC.
        ▶ slow  working  ym why slow

      attempts    ✓ 2 landed, ⋯ 3 incomplete
      scope       every task
      gate        branch: 2 passed, in 10 ms
      gate        candidate: 2 passed, in 10 ms
      gate runs   4 (branch 2, candidates 2, target 0), 1.33 per landed task
      time        █▅█▅▇  agent time, one bar per attempt, longest 4 s
      tokens      25,520: 2,200 input, 22,000 cache read, 1,100 cache write, 220 output; 5 of 9 turns not reported
      cache       87 % of the input came from a cache
      cost        $0.30; 7 of 9 turns without a known cost
      prompts     began with a text that changed (2 versions for claude): no service caches a new version
      pauses      1 for quotas and rate limits, 2 s in all
      turns       1 without an end signal, 2 retried after a service error

      slot  attempts  turns  landed  failed  busy
         1         2      4       1       0   8 s
         2         2      3       1       0   4 s
         3         1      2       0       0   3 s
       all         5      9       2       0  15 s

      by model                                 turns  landed  input  cached  output   total   cost
      claude-opus-4-8 (reported by the agent)      3       2  1,600  16,800     180  18,580  $0.30
      gpt-5                                        2       1    600   6,300      40   6,940      -
      opus                                         2       0      -       -       -       -      -
      (default)                                    2       0      -       -       -       -      -
      all                                          9       3  2,200  23,100     220  25,520  $0.30

      by agent  turns  landed  input  cached  output   total   cost
      claude        5       2  1,600  16,800     180  18,580  $0.30
      codex         2       1    600   6,300      40   6,940      -
      gemini        2       0      -       -       -       -      -
      all           9       3  2,200  23,100     220  25,520  $0.30

      by task  turns  landed  input  cached  output   total   cost
      api          3       1  1,600  16,800     180  18,580  $0.30
      ui           2       1    600   6,300      40   6,940      -
      schema       0       1      0       0       0       0      -
      docs         1       0      -       -       -       -      -
      query        1       0      -       -       -       -      -
      slow         2       0      -       -       -       -      -
      all          9       3  2,200  23,100     220  25,520  $0.30

      Files: /repo/.git/yardmaster/runs/r1
      "
    `);
  });

  it('is not spoken of in runs that do not know it', () => {
    const old = summaryOf(sourceOf(story));
    for (const key of ['spend', 'pauses', 'silentTurns', 'providerRetries', 'prefixes']) {
      expect(old).not.toHaveProperty(key);
    }
    expect(Object.values(facts(old)).join('')).toBe('');
    expect(spendTables(old, plain, 100)).toEqual([]);
  });

  it('has no table of models where no turn has one', () => {
    const one = summed(
      ...begun('a', 1, 'mine'),
      turn('a', 1, 1),
      ended('a', 1, said(done, used(10, 1))),
    );
    expect(facts(one).tokens).toBe('116: 10 input, 100 cache read, 5 cache write, 1 output');
    expect(facts(one).cost).toBe('unknown: no agent reports it and the config has no prices');
    expect(spendTables(one, plain, 100)).toEqual([]);
  });

  it('knows the cost whole where every turn has one', () => {
    const one = summed(
      ...begun('a', 1, 'claude'),
      turn('a', 1, 1, { model: 'opus', prefix: 'p' }),
      ended('a', 1, said(done, used(10, 1, 1.5))),
    );
    expect(facts(one)).toMatchObject({
      cost: '$1.50',
      prompts: 'all of an agent began with the same text, which its service can cache',
      pauses: '',
      turns: '',
    });
  });

  it('shows a model that is not named as the default', () => {
    const lines = spendTables(summary, plain, 100);
    expect(lines.find((line) => line.startsWith('(default)'))).toMatch(/^\(default\) +2 +0/);
  });

  it('shows a dash, not a zero, where no turn reported its tokens', () => {
    const silent = [...begun('a', 1, 'claude'), turn('a', 1, 1, { model: 'opus' })];
    const summary = summed(...silent, ended('a', 1, said(done)));
    const lines = spendTables(summary, plain, 100);
    expect(lines.find((line) => line.startsWith('opus'))).toMatch(/^opus +1 +0 +- +- +- +-$/);
    expect(summaryText(summary, plain, 100)).toContain('tokens      not reported by any agent');
  });

  it('lists the tasks that used most, and counts the others', () => {
    const many = Array.from({ length: 14 }, (_, at) => [
      ...begun(`t${at}`, 1, 'claude'),
      turn(`t${at}`, 1, 1, { model: 'opus' }),
      ended(`t${at}`, 1, said(done, used(at * 2, 1))),
    ]).flat();
    const lines = spendTables(summed(...many), plain, 100);
    const from = lines.findIndex((line) => line.startsWith('by task'));
    expect(lines[from + 1]).toMatch(/^t13 /);
    expect(lines.at(-2)).toMatch(/^4 more: ym summary --json +4 /);
    expect(lines.at(-1)).toMatch(/^all +14 /);
  });

  it('has as many turns as the slots had', () => {
    expect(summary.spend?.totals.turns).toBe(summary.totals.turns);
  });

  it('shows in its table of models the totals as the last row, and fits, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 24, max: 300 }), (log, width) => {
        const any = summaryOf(sourceOf(log));
        for (const line of summaryText(any, plain, width)) {
          expect(fits(line, width)).toBe(true);
        }
        const wide = spendTables(any, plain, 400);
        expect(wide.some((line) => line.startsWith('by model'))).toBe(
          any.spend?.byModel !== undefined,
        );
        const sum = any.spend?.byModel?.reduce((all, { total }) => all + total, 0);
        if (sum !== undefined) expect(sum).toBe(any.spend?.totals.total);
      }),
    );
  });
});
