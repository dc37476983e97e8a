import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted, dollars, shortAmount } from '../../report/format/amount.ts';
import { span } from '../../report/format/time.ts';
import type { InboxItem } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { CompareLink, mayOf, needKind } from '../parts/need.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { TaskLink } from '../parts/task.tsx';
import { TaskActions } from '../parts/task-actions.tsx';
import { Raw } from '../parts/text.tsx';
import { runTroubles } from '../run-trouble.ts';
import { ms, useData, useNow, useView } from '../state/data.ts';
import { hrefOf } from '../state/store.ts';

export function InboxPage(): JSX.Element {
  const { value, error } = useData('/api/inbox');
  const view = useView();
  const [focused, setFocused] = useState<string>();
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { items } = value;
  const troubles = view === undefined ? [] : runTroubles(view);
  const active = items.some(({ task }) => task === focused) ? focused : items[0]?.task;
  return (
    <div class="inbox">
      <h1 class="page-title">Inbox</h1>
      {items.length + troubles.length === 0 ? (
        <Panel title="Nothing waits for you">
          <Empty>Questions, approvals and failures appear here.</Empty>
        </Panel>
      ) : null}
      {troubles.map((trouble) => (
        <Panel key={trouble.name} title={trouble.name} kind="urgent">
          <Failure failure={trouble} />
        </Panel>
      ))}
      {items.map((item) => (
        <Item
          key={item.task}
          item={item}
          isActive={item.task === active}
          activate={() => setFocused(item.task)}
        />
      ))}
    </div>
  );
}

interface ItemProps {
  readonly item: InboxItem;
  readonly isActive: boolean;
  readonly activate: () => void;
}

function Item({ item, isActive, activate }: ItemProps): JSX.Element {
  const now = useNow();
  const { glyph, text } = needKind(item);
  return (
    <article
      class={`panel inbox-item ${isActive ? 'active' : ''}`}
      aria-label={`${text}: ${item.task}`}
      onFocusCapture={activate}
    >
      <header class="panel-head">
        <span class={`glyph need-${item.kind}`} aria-hidden="true">
          {glyph}
        </span>
        <h2>
          <TaskLink id={item.task} row />
        </h2>
        <span class="inbox-title">
          <Raw text={item.title} />
        </span>
        <span class="muted note">
          {text}
          {'since' in item ? `, ${span(Math.max(0, now - ms(item.since)))}` : ''}
        </span>
      </header>
      <div class="inbox-body">
        <Failure failure={item.failure} />
        {item.evidence === undefined || item.evidence.files.length === 0 ? null : (
          <Evidence task={item.task} evidence={item.evidence} />
        )}
        <p>
          <CompareLink need={item} />
        </p>
        <TaskActions task={item.task} may={mayOf(item)} hasKeys={isActive} />
      </div>
    </article>
  );
}

interface EvidenceProps {
  readonly task: string;
  readonly evidence: NonNullable<InboxItem['evidence']>;
}

const filesShown = 8;

function Evidence({ task, evidence }: EvidenceProps): JSX.Element {
  const { files, added, removed, proof, unproven, tokens, costUsd, ms: time, agent } = evidence;
  const cost = [
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
    ...(tokens === undefined ? [] : [`${shortAmount(tokens)} tokens`]),
    span(time),
  ];
  return (
    <dl class="evidence">
      <div>
        <dt>Changed</dt>
        <dd>
          <a href={hrefOf({ page: 'task', task, tab: 'diff' })}>{counted(files.length, 'file')}</a>{' '}
          <span class="num paint-green">+{added}</span>{' '}
          <span class="num paint-red">−{removed}</span>
          <ul class="file-list mono">
            {files.slice(0, filesShown).map(({ path }) => (
              <li key={path}>
                <Raw text={path} />
              </li>
            ))}
            {files.length > filesShown ? (
              <li class="muted">and {files.length - filesShown} more</li>
            ) : null}
          </ul>
        </dd>
      </div>
      <Texts name="Proven" texts={proof} glyph="✓" paint="green" />
      <Texts name="Not proven" texts={unproven} glyph="○" paint="yellow" />
      <div>
        <dt>Cost</dt>
        <dd class="num">
          {cost.join(', ')} <span class="muted">by {agent}</span>
        </dd>
      </div>
    </dl>
  );
}

interface TextsProps {
  readonly name: string;
  readonly texts: readonly string[];
  readonly glyph: string;
  readonly paint: string;
}

function Texts({ name, texts, glyph, paint }: TextsProps): JSX.Element | null {
  if (texts.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <ul>
          {texts.map((text) => (
            <li key={text}>
              <span class={`paint-${paint}`} aria-hidden="true">
                {glyph}
              </span>{' '}
              <Raw text={text} />
            </li>
          ))}
        </ul>
      </dd>
    </div>
  );
}
