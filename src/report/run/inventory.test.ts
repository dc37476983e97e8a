import { describe, expect, it } from 'vitest';
import { plain } from '../format/style.ts';
import { mismatchText, type OtherWork, otherWorkLines } from './inventory.ts';

const commit = 'a'.repeat(40);
const of = { run: 'r1', task: 'guide', attempt: 2 } as const;
const whole: OtherWork = {
  unsaved: [
    {
      ...of,
      dir: '/state/ym-r1-1',
      state: 'held',
      found: { id: 'changes', paths: ['a', 'b'], count: 2, commits: [commit] },
    },
    {
      ...of,
      dir: '/state/ym-r1-2',
      state: 'left',
      found: { id: 'unreadable', cause: 'it was removed' },
    },
  ],
  strays: [
    { id: 'attempt', ...of, ref: 'refs/yard/keep/r1/guide-2.stray1', commit },
    { id: 'worktree', run: 'r1', n: 3, ref: 'refs/yard/keep/r1/leftover-3', commit },
  ],
  shared: [{ ...of, ref: 'refs/yard/keep/r1/guide-2.stray2', commit }],
  archives: [{ ...of, file: '/runs/r1/left-out.tar.gz' }],
  mismatches: [
    { id: 'ref-without-record', ref: 'refs/heads/yard/mine', commit },
    { id: 'ref-without-folder', ref: 'refs/yard/held/r1/c1', commit },
    { id: 'record-without-ref', task: 'guide', ref: 'refs/yard/keep/r1/guide-1.stray1', commit },
    { id: 'folder-without-record', what: 'worktree', run: 'r0', dir: '/state/r0/ym-r0-1' },
    { id: 'record-without-folder', ...of, what: 'work', path: '/state/ym-r1-9' },
  ],
};

describe('work outside the commits that were handed in', () => {
  it('is shown in one section for each kind, with the command to look at it', () => {
    expect(otherWorkLines(whole, plain, 100)).toMatchInlineSnapshot(`
      [
        "",
        "In a worktree, and in no commit of the repository yet:",
        "task   try  state  found                       worktree",
        "guide    2  held   2 changed paths, 1 commit   /state/ym-r1-1",
        "guide    2  left   unreadable: it was removed  /state/ym-r1-2",
        "Look at the files themselves, or open a live attempt with \`ym attach TASK\`: git in that folder would",
        "follow settings of the agent. A run saves the work when the attempt ends; what is \`left\` could not",
        "be saved. \`ym resolve TASK\` continues where one is \`resolving\`; \`ym prune --apply\` saves and removes",
        "what is \`abandoned\`.",
        "",
        "Left by agents on other branches, in a stash or in a worktree, and kept by a ref:",
        "task   try  commit   ref",
        "guide    2  aaaaaaa  refs/yard/keep/r1/guide-2.stray1",
        "            aaaaaaa  refs/yard/keep/r1/leftover-3",
        "Look at one with \`git show --first-parent REF\`; delete it with \`git update-ref -d REF\`.",
        "",
        "Pushed by workers to the shared repository, because only they had it:",
        "task   try  commit   ref",
        "guide    2  aaaaaaa  refs/yard/keep/r1/guide-2.stray2",
        "Get one with \`git fetch REMOTE REF\`, where REMOTE is \`workers.remote\` of the config, and look at it",
        "with \`git show --first-parent FETCH_HEAD\`. It stays there until you delete it.",
        "",
        "Ignored files that hold all the work of an attempt, in an archive:",
        "task   try  archive",
        "guide    2  /runs/r1/left-out.tar.gz",
        "List one with \`tar -tzf ARCHIVE\`.",
        "",
        "Refs that no record explains:",
        "commit   ref",
        "aaaaaaa  refs/heads/yard/mine",
        "Look at one with \`git show REF\`; delete it with \`git update-ref -d REF\`.",
        "",
        "Refs of ended runs that hold no work:",
        "commit   ref",
        "aaaaaaa  refs/yard/held/r1/c1",
        "\`ym prune --apply\` removes them.",
        "",
        "Recorded commits that no ref holds any more:",
        "task   commit   ref",
        "guide  aaaaaaa  refs/yard/keep/r1/guide-1.stray1",
        "If git has not removed one yet, \`git update-ref REF COMMIT\` brings it back; \`--json\` has the full",
        "names.",
        "",
        "Folders that no record explains:",
        "holds       folder",
        "a worktree  /state/r0/ym-r0-1",
        "They belong to a run that the store does not know, or the file that names their owner is damaged.",
        "Save what you need, then remove them by hand.",
        "",
        "Missing on the disk:",
        "task   try  was                           path",
        "guide    2  work that could not be saved  /state/ym-r1-9",
        "Uncommitted work in them is gone, unless you moved it.",
      ]
    `);
  });

  it('takes no line if there is none', () => {
    const none = { unsaved: [], strays: [], shared: [], archives: [], mismatches: [] };
    expect(otherWorkLines(none, plain, 100)).toEqual([]);
    expect(mismatchText([])).toBeUndefined();
  });

  it('is summed up for `ym doctor`', () => {
    expect(mismatchText(whole.mismatches)).toBe(
      '2 without a record, 2 missing, 1 no longer needed',
    );
  });
});
