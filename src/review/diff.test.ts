import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedDiff } from './diff.ts';

/** Output of git for a new file with this many lines. */
const file = (path: string, lines: number, text = 'text'): string =>
  [
    `diff --git a/${path} b/${path}`,
    'index 1111111..2222222 100644',
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,0 +1,${lines} @@`,
    ...Array.from({ length: lines }, (_, at) => `+${text} ${at}`),
    '',
  ].join('\n');

const omittedOf = (patch: string): readonly string[] => boundedDiff(patch, 0).omitted;

describe('a diff', () => {
  it('is shown whole if it fits', () => {
    const patch = file('a.ts', 3) + file('b.ts', 3);
    expect(boundedDiff(patch, patch.length)).toEqual({ text: patch, omitted: [] });
    expect(boundedDiff('', 100)).toEqual({ text: '', omitted: [] });
  });

  it('keeps as many whole files as fit, in their order, and names the rest', () => {
    const [big, small, other] = [file('big.ts', 50), file('small.ts', 2), file('other.ts', 3)];
    expect(boundedDiff(big + small + other, small.length + other.length)).toEqual({
      text: small + other,
      omitted: ['big.ts'],
    });
  });

  it('shows the beginning of the next file in the remaining space, and lists it too', () => {
    const [big, small, huge] = [file('big.ts', 200), file('small.ts', 2), file('huge.ts', 900)];
    const { text, omitted } = boundedDiff(huge + big + small, small.length + 1000);
    expect(omitted).toEqual(['huge.ts', 'big.ts']);
    expect(text).toMatch(
      /^diff --git a\/big\.ts .*\n(?:.*\n)+\+text \d+\n\[the rest of big\.ts is left out\]\ndiff --git a\/small/,
    );
    expect(text.length).toBeLessThanOrEqual(small.length + 1000);
  });

  it('omits a file if too little of it would be shown', () => {
    expect(boundedDiff(file('a.ts', 100), 300)).toEqual({ text: '', omitted: ['a.ts'] });
  });

  it('shows the beginning of a single file that is too long', () => {
    const { text, omitted } = boundedDiff(file('a.ts', 10_000), 24_000);
    expect(omitted).toEqual(['a.ts']);
    expect(text.length).toBeGreaterThan(23_000);
    expect(text).toMatch(/\n\[the rest of a\.ts is left out\]\n$/);
  });

  it.each([
    [
      'diff --git a/a.ts b/a.ts\ndeleted file mode 100644\n--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
      'a.ts',
    ],
    [
      'diff --git a/a.ts b/a.ts\nnew file mode 100644\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1 @@\n+x\n',
      'a.ts',
    ],
    [
      'diff --git a/old name.ts b/new name.ts\nsimilarity index 100%\nrename from old name.ts\nrename to new name.ts\n',
      'new name.ts',
    ],
    ['diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n', 'x b/x'],
    ['diff --git a/empty b/empty\nnew file mode 100644\nindex 0..e\n', 'empty'],
    [
      'diff --git a/p.png b/p.png\nindex 1..2 100644\nBinary files a/p.png and b/p.png differ\n',
      'p.png',
    ],
    [
      'diff --git a/my file b/my file\n--- a/my file\t\n+++ b/my file\t\n@@ -1 +1 @@\n-x\n+y\n',
      'my file',
    ],
    [
      'diff --git "a/\\303\\244\\".txt" "b/\\303\\244\\".txt"\n--- "a/\\303\\244\\".txt"\n+++ "b/\\303\\244\\".txt"\n@@ -1 +1 @@\n-x\n+y\n',
      'ä".txt',
    ],
    ['diff --git "a/t\\tb\\\\" "b/t\\tb\\\\"\nnew file mode 100644\n', 't\tb\\'],
    ['diff --cc a.ts\nindex 1,2..3\n--- a/a.ts\n+++ b/a.ts\n@@@ -1 -1 +1 @@@\n- x\n', 'a.ts'],
  ])('names the file of %j', (patch, path) => {
    expect(omittedOf(patch)).toEqual([path]);
  });

  it('is not confused by content lines that look like a file header', () => {
    const sly = file('a.ts', 3, 'x\rdiff --git a/none b/none\r+++ b/none');
    expect(omittedOf(sly)).toEqual(['a.ts']);
    expect(omittedOf(file('a.ts', 3, '++ b/none'))).toEqual(['a.ts']);
  });

  it('is always bounded, and shows or lists every file', () => {
    const files = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.nat(200)), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(files, fc.nat(10_000), (all, chars) => {
        const patch = all.map(([name, lines]) => file(name, lines)).join('');
        const { text, omitted } = boundedDiff(patch, chars);
        expect(text.length).toBeLessThanOrEqual(chars);
        for (const [name, lines] of all) {
          expect(text.includes(file(name, lines))).toBe(!omitted.includes(name));
        }
        if (patch.length <= chars) expect(text).toBe(patch);
      }),
    );
  });
});
