import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allTamperings,
  allViolations,
  anyFinding,
  violations,
} from '../../../test/report/any-work.ts';
import { severities } from '../../model/finding.ts';
import { byGravity, findingText, tamperingText, violationText } from './findings.ts';

describe('a rule that is broken', () => {
  it('is one sentence that says what to do', () => {
    expect(`\n${allViolations.map(violationText).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      .github/ci.yml is protected (.github/**): leave it as it is, or let a person approve the change.
      package.json decides what the gate runs (scripts.test): leave that as it is, or let a person approve the change.
      src/b.ts is outside the task's paths (src/a/**, docs/**): revert the change.
      It changes 120 files, and 50 is the limit: make it smaller, or split the task.
      a.test.ts is a test and was deleted: restore it.
      b.test.ts no longer contains tests: restore them.
      c.test.ts skips a test (it.skip('adds', () => {): let it run again.
      d.test.ts lost a check (expect(sum).toBe(3);): restore it.
      vendor/lib is a nested repository, so its files would not land: remove its .git.
      node_modules holds installed packages (3 files): remove it from the work, and let git ignore it.
      test/a.test.ts is a test that was written first, and was changed afterwards: restore it.
      src/c.ts lost lines that were added on the target (const a = 1; and 1 more): restore them, or name the file in a commit message: \`Yard-Dropped: src/c.ts\`.
      The work does not contain the branch yard/r1/api-1, so api cannot land with it: merge the branch, or resolve the conflict with \`ym resolve api\`.
      src/c.ts has none of the changes of yard/r1/api-1: keep them, or name the file in a commit message: \`Yard-Dropped: src/c.ts\`.
      "
    `);
  });

  it('names the file it is about', () => {
    for (const violation of allViolations) {
      if ('file' in violation) expect(violationText(violation)).toContain(violation.file);
    }
  });

  it('shows the first of the lines that are gone, and counts the rest', () => {
    const one = { ...violations['lines-dropped'], lines: ['only();'] };
    expect(violationText(one)).toContain('(only();)');
    expect(violationText(violations['lines-dropped'])).toContain('(const a = 1; and 1 more)');
  });
});

describe('something outside of the worktree', () => {
  it('is one sentence', () => {
    expect(`\n${allTamperings.map(tamperingText).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      The git hook pre-commit was added, changed or removed.
      The repository's git settings were changed: config.
      The agent moved the target from aaaaaaa to bbbbbbb. It was put back; refs/yard/keep/r1/api-1.target1 keeps its commit.
      refs/heads/main was deleted (it was aaaaaaa).
      Files in the checkout /repo were changed: x, y.
      The worktree of ui was changed: /w/2.
      ~/.npmrc was added, changed or removed: git or a gate command reads it.
      Objects that the target needs were deleted from the repository, including ddddddd.
      A verdict on the tree fffffff was stored that no gate produced.
      "
    `);
  });

  it.each([
    [{ to: 'b'.repeat(40) }, 'refs/tags/x was created at bbbbbbb.'],
    [
      { from: 'a'.repeat(40), to: 'b'.repeat(40) },
      'refs/tags/x was moved from aaaaaaa to bbbbbbb.',
    ],
    [{ from: 'a'.repeat(40) }, 'refs/tags/x was deleted (it was aaaaaaa).'],
    [{}, 'refs/tags/x was moved.'],
  ])('that is a ref is told by where it was and is: %j', (move, says) => {
    expect(tamperingText({ kind: 'ref-moved', ref: 'refs/tags/x', ...move })).toBe(says);
  });
});

describe('a file of the home', () => {
  it.each([
    ['access', '~/.ssh/config', 'it controls who can log in, and where'],
    ['session', '~/.bashrc', 'your next session uses it'],
  ] as const)('is named with its effect on %s', (effect, file, why) => {
    expect(tamperingText({ kind: 'home-changed', file, effect })).toBe(
      `${file} was added, changed or removed: ${why}.`,
    );
  });
});

describe('findings', () => {
  it('have id, severity, place and text', () => {
    const finding = { id: 'F1', severity: 'blocker', text: 'It drops\nerrors.' } as const;
    expect(findingText(finding)).toBe('F1 blocker: It drops errors');
    expect(findingText({ ...finding, file: 'a.ts' })).toBe('F1 blocker a.ts: It drops errors');
    expect(findingText({ ...finding, file: 'a.ts', line: 7 })).toBe(
      'F1 blocker a.ts:7: It drops errors',
    );
  });

  it('are listed from the gravest on, and none is lost', () => {
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 8 }), (findings) => {
        const sorted = byGravity(findings);
        expect(new Set(sorted)).toEqual(new Set(findings));
        const ranks = sorted.map(({ severity }) => severities.indexOf(severity));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      }),
    );
  });
});
