import { describe, expect, it } from 'vitest';
import type { Concern } from '../model/concern.ts';
import { planRefusal } from './plan-check.ts';

const concern = (severity: Concern['severity'], text: string): Concern => ({
  severity,
  text,
  fix: { kind: 'none' },
});

describe('a plan with concerns', () => {
  it('starts if there are none, or only remarks', () => {
    expect(planRefusal([], false)).toBeUndefined();
    expect(planRefusal([concern('info', 'a is large')], false)).toBeUndefined();
  });

  it('is refused if one blocks it, also if the user accepted warnings', () => {
    const concerns = [concern('warn', 'a is vague'), concern('block', 'b undoes a')];
    for (const accepted of [false, true]) {
      expect(planRefusal(concerns, accepted)).toMatchObject({
        kind: 'usage',
        problem: expect.stringContaining('b undoes a'),
      });
    }
  });

  it('is refused because of warnings unless the user accepted them', () => {
    const concerns = [concern('warn', 'a is vague'), concern('warn', 'b is vague')];
    expect(planRefusal(concerns, true)).toBeUndefined();
    expect(planRefusal(concerns, false)).toMatchObject({
      problem: expect.stringContaining('2 warnings'),
      remedy: expect.stringContaining('--yes'),
    });
  });
});
