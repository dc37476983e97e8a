import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { severities } from '../model/finding.ts';
import { limits } from '../model/limits.ts';
import { parseReview } from './verdict.ts';

const approved = 'VERDICT: APPROVED';
const needsChanges = 'VERDICT: NEEDS_CHANGES';
const found = 'FINDING no-test major src/a.ts:12 Nothing tests it.';

const read = (...lines: string[]) => parseReview(lines.join('\n'));
const problemOf = (...lines: string[]): string => {
  const review = read(...lines);
  return review.ok ? `(a verdict: ${review.verdict})` : review.problem;
};
const findingsOf = (...lines: string[]) => {
  const review = read(...lines, needsChanges);
  return review.ok ? review.findings : review.problem;
};

describe('a verdict', () => {
  it('is a whole line', () => {
    expect(read('It is good.', '', approved)).toEqual({
      ok: true,
      verdict: 'approved',
      findings: [],
    });
    expect(read(found, needsChanges)).toMatchObject({ ok: true, verdict: 'needs-changes' });
  });

  it('may be followed by spaces and a carriage return, anywhere in the answer', () => {
    expect(parseReview(`${approved}  \r\nThat was all.\r\n`)).toMatchObject({
      verdict: 'approved',
    });
  });

  it('requests changes if it says rejected', () => {
    expect(read(found, 'VERDICT: REJECTED')).toMatchObject({ ok: true, verdict: 'needs-changes' });
    expect(read(found, 'VERDICT: REJECTED', needsChanges)).toMatchObject({
      verdict: 'needs-changes',
    });
  });

  it('may be repeated', () => {
    expect(read(approved, 'To say it again:', approved)).toMatchObject({ verdict: 'approved' });
  });

  it.each([
    ['nothing', ''],
    ['praise', 'This is approved by me.'],
    ['the opposite in prose', 'This is not approved.'],
    ['a sentence', `I would say ${approved}`],
    ['a sentence behind it', `${approved}, but only just.`],
    ['a list', `- ${approved}`],
    ['a quote', `> ${approved}`],
    ['bold letters', `**${approved}**`],
    ['code in a line', `\`${approved}\``],
    ['an indented line', `    ${approved}`],
    ['other letters', 'Verdict: approved'],
    ['another word', 'VERDICT: APPROVE'],
    ['both words in one line', `${approved} or ${needsChanges}`],
    ['a code block', `\`\`\`\n${approved}\n\`\`\``],
  ])('is not %s', (_what, text) => {
    expect(problemOf(text)).toMatch(/it has no line VERDICT: APPROVED or VERDICT: NEEDS_CHANGES/);
  });

  it('is invalid if two contradict each other', () => {
    expect(problemOf(approved, found, needsChanges)).toMatch(/contradicting/);
    expect(problemOf('VERDICT: REJECTED', found, approved)).toMatch(/contradicting/);
  });

  it('is invalid inside a block that is never closed', () => {
    expect(problemOf(approved, '```', needsChanges)).toMatch(/never closed/);
    expect(problemOf('```', needsChanges, '```js', 'x', '```', approved)).toMatch(/never closed/);
  });

  it('may follow a block that shows verdict lines', () => {
    expect(read('```', needsChanges, '```', approved)).toMatchObject({ verdict: 'approved' });
  });

  it('requests changes if there is a serious finding', () => {
    for (const severity of ['blocker', 'major']) {
      const finding = `FINDING a ${severity} - It is wrong.`;
      expect(read(finding, approved)).toMatchObject({
        ok: true,
        verdict: 'needs-changes',
        findings: [{ id: 'a', severity }],
      });
    }
    expect(read('FINDING a minor - A word.', 'FINDING b note - Nice.', approved)).toMatchObject({
      verdict: 'approved',
      findings: [{ id: 'a' }, { id: 'b' }],
    });
  });

  it('is invalid for an approval with an unreadable serious finding', () => {
    expect(problemOf('FINDING a: Blocker! It is wrong.', approved)).toMatch(/not readable/);
    expect(read('FINDING none', approved)).toMatchObject({ verdict: 'approved', findings: [] });
  });
});

describe('findings', () => {
  it('have an id, a severity, a place and a text', () => {
    expect(
      findingsOf(found, 'FINDING b note - Nice.', 'FINDING c minor docs/a.md A word.'),
    ).toEqual([
      { id: 'no-test', severity: 'major', file: 'src/a.ts', line: 12, text: 'Nothing tests it.' },
      { id: 'b', severity: 'note', text: 'Nice.' },
      { id: 'c', severity: 'minor', file: 'docs/a.md', text: 'A word.' },
    ]);
  });

  it.each([
    ['src/a.ts:12-20', { file: 'src/a.ts', line: 12 }],
    ['src/a.ts:12:5', { file: 'src/a.ts', line: 12 }],
    ['./src/a.ts', { file: 'src/a.ts' }],
    ['"my file.ts":3', { file: 'my file.ts', line: 3 }],
    ['"my file.ts:3"', { file: 'my file.ts', line: 3 }],
    ['a:b.ts', { file: 'a:b.ts' }],
    ['-', {}],
    ['-:3', {}],
  ])('are at %s', (place, where) => {
    const { file, line, ...rest } = { file: undefined, line: undefined, ...where };
    expect(rest).toEqual({});
    const [finding] = findingsOf(`FINDING a major ${place} Wrong.`);
    expect(finding).toEqual({
      id: 'a',
      severity: 'major',
      text: 'Wrong.',
      file,
      line,
    });
  });

  it('have normalized ids', () => {
    const ids = ['No-Test', '[no-test]', '**no-test**', 'no-test:', '#no-test'].map((id) => {
      const [finding] = findingsOf(`FINDING ${id} major - Wrong.`);
      return typeof finding === 'object' ? finding.id : finding;
    });
    expect(new Set(ids)).toEqual(new Set(['no-test']));
    expect(findingsOf('FINDING !!! major - Wrong.')).toMatchObject([{ id: 'finding' }]);
  });

  it('have unique ids', () => {
    const twice = [found, found, found.replace('no-test', 'no-test-2')];
    expect(findingsOf(...twice)).toMatchObject([
      { id: 'no-test' },
      { id: 'no-test-2' },
      { id: 'no-test-2-2' },
    ]);
  });

  it('accept known severities in any case, and no others', () => {
    expect(findingsOf('FINDING a BLOCKER - Wrong.')).toMatchObject([{ severity: 'blocker' }]);
    expect(findingsOf(found, 'FINDING a critical - Wrong.')).toHaveLength(1);
  });

  it('count only outside of code blocks, at the start of a line', () => {
    expect(findingsOf(found, '```', found, '```', `- ${found}`)).toHaveLength(1);
  });

  it('are required for requested changes, and must be readable', () => {
    expect(problemOf('It is bad.', needsChanges)).toMatch(/has no findings/);
    expect(problemOf('FINDING it is bad', needsChanges)).toMatch(
      /none of its findings is readable/,
    );
    expect(problemOf('FINDING a major src/a.ts', needsChanges)).toMatch(/is readable/);
  });

  it('are bounded in number, and the most severe are kept', () => {
    const notes = Array.from({ length: 80 }, (_, at) => `FINDING n${at} note - Nice.`);
    const review = read(...notes, 'FINDING z blocker - Wrong.', approved);
    expect(review).toMatchObject({ ok: true, verdict: 'needs-changes' });
    const kept = review.ok ? review.findings : [];
    expect(kept).toHaveLength(limits.findings);
    expect(kept.at(-1)?.id).toBe('z');
  });

  it('are bounded in length', () => {
    const long = 'x'.repeat(5_000);
    const [finding] = findingsOf(`FINDING ${long} major ${long}:3 ${'😀'.repeat(5_000)}`);
    if (typeof finding !== 'object') throw new Error(finding);
    expect(finding.id).toHaveLength(limits.findingIdChars);
    expect(finding.file).toHaveLength(limits.findingFileChars);
    expect(finding.text.length).toBeLessThanOrEqual(limits.findingChars);
    expect(finding.text).toMatch(/^(?:😀)+…$/u);
  });

  it('show the control characters that they contain', () => {
    expect(findingsOf('FINDING a major - Red \u001b[31m and \u0007bell')).toMatchObject([
      { text: 'Red \\x1b[31m and \\x07bell' },
    ]);
  });
});

const word = fc.constantFrom(
  approved,
  needsChanges,
  'VERDICT: REJECTED',
  'not approved',
  found,
  'FINDING a blocker - x',
  'FINDING nonsense',
  '```',
  '````',
  '~~~',
  '```task',
  '',
  'text',
);

describe('any answer', () => {
  it('never throws, and approves only by a verdict line', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (lines) => {
        const review = parseReview(lines.join('\n'));
        if (!review.ok) return;
        if (review.verdict === 'approved') {
          expect(lines).toContain(approved);
          expect(review.findings.filter((one) => one.severity === 'blocker')).toEqual([]);
        } else expect(review.findings.length).toBeGreaterThan(0);
        expect(new Set(review.findings.map(({ id }) => id)).size).toBe(review.findings.length);
        for (const { severity } of review.findings) expect(severities).toContain(severity);
      }),
      { numRuns: 1_000 },
    );
  });

  it('with one verdict is never read as the other', () => {
    const others = fc.array(fc.constantFrom('text', '', '```', 'not approved', found));
    fc.assert(
      fc.property(others, others, (before, after) => {
        const review = parseReview([...before, needsChanges, ...after].join('\n'));
        if (review.ok) expect(review.verdict).toBe('needs-changes');
      }),
    );
  });
});
