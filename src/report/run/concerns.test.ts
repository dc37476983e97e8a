import { describe, expect, it } from 'vitest';
import type { Concern } from '../../model/concern.ts';
import { plain } from '../format/style.ts';
import { concernLines } from './concerns.ts';

const concerns: readonly Concern[] = [
  { severity: 'block', text: 'a and b exclude each other', fix: { kind: 'none' } },
  {
    severity: 'warn',
    text: 'the page uses the endpoint, but it does not wait for it, so that it is made twice',
    fix: { kind: 'after', task: 'page', parent: 'endpoint' },
  },
  { severity: 'info', text: 'docs wait', fix: { kind: 'not-after', task: 'docs', parent: 'a' } },
  { severity: 'info', text: 'b is large', fix: { kind: 'advice', text: 'Split it.' } },
];
const shown = (given: readonly Concern[], stored: boolean): string =>
  concernLines(given, { first: 3, stored, style: plain, width: 60 }).join('\n');

describe('concerns about a plan', () => {
  it('have numbers, severities and fixes', () => {
    expect(shown(concerns, true)).toMatchInlineSnapshot(`
      "
      4 concerns about this plan:
        3  block: a and b exclude each other
        4  warn: the page uses the endpoint, but it does not wait
           for it, so that it is made twice
           fix: page waits for endpoint
        5  info: docs wait
           fix: docs no longer waits for a
        6  info: b is large
           fix: Split it.
      \`ym plan --apply 4,5\` applies these fixes."
    `);
    expect(shown([], true)).toBe('');
  });

  it('cannot be applied to tasks that are not stored', () => {
    expect(shown(concerns, false)).not.toContain('--apply');
  });
});
