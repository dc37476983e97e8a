import type {
  IgnoredArchive,
  Mismatch,
  SharedWork,
  StrayCommit,
  UnsavedWork,
} from '../../model/inventory.ts';
import { counted } from '../format/amount.ts';
import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type ColumnOrTitle, type Row, table } from '../format/table.ts';
import { shortCommit } from '../format/time.ts';

/** Work outside the commits that agents handed in. */
export interface OtherWork {
  readonly unsaved: readonly UnsavedWork[];
  readonly strays: readonly StrayCommit[];
  readonly shared: readonly SharedWork[];
  readonly archives: readonly IgnoredArchive[];
  readonly mismatches: readonly Mismatch[];
}

interface Section {
  readonly head: string;
  readonly columns: readonly ColumnOrTitle[];
  readonly rows: readonly Row[];
  /** Says how to look at an entry. */
  readonly hint: string;
}

const ofAttempt: readonly ColumnOrTitle[] = ['task', { title: 'try', align: 'right' }];

/** Sections of `ym ledger` after its commits; an empty one is left out. */
export function otherWorkLines(work: OtherWork, style: Style, width: number): string[] {
  const sections = [
    unsavedSection(work.unsaved),
    straySection(work.strays),
    sharedSection(work.shared),
    archiveSection(work.archives),
    ...mismatchSections(work.mismatches),
  ];
  return sections
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ head, columns, rows, hint }) => [
      '',
      ...wrap(head, width),
      // Refs and paths are there to be copied, so they are never cut.
      ...table(columns, rows, Number.POSITIVE_INFINITY, style.dim),
      ...wrap(hint, width).map(style.dim),
    ]);
}

function unsavedSection(unsaved: readonly UnsavedWork[]): Section {
  return {
    head: 'In a worktree, and in no commit of the repository yet:',
    columns: [...ofAttempt, 'state', 'found', 'worktree'],
    rows: unsaved.map(({ task, attempt, state, found, dir }) => [
      task,
      String(attempt),
      state,
      foundText(found),
      dir,
    ]),
    hint: 'Look at the files themselves, or open a live attempt with `ym attach TASK`: git in that folder would follow settings of the agent. A run saves the work when the attempt ends; what is `left` could not be saved. `ym resolve TASK` continues where one is `resolving`; `ym prune --apply` saves and removes what is `abandoned`.',
  };
}

function foundText(found: UnsavedWork['found']): string {
  if (found.id === 'unreadable') return `unreadable: ${found.cause}`;
  const { count, commits } = found;
  const parts = [
    ...(count === 0 ? [] : [counted(count, 'changed path')]),
    ...(commits.length === 0 ? [] : [counted(commits.length, 'commit')]),
  ];
  return parts.join(', ');
}

function straySection(strays: readonly StrayCommit[]): Section {
  return {
    head: 'Left by agents on other branches, in a stash or in a worktree, and kept by a ref:',
    columns: [...ofAttempt, 'commit', 'ref'],
    rows: strays.map((stray) => [
      stray.id === 'attempt' ? stray.task : '',
      stray.id === 'attempt' ? String(stray.attempt) : '',
      shortCommit(stray.commit),
      stray.ref,
    ]),
    hint: 'Look at one with `git show --first-parent REF`; delete it with `git update-ref -d REF`.',
  };
}

function sharedSection(shared: readonly SharedWork[]): Section {
  return {
    head: 'Pushed by workers to the shared repository, because only they had it:',
    columns: [...ofAttempt, 'commit', 'ref'],
    rows: shared.map(({ task, attempt, commit, ref }) => [
      task,
      String(attempt),
      shortCommit(commit),
      ref,
    ]),
    hint: 'Get one with `git fetch REMOTE REF`, where REMOTE is `workers.remote` of the config, and look at it with `git show --first-parent FETCH_HEAD`. It stays there until you delete it.',
  };
}

function archiveSection(archives: readonly IgnoredArchive[]): Section {
  return {
    head: 'Ignored files that hold all the work of an attempt, in an archive:',
    columns: [...ofAttempt, 'archive'],
    rows: archives.map(({ task, attempt, file }) => [task, String(attempt), file]),
    hint: 'List one with `tar -tzf ARCHIVE`.',
  };
}

type MismatchOf<Id extends Mismatch['id']> = Extract<Mismatch, { readonly id: Id }>;

function mismatchSections(mismatches: readonly Mismatch[]): readonly Section[] {
  const all = <Id extends Mismatch['id']>(id: Id): readonly MismatchOf<Id>[] =>
    mismatches.filter((one): one is MismatchOf<Id> => one.id === id);
  const refs = (held: readonly { readonly ref: string; readonly commit: string }[]): Row[] =>
    held.map(({ ref, commit }) => [shortCommit(commit), ref]);
  const ofRef: readonly ColumnOrTitle[] = ['commit', 'ref'];
  return [
    {
      head: 'Refs that no record explains:',
      columns: ofRef,
      rows: refs(all('ref-without-record')),
      hint: 'Look at one with `git show REF`; delete it with `git update-ref -d REF`.',
    },
    {
      head: 'Refs of ended runs that hold no work:',
      columns: ofRef,
      rows: refs(all('ref-without-folder')),
      hint: '`ym prune --apply` removes them.',
    },
    {
      head: 'Recorded commits that no ref holds any more:',
      columns: ['task', ...ofRef],
      rows: all('record-without-ref').map(({ task, commit, ref }) => [
        task,
        shortCommit(commit),
        ref,
      ]),
      hint: 'If git has not removed one yet, `git update-ref REF COMMIT` brings it back; `--json` has the full names.',
    },
    {
      head: 'Folders that no record explains:',
      columns: ['holds', 'folder'],
      rows: all('folder-without-record').map(({ what, dir }) => [
        what === 'worktree' ? 'a worktree' : 'files of a run',
        dir,
      ]),
      hint: 'They belong to a run that the store does not know, or the file that names their owner is damaged. Save what you need, then remove them by hand.',
    },
    {
      head: 'Missing on the disk:',
      columns: [...ofAttempt, 'was', 'path'],
      rows: all('record-without-folder').map(({ task, attempt, what, path }) => [
        task,
        String(attempt),
        missingText[what],
        path,
      ]),
      hint: 'Uncommitted work in them is gone, unless you moved it.',
    },
  ];
}

const missingText = {
  worktree: 'worktree in use',
  work: 'work that could not be saved',
  archive: 'archive of ignored files',
} as const satisfies Readonly<Record<MismatchOf<'record-without-folder'>['what'], string>>;

/** One line about everything that records, git and disk do not agree on; undefined if they agree. */
export function mismatchText(mismatches: readonly Mismatch[]): string | undefined {
  const count = (...ids: readonly Mismatch['id'][]): number =>
    mismatches.filter(({ id }) => ids.includes(id)).length;
  const parts = [
    [count('ref-without-record', 'folder-without-record'), 'without a record'],
    [count('record-without-ref', 'record-without-folder'), 'missing'],
    [count('ref-without-folder'), 'no longer needed'],
  ] as const;
  const told = parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  return told.length === 0 ? undefined : told.join(', ');
}
