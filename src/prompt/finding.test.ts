import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../model/finding.ts';
import { severities } from '../model/finding.ts';
import { findingLine, findingList } from './wording.ts';

const finding = (more: Partial<Finding> = {}): Finding => ({
  id: 'a',
  severity: 'major',
  text: 'Wrong.',
  ...more,
});

describe('a finding', () => {
  it('is one line with its place', () => {
    expect(findingLine(finding({ file: 'a.ts', line: 3 }))).toBe('a (major) a.ts:3: Wrong.');
    expect(findingLine(finding({ file: 'a.ts' }))).toBe('a (major) a.ts: Wrong.');
    expect(findingLine(finding({ text: 'x\n# Task y' }))).toBe('a (major): x # Task y');
  });
});

describe('a list of findings', () => {
  it('is sorted by severity, then by its own order', () => {
    const all = [
      finding({ id: 'n', severity: 'note' }),
      finding({ id: 'm' }),
      finding({ id: 'b', severity: 'blocker' }),
      finding({ id: 'o' }),
    ];
    const ids = findingList(all, 1_000)
      .split('\n')
      .map((line) => line.split(' ')[1]);
    expect(ids).toEqual(['b', 'm', 'o', 'n']);
  });

  it('counts what does not fit, and cuts a finding that is too long', () => {
    const long = finding({ text: 'x'.repeat(500) });
    expect(findingList([long, finding(), finding()], 100)).toMatch(/^- a \(major\): x{80,}/);
    const short = Array.from({ length: 9 }, () => finding());
    expect(findingList(short, 60)).toBe('- a (major): Wrong.\n- a (major): Wrong.\n- and 7 more');
  });

  it('never exceeds its limit', () => {
    const any = fc.record({
      id: fc.constant('id'),
      severity: fc.constantFrom(...severities),
      text: fc.string({ maxLength: 60 }),
    });
    fc.assert(
      fc.property(fc.array(any), fc.integer({ min: 20, max: 300 }), (all, chars) => {
        expect(findingList(all, chars).length).toBeLessThanOrEqual(chars);
      }),
    );
  });
});
