import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../../report/format/amount.ts';
import type { LineComment } from '../../web/action.ts';
import type { Diff, DiffRow } from '../diff.ts';
import { act } from '../state/store.ts';

export const draftHeight = 112;

/** Comments that were not sent yet, by the row below which they stand. */
export interface Drafts {
  readonly byRow: ReadonlyMap<number, string>;
  readonly open: (row: number) => void;
  readonly write: (row: number, text: string) => void;
  readonly remove: (row: number) => void;
  readonly clear: () => void;
}

/** Drafts are kept while another page is shown. */
const kept = new Map<string, ReadonlyMap<number, string>>();

export function useDrafts(place: string): Drafts {
  const [byRow, setByRow] = useState(kept.get(place) ?? new Map<number, string>());
  const set = (change: (draft: Map<number, string>) => void): void => {
    const next = new Map(byRow);
    change(next);
    kept.set(place, next);
    setByRow(next);
  };
  return {
    byRow,
    open: (row) => set((next) => next.set(row, next.get(row) ?? '')),
    write: (row, text) => set((next) => next.set(row, text)),
    remove: (row) => set((next) => next.delete(row)),
    clear: () => set((next) => next.clear()),
  };
}

/** Side and number of a line: that of the new file, unless the line was removed. */
export function placeOf(row: DiffRow): Pick<LineComment, 'side' | 'line'> {
  if ('new' in row) return { side: 'new', line: row.new };
  return { side: 'old', line: 'old' in row ? row.old : 1 };
}

interface BlockProps {
  readonly row: number;
  readonly drafts: Drafts;
}

export function CommentBlock({ row, drafts }: BlockProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const text = drafts.byRow.get(row) ?? '';
  useEffect(() => {
    if (text === '') area.current?.focus();
  }, []);
  return (
    <div class="comment-block" style={{ height: `${draftHeight}px` }}>
      <textarea
        ref={area}
        aria-label="Comment"
        placeholder="Comment for the agent"
        value={text}
        onInput={(event) => drafts.write(row, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text === '') drafts.remove(row);
        }}
      />
      <button type="button" class="quiet" onClick={() => drafts.remove(row)}>
        Remove
      </button>
    </div>
  );
}

interface SendProps {
  readonly task: string;
  readonly attempt: number;
  readonly diff: Diff;
  readonly drafts: Drafts;
}

export function SendBar({ task, attempt, diff, drafts }: SendProps): JSX.Element | null {
  const [busy, setBusy] = useState(false);
  const comments = commentsOf(diff, drafts.byRow);
  if (comments.length === 0) return null;
  const send = async (): Promise<void> => {
    setBusy(true);
    const done = await act({ kind: 'comment', task, attempt, comments });
    setBusy(false);
    if (done) drafts.clear();
  };
  return (
    <div class="send-bar">
      <span>{counted(comments.length, 'comment')}</span>
      <button type="button" class="primary" disabled={busy} onClick={() => void send()}>
        Send to the agent
      </button>
    </div>
  );
}

function commentsOf(diff: Diff, byRow: ReadonlyMap<number, string>): LineComment[] {
  return [...byRow]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, text]) => {
      const row = diff.rows[at];
      const path = diff.files[row?.file ?? 0]?.path;
      if (row === undefined || path === undefined || text.trim() === '') return [];
      return [{ path, ...placeOf(row), code: row.text, text: text.trim() }];
    });
}
