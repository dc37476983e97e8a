import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { choiceText, withdrawnText } from '../../report/event/choice.ts';
import { amount, dollars, shortAmount } from '../../report/format/amount.ts';
import { shortCommit, span } from '../../report/format/time.ts';
import { haveDifferentBases } from '../../report/task/different-bases.ts';
import type { Reads, TaskAnswer } from '../../web/contract.ts';
import { parseDiff } from '../diff.ts';
import type { TabProps } from '../pages/task.tsx';
import { Ask } from '../parts/ask.tsx';
import { Empty } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Raw } from '../parts/text.tsx';
import { Virtual } from '../parts/virtual.tsx';
import type { TaskTab } from '../route.ts';
import { useData, useIsLive } from '../state/data.ts';
import { DiffLine, diffRowHeight } from './diff-tab.tsx';
import { Pending } from './texts.tsx';

type Compared = Reads['/api/tasks/:id/variants']['response'];
type Variant = Compared['variants'][number];

/** Results of several agents for one task, side by side. */
export function VariantsTab({ answer }: TabProps): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/variants', { task: answer.id });
  const isLive = useIsLive();
  const [chosen, choose] = useState<string>();
  if (value === undefined) return <Pending error={error} />;
  const isAsked = isLive && answer.state === 'blocked' && answer.cause === 'choice';
  const { choice, withdrawn, variants } = value;
  return (
    <>
      {withdrawn === undefined ? null : (
        <p class="banner past">
          <Raw text={withdrawnText(withdrawn)} />
        </p>
      )}
      {choice === undefined ? null : (
        <p class="banner past">
          <Raw text={`${choiceText(choice)}.`} />
        </p>
      )}
      <VariantTable variants={variants} choice={choice?.variant} />
      <div class="variants">
        {variants.map((variant) => (
          <VariantPanel
            key={variant.id}
            variant={variant}
            {...(isAsked && answer.finished.includes(variant.id)
              ? { choose: () => choose(variant.id) }
              : {})}
          />
        ))}
      </div>
      {chosen === undefined ? null : (
        <Ask
          title={`Choose ${chosen}`}
          label={`Reason (kept in the log; may be empty). The work of the others is kept until ${chosen} has landed.`}
          needed={false}
          button="Choose"
          action={(reason) => ({
            kind: 'choose',
            task: value.id,
            variant: chosen,
            ...(reason === '' ? {} : { reason }),
          })}
          close={() => choose(undefined)}
        />
      )}
    </>
  );
}

interface OfVariantsProps {
  readonly answer: TaskAnswer;
  readonly tab: TaskTab;
}

/** Part of a task whose agents work on variants of it: what they cost, or where the part is. */
export function OfVariants({ answer, tab }: OfVariantsProps): JSX.Element {
  const { id, choice, variants = [] } = answer;
  if (tab === 'cost') return <VariantCosts task={id} />;
  return (
    <Empty>
      Agents work on its variants:{' '}
      {variants.map((variant, at) => (
        <span key={variant}>
          {at === 0 ? '' : ', '}
          <TaskLink id={variant} tab={tab} />
          {variant === choice?.variant ? ' (chosen)' : ''}
        </span>
      ))}
      .
    </Empty>
  );
}

function VariantCosts({ task }: { readonly task: string }): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/variants', { task });
  if (value === undefined) return <Pending error={error} />;
  return <VariantTable variants={value.variants} choice={value.choice?.variant} />;
}

interface TableProps {
  readonly variants: readonly Variant[];
  readonly choice: string | undefined;
}

const gatePaints = { passed: 'green', failed: 'red', 'not run': 'dim' } as const;

function VariantTable({ variants, choice }: TableProps): JSX.Element {
  const differ = haveDifferentBases(variants);
  return (
    <Scrolls label="Variants, as a table" kind="panel table-box variant-table">
      <table class="table">
        <thead>
          <tr>
            <th>Variant</th>
            <th>State</th>
            {differ ? <th>Base</th> : null}
            <th>Agent</th>
            <th>Gate</th>
            <th class="right">Lines</th>
            <th class="right">Files</th>
            <th class="right">Turns</th>
            <th class="right">Tokens</th>
            <th class="right">Cost</th>
            <th class="right">Time</th>
          </tr>
        </thead>
        <tbody>
          {variants.map((one) => (
            <tr key={one.id} class={one.id === choice ? 'chosen' : ''}>
              <th scope="row">
                <TaskLink id={one.id} row />
              </th>
              <td>
                <Raw text={one.state} />
              </td>
              {differ ? <td class="mono">{shortCommit(one.base ?? '')}</td> : null}
              <td>
                <Raw text={one.agent} />
              </td>
              <td class={`paint-${gatePaints[one.gate]}`}>{one.gate}</td>
              <td class="right">
                <span class="paint-green">+{amount(one.added)}</span>{' '}
                <span class="paint-red">−{amount(one.removed)}</span>
              </td>
              <td class="right">{one.files.length}</td>
              <td class="right">{one.turns}</td>
              <td class="right">{one.tokens === 0 ? '–' : shortAmount(one.tokens)}</td>
              <td class="right">{one.costUsd === undefined ? '–' : dollars(one.costUsd)}</td>
              <td class="right">{one.ms === 0 ? '–' : span(one.ms)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th colSpan={7}>all</th>
            <td class="right">{shortAmount(sumOf(variants.map(({ tokens }) => tokens)))}</td>
            <td class="right">{dollars(sumOf(variants.map(({ costUsd = 0 }) => costUsd)))}</td>
            <td class="right">{span(sumOf(variants.map(({ ms }) => ms)))}</td>
          </tr>
        </tfoot>
      </table>
    </Scrolls>
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

interface PanelProps {
  readonly variant: Variant;
  /** Absent if it cannot be chosen now. */
  readonly choose?: () => void;
}

function VariantPanel({ variant, choose }: PanelProps): JSX.Element {
  const { id, agent, gate, commit, attempts } = variant;
  return (
    <section class="panel variant" aria-label={`Variant ${id}`}>
      <header class="panel-head">
        <h2>
          <TaskLink id={id} row />
        </h2>
        <span class="muted">
          <Raw text={agent} />
        </span>
        <span class={`paint-${gatePaints[gate]}`}>gate {gate}</span>
        {choose === undefined ? null : (
          <button type="button" class="primary panel-actions" onClick={choose}>
            Choose
          </button>
        )}
      </header>
      {commit === undefined ? (
        <Empty>No work was committed.</Empty>
      ) : (
        <VariantDiff key={commit} variant={id} attempt={attempts} />
      )}
    </section>
  );
}

interface DiffProps {
  readonly variant: string;
  readonly attempt: number;
}

function VariantDiff({ variant, attempt }: DiffProps): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/diff', {
    task: variant,
    query: { attempt },
    follows: 'no',
  });
  const { rows } = useMemo(() => parseDiff(value?.patch ?? ''), [value?.patch]);
  if (value === undefined) return <Pending error={error} />;
  return (
    <Virtual
      label={`Diff of ${variant}`}
      kind="diff-rows mono"
      rows={rows.length}
      rowHeight={diffRowHeight}
      row={(at) => <DiffLine row={rows[at]} at={at} open={undefined} />}
    />
  );
}
