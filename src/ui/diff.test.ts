import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDiff } from './diff.ts';

const two = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function a() {
 one
-two
+2
 three
diff --git a/b.txt b/b.txt
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+only
\\ No newline at end of file
`;

describe('a diff', () => {
  it('is read as files, hunks and numbered lines', () => {
    const { files, rows } = parseDiff(two);
    expect(files).toEqual([
      { path: 'src/a.ts', change: 'changed', added: 1, removed: 1, row: 0 },
      { path: 'b.txt', change: 'added', added: 1, removed: 0, row: 6 },
    ]);
    expect(rows.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'file src/a.ts',
      'hunk @@ -1,3 +1,3 @@ function a() {',
      'context one',
      'removed two',
      'added 2',
      'context three',
      'file b.txt',
      'hunk @@ -0,0 +1 @@',
      'added only',
      'note \\ No newline at end of file',
    ]);
    expect(rows[3]).toMatchObject({ old: 2 });
    expect(rows[4]).toMatchObject({ new: 2 });
    expect(rows[5]).toMatchObject({ old: 3, new: 3 });
  });

  it('takes no line of a file for a header', () => {
    const { files, rows } = parseDiff(
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/forged\n-diff --git a/y b/y\n+++ b/forged\n+@@ -9 +9 @@\n',
    );
    expect(files).toHaveLength(1);
    expect(rows.slice(2).map(({ kind, text }) => [kind, text])).toEqual([
      ['removed', '-- a/forged'],
      ['removed', 'diff --git a/y b/y'],
      ['added', '++ b/forged'],
      ['added', '@@ -9 +9 @@'],
    ]);
  });

  it('names renamed, deleted, binary and unusually named files', () => {
    const { files, rows } = parseDiff(
      [
        'diff --git a/old name b/new name',
        'similarity index 100%',
        'rename from old name',
        'rename to new name',
        'diff --git a/gone b/gone',
        'deleted file mode 100644',
        'index 1..0',
        '--- a/gone',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
        'diff --git a/logo.png b/logo.png',
        'index 1..2 100644',
        'Binary files a/logo.png and b/logo.png differ',
        'diff --git "a/tr\\303\\251s\\t.txt" "b/tr\\303\\251s\\t.txt"',
        'new file mode 100644',
      ].join('\n'),
    );
    expect(files.map(({ path, from, change }) => [path, from, change])).toEqual([
      ['new name', 'old name', 'renamed'],
      ['gone', undefined, 'deleted'],
      ['logo.png', undefined, 'changed'],
      ['trés\t.txt', undefined, 'added'],
    ]);
    expect(rows[0]?.text).toBe('old name → new name');
    expect(rows.map(({ text }) => text)).toContain('Binary files a/logo.png and b/logo.png differ');
  });

  it('is read whatever the text is, and no line is lost', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseDiff(text).files).toEqual([]);
        expect(parseDiff(`${two}${text}`).files.length).toBeGreaterThanOrEqual(2);
      }),
    );
    expect(parseDiff('not a diff\n').rows).toEqual([{ kind: 'note', file: 0, text: 'not a diff' }]);
  });

  it('of 20,000 lines is read at once', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `+line ${at}`).join('\n');
    const text = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,20000 @@\n${lines}\n`;
    const started = performance.now();
    expect(parseDiff(text).rows).toHaveLength(20_002);
    // Milliseconds on an idle machine; minutes if each line looked at all others.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
