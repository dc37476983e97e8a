import { describe, expect, it } from 'vitest';
import { plain } from '../format/style.ts';
import { planHistoryText } from './plan-history.ts';

const layout = { style: plain, width: 80, offset: 0 };
const version = (number: number) => {
  return { number, at: 0, from: ['plan.yaml'], added: 2, changed: 0, canceled: 1 };
};

describe('the history of a plan', () => {
  it('has a line for each version', () => {
    expect(planHistoryText([version(1)], layout).join('\n')).toMatchInlineSnapshot(`
      "version  stored               added  changed  canceled  from
            1  1970-01-01 00:00:00      2                  1  plan.yaml
      \`ym plan history N\` shows what changed in a version."
    `);
    expect(planHistoryText([], layout)).toEqual(['No task was stored yet.']);
  });

  it('shows the newest versions and says where the others are', () => {
    const many = Array.from({ length: 80 }, (_, at) => version(at + 1));
    const lines = planHistoryText(many, layout);
    expect(lines[1]).toMatch(/^ *31 /);
    expect(lines.at(-2)).toContain('ym plan history --json');
  });
});
