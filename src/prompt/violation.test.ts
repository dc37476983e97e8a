import { describe, expect, it } from 'vitest';
import type { Tampering, Violation } from '../model/violation.ts';
import { tamperingsPrompt, violationsPrompt } from './evidence.ts';

describe('violated rules', () => {
  it.each<[Violation, RegExp]>([
    [
      { kind: 'protected-path', file: '.github/x.yml', pattern: '.github/**' },
      /- \.github\/x\.yml is protected \(\.github\/\*\*\)\. Revert your change\./,
    ],
    [
      { kind: 'gate-changed', file: 'package.json', what: 'the script test' },
      /- package\.json decides how work is judged \(the script test\)\. Revert your change/,
    ],
    [
      { kind: 'out-of-scope', file: 'b.ts', allowed: ['src/**', 'docs/**'] },
      /- b\.ts is not among the files of this task \(src\/\*\*, docs\/\*\*\)\. Revert .* file its purpose/,
    ],
    [
      { kind: 'too-large', what: 'lines', value: 900, limit: 400 },
      /- The change has 900 lines; the limit is 400\. Leave out/,
    ],
    [
      { kind: 'test-deleted', file: 'a.test.ts' },
      /- a\.test\.ts is a test and was deleted\. Restore/,
    ],
    [{ kind: 'test-emptied', file: 'a.test.ts' }, /- a\.test\.ts .* no longer contains a test/],
    [
      { kind: 'test-skipped', file: 'a.test.ts', line: "  it.skip('x')" },
      /- a\.test\.ts skips a test \(`it\.skip\('x'\)`\)\. Let it run, and fix the code/,
    ],
    [
      { kind: 'test-weakened', file: 'a.test.ts', line: 'expect(a).toBe(1)' },
      /- a\.test\.ts no longer has the assertion: `expect\(a\)\.toBe\(1\)`\. Restore it/,
    ],
    [
      { kind: 'packages-committed', file: 'node_modules', count: 9 },
      /- node_modules holds installed packages \(9 files\)\. Take it out of your commits/,
    ],
    [{ kind: 'nested-repository', file: 'lib/x' }, /- lib\/x is a nested git repository/],
    [
      { kind: 'lines-dropped', file: 'a.ts', lines: ['one();', 'two();'] },
      /- a\.ts lost lines .*`one\(\);` \| `two\(\);`\. Restore them\..* Yard-Dropped: a\.ts/,
    ],
    [
      { kind: 'branch-not-merged', task: 'b', branch: 'yard/r1/b-1' },
      /- Your commits do not contain .* Merge it \(git merge yard\/r1\/b-1\)/,
    ],
    [
      { kind: 'branch-dropped', file: 'a.ts', branch: 'yard/r1/b-1' },
      /- a\.ts has none of the changes that yard\/r1\/b-1 made\..* Yard-Dropped: a\.ts/,
    ],
  ])('say what to do about %j', (violation, pattern) => {
    const text = violationsPrompt([violation]);
    expect(text).toMatch(pattern);
    expect(text).toMatch(/a person may permit it\.$/);
  });

  it('are listed one per line', () => {
    const violations: Violation[] = [
      { kind: 'test-deleted', file: 'a' },
      { kind: 'too-large', what: 'files', value: 9, limit: 4 },
    ];
    expect(violationsPrompt(violations).split('\n').slice(0, 3)).toEqual([
      'Your work breaks rules of this project, so it was not accepted:',
      '- a is a test and was deleted. Restore it.',
      '- The change has 9 files; the limit is 4. Leave out what the task does not need, or do the part that fits.',
    ]);
  });

  it('tell the agent to keep what only a person may decide about', () => {
    const text = violationsPrompt([{ kind: 'gate-changed', file: 'a', what: 'x' }]);
    expect(text).toMatch(/cannot be done without such a change, keep it and say/);
    expect(violationsPrompt([{ kind: 'test-deleted', file: 'a' }])).not.toMatch(/keep it/);
  });

  it('are bounded in number and length', () => {
    const many = Array.from(
      { length: 500 },
      (_, at): Violation => ({
        kind: 'test-weakened',
        file: `a${at}`,
        line: 'x'.repeat(10_000),
      }),
    );
    const text = violationsPrompt(many);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toMatch(/\n- and 480 more\n/);
  });
});

describe('changes outside of the worktree', () => {
  it.each<[Tampering, string]>([
    [{ kind: 'git-hook', name: 'pre-commit' }, '- the git hook pre-commit'],
    [{ kind: 'git-settings', file: 'config' }, '- git settings in config'],
    [{ kind: 'ref-moved', ref: 'refs/heads/a', to: 'c1' }, '- refs/heads/a was moved to c1'],
    [{ kind: 'ref-moved', ref: 'refs/heads/a', from: 'c1' }, '- refs/heads/a was removed'],
    [
      { kind: 'checkout-changed', dir: '/checkout', files: ['a', 'b'] },
      '- files in the checkout /checkout: a, b',
    ],
    [
      { kind: 'worktree-changed', task: 'T-2', dir: '/trees/2' },
      '- the worktree of task T-2, /trees/2',
    ],
    [{ kind: 'home-changed', file: '~/.npmrc', effect: 'gate' }, "- ~/.npmrc in the user's home"],
    [
      { kind: 'objects-deleted', object: 'o1' },
      '- objects that the target needs were deleted from the repository, including o1',
    ],
    [{ kind: 'verdict-forged', tree: 't1' }, '- a verdict on the tree t1 that no gate gave'],
  ])('is told as %j', (found, line) => {
    const text = tamperingsPrompt([found]);
    expect(text.split('\n')).toContain(line);
    expect(text).toMatch(/If you did this, undo it as far/);
  });

  it('does not blame the agent without proof', () => {
    expect(tamperingsPrompt([])).toMatch(/If you did not, continue/);
  });
});
