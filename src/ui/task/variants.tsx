import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { dollars, shortAmount } from '../../report/format/amount.ts';
import { span } from '../../report/format/time.ts';
import { parseDiff } from '../diff.ts';
import type { TabProps } from '../pages/task.tsx';
import { Empty } from '../parts/panel.tsx';
import { StateMark, TaskLink } from '../parts/task.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { ms, useData, useIsLive } from '../state/data.ts';
import { act } from '../state/store.ts';
import { DiffLine, diffRowHeight } from './diff-tab.tsx';
import { Pending } from './texts.tsx';

/** Results of several agents for one task, side by side. */
export function VariantsTab({ answer }: TabProps): JSX.Element {
  const { id, variants = [] } = answer;
  const isAsked = answer.state === 'blocked' && answer.cause === 'choice';
  const finished = isAsked ? answer.finished : [];
  return (
    <div class="variants">
      {variants.map((variant) => (
        <Variant key={variant} task={id} variant={variant} isOffered={finished.includes(variant)} />
      ))}
    </div>
  );
}

interface VariantProps {
  readonly task: string;
  readonly variant: string;
  /** True if it can be chosen now. */
  readonly isOffered: boolean;
}

function Variant({ task, variant, isOffered }: VariantProps): JSX.Element {
  const isLive = useIsLive();
  const { value, error } = useData('/api/tasks/:id', { task: variant });
  if (value === undefined) return <Pending error={error} />;
  const last = value.attemptHistory.at(-1);
  const facts = [
    last?.agent,
    last?.endedAt === undefined ? undefined : span(ms(last.endedAt) - ms(last.startedAt)),
    last?.tokens === undefined ? undefined : `${shortAmount(last.tokens)} tokens`,
    last?.costUsd === undefined ? undefined : dollars(last.costUsd),
  ].filter((fact) => fact !== undefined);
  return (
    <section class="panel variant" aria-label={`Variant ${variant}`}>
      <header class="panel-head">
        <h2>
          <TaskLink id={variant} row />
        </h2>
        <StateMark task={value} />
        <span class="muted num">{facts.join(', ')}</span>
        {isLive && isOffered ? (
          <button
            type="button"
            class="primary panel-actions"
            onClick={() => void act({ kind: 'choose', task, variant })}
          >
            Choose
          </button>
        ) : null}
      </header>
      {last?.hasWork === true ? (
        <VariantDiff variant={variant} attempt={last.number} />
      ) : (
        <Empty>No work was committed.</Empty>
      )}
    </section>
  );
}

function VariantDiff({
  variant,
  attempt,
}: {
  readonly variant: string;
  readonly attempt: number;
}): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/diff', {
    task: variant,
    query: { attempt },
    follows: 'no',
  });
  const { files, rows } = useMemo(() => parseDiff(value?.patch ?? ''), [value?.patch]);
  if (value === undefined) return <Pending error={error} />;
  return (
    <>
      <p class="row muted">
        {files.length} {files.length === 1 ? 'file' : 'files'}{' '}
        <span class="paint-green">+{value.added}</span>{' '}
        <span class="paint-red">−{value.removed}</span>
      </p>
      <Virtual
        label={`Diff of ${variant}`}
        kind="diff-rows mono"
        rows={rows.length}
        rowHeight={diffRowHeight}
        row={(at) => <DiffLine row={rows[at]} at={at} open={undefined} />}
      />
    </>
  );
}
