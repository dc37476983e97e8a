import { describe, expect, it } from 'vitest';
import { plain } from '../format/style.ts';
import { changedFiles, diffStatText } from './diff.ts';

const patch = `diff --git a/a b.txt b/a b.txt
index 1..2 100644
--- a/a b.txt\t
+++ b/a b.txt\t
@@ -1,2 +1,3 @@
 one
--- a/two
+two
+++ b/three
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+x
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-y
diff --git a/pic.png b/pic.png
Binary files a/pic.png and b/pic.png differ
`;
const blob = { id: '1', mode: '100644' };
const changes = [
  { path: 'a b.txt', before: blob, after: blob },
  { path: 'new.txt', after: blob },
  { path: 'old.txt', before: blob },
  { path: 'pic.png', before: blob, after: blob },
];

describe('the statistics of a diff', () => {
  const files = changedFiles(changes, patch);

  it('count the lines of each file, also of those that look like headers', () => {
    expect(files).toEqual([
      { path: 'a b.txt', change: 'changed', lines: { added: 2, removed: 1 } },
      { path: 'new.txt', change: 'added', lines: { added: 1, removed: 0 } },
      { path: 'old.txt', change: 'removed', lines: { added: 0, removed: 1 } },
      { path: 'pic.png', change: 'changed' },
    ]);
  });

  it('are one line for each file, and the sums', () => {
    expect(diffStatText(files, plain, 80)).toEqual([
      'a b.txt  +2  -1',
      'new.txt  +1  -0  added',
      'old.txt  +0  -1  removed',
      'pic.png',
      '4 files changed, +3 -2',
    ]);
  });
});
