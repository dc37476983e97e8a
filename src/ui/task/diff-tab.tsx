import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Diff, type DiffRow, parseDiff } from '../diff.ts';
import type { TabProps } from '../pages/task.tsx';
import { Empty } from '../parts/panel.tsx';
import { Raw } from '../parts/text.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { useData, useIsLive } from '../state/data.ts';
import {
  CommentBlock,
  type Drafts,
  draftHeight,
  placeOf,
  SendBar,
  useDrafts,
} from './comments.tsx';
import { Pending } from './texts.tsx';

export const diffRowHeight = 20;

/** The work of an attempt. Comments on its lines become the next turn of its agent. */
export function DiffTab({ answer, attempt }: TabProps): JSX.Element {
  const story = answer.attemptHistory.find(({ number }) => number === attempt);
  const { value, error } = useData('/api/tasks/:id/diff', {
    task: answer.id,
    query: { attempt },
    follows: 'no',
    skip: story?.hasWork !== true,
  });
  const diff = useMemo(() => parseDiff(value?.patch ?? ''), [value?.patch]);
  const drafts = useDrafts(`${answer.id} ${attempt}`);
  if (story?.hasWork !== true) return <Empty>No work was committed.</Empty>;
  if (value === undefined) return <Pending error={error} />;
  return (
    <>
      {value.cut ? (
        <p class="banner past">The diff is cut. `ym diff {answer.id}` shows all of it.</p>
      ) : null}
      <DiffView diff={diff} drafts={drafts} mayComment={answer.may.includes('comment')} />
      <SendBar task={answer.id} attempt={value.attempt} diff={diff} drafts={drafts} />
    </>
  );
}

interface DiffViewProps {
  readonly diff: Diff;
  readonly drafts: Drafts;
  readonly mayComment: boolean;
}

function DiffView({ diff, drafts, mayComment }: DiffViewProps): JSX.Element {
  const isLive = useIsLive();
  const [target, setTarget] = useState<{ readonly row: number }>();
  const { files, rows } = diff;
  const blocks = [...drafts.byRow.keys()]
    .toSorted((a, b) => a - b)
    .map((row) => ({ row, height: draftHeight }));
  const open = mayComment && isLive ? drafts.open : undefined;
  return (
    <div class="diff">
      <nav class="diff-files" aria-label="Changed files">
        <ul>
          {files.map((file) => (
            <li key={file.row}>
              <button type="button" class="quiet" onClick={() => setTarget({ row: file.row })}>
                <span class="mono">
                  <Raw text={file.path} />
                </span>
                <span class="num">
                  <span class="paint-green">+{file.added}</span>{' '}
                  <span class="paint-red">−{file.removed}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <Virtual
        label="Diff"
        kind="diff-rows mono"
        rows={rows.length}
        rowHeight={diffRowHeight}
        row={(at) => <DiffLine row={rows[at]} at={at} open={open} />}
        blocks={blocks}
        block={(at) => <CommentBlock row={at} drafts={drafts} />}
        {...(target === undefined ? {} : { target })}
      />
    </div>
  );
}

interface RowProps {
  readonly row: DiffRow | undefined;
  readonly at: number;
  readonly open: ((row: number) => void) | undefined;
}

const marks = { added: '+', removed: '−', context: ' ' } as const;

export function DiffLine({ row, at, open }: RowProps): JSX.Element | null {
  if (row === undefined) return null;
  if (row.kind === 'file' || row.kind === 'hunk' || row.kind === 'note') {
    return (
      <div class={`diff-row ${row.kind}`}>
        <Raw text={row.text} />
      </div>
    );
  }
  const { line } = placeOf(row);
  return (
    <div class={`diff-row ${row.kind}`}>
      <span class="line-number">{'old' in row ? row.old : ''}</span>
      {open === undefined ? (
        <span class="line-number">{'new' in row ? row.new : ''}</span>
      ) : (
        <button
          type="button"
          class="line-number"
          data-row=""
          aria-label={`Comment on line ${line}`}
          onClick={() => open(at)}
        >
          {'new' in row ? row.new : '·'}
        </button>
      )}
      <span class="diff-mark">{marks[row.kind]}</span>
      <span class="diff-code">
        <Raw text={row.text} />
      </span>
    </div>
  );
}
