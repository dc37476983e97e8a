import { describe, expect, it } from 'vitest';
import { aRun, settings } from '../../../test/report/fixtures.ts';
import { spendText, spendView } from './spend.ts';

const spent = { tokens: 1_200_000, costUsd: 3.4, turns: 7 };

describe('what a run spent', () => {
  it('is only starts and landings where no agent says what it used', () => {
    const view = spendView(aRun({ spent: { starts: 4 }, train: { landed: 3 } }));
    expect(view).toEqual({ starts: 4, landed: 3 });
    expect(spendText(view)).toBe('');
  });

  it('has tokens and cost, and what is left of each budget', () => {
    const run = aRun({
      spent: { ...spent, starts: 7 },
      settings: { ...settings, tokens: 2_000_000, costUsd: 20, maxAttempts: 10 },
    });
    expect(spendView(run)).toEqual({
      starts: 7,
      landed: 0,
      tokens: 1_200_000,
      costUsd: 3.4,
      left: { starts: 3, tokens: 800_000, costUsd: 16.6 },
    });
    expect(spendText(spendView(run))).toBe(
      'Spent 1.2M tokens, $3.40; left 800k tokens, $16.60, 3 agent starts',
    );
  });

  it('counts the budget from the last resumption', () => {
    const run = aRun({
      spent: { ...spent, starts: 7 },
      spentBeforeResume: { starts: 5, tokens: 1_000_000, costUsd: 3, turns: 5 },
      settings: { ...settings, tokens: 300_000, maxAttempts: 4 },
    });
    expect(spendView(run)).toMatchObject({
      tokens: 1_200_000,
      left: { starts: 2, tokens: 100_000 },
    });
  });

  it('never has less than nothing left', () => {
    const run = aRun({ spent, settings: { ...settings, tokens: 5, costUsd: 1 } });
    expect(spendView(run).left).toEqual({ tokens: 0, costUsd: 0 });
  });

  it('says nothing of a cost that nobody reported', () => {
    const view = spendView(aRun({ spent: { ...spent, costUsd: 0 } }));
    expect(spendText(view)).toBe('Spent 1.2M tokens');
  });

  it('tells what may be spent before anything was', () => {
    const view = spendView(aRun({ settings: { ...settings, costUsd: 20 } }));
    expect(spendText(view)).toBe('Left $20.00');
  });
});
