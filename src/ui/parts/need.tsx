import type { JSX } from 'preact';
import { span } from '../../report/format/time.ts';
import type { TaskNeed as Need, RunTrouble } from '../run-trouble.ts';
import { ms, useNow } from '../state/data.ts';
import { hrefOf } from '../state/store.ts';
import { TaskLink } from './task.tsx';
import { TaskActions } from './task-actions.tsx';
import { Raw, Sentence } from './text.tsx';

const kinds = {
  question: { glyph: '?', text: 'asks', may: ['answer', 'tell', 'cancel'] },
  choice: { glyph: '≍', text: 'choice', may: ['cancel'] },
  approval: { glyph: '!', text: 'approval', may: ['approve', 'reject'] },
  revision: { glyph: '!', text: 'revised plan', may: ['approve', 'reject'] },
  conflict: { glyph: '⨯', text: 'conflict', may: ['retry', 'cancel'] },
  blocked: { glyph: '■', text: 'stuck', may: ['retry', 'unblock', 'skip', 'cancel'] },
  landing: { glyph: '■', text: 'cannot land', may: [] },
  failed: { glyph: '✗', text: 'failed', may: ['retry', 'skip', 'cancel'] },
} as const satisfies Record<Need['kind'], unknown>;

export function needKind(need: Need): (typeof kinds)[Need['kind']] {
  return kinds[need.kind];
}

/** Actions that a decision offers. `ym unblock` is for tasks that a person blocked. */
export function mayOf(need: Need): readonly string[] {
  const { may } = needKind(need);
  if (need.kind !== 'blocked') return may;
  const other = need.command.startsWith('ym unblock') ? 'retry' : 'unblock';
  return may.filter((kind) => kind !== other);
}

/** One line for a decision, with its buttons. */
export function NeedRow({ need }: { readonly need: Need }): JSX.Element {
  const now = useNow();
  const { glyph, text } = needKind(need);
  return (
    <li class="row need">
      <span class={`glyph need-${need.kind}`} title={text}>
        {glyph}
      </span>
      <div class="need-text">
        <TaskLink id={need.task} row />{' '}
        {'since' in need ? (
          <span class="muted num">{span(Math.max(0, now - ms(need.since)))}</span>
        ) : null}
        <p>
          {need.kind === 'question' ? (
            <Raw text={need.failure.what} />
          ) : (
            <Sentence text={need.failure.what} />
          )}
        </p>
        {need.kind === 'landing' ? (
          <p class="muted">
            <Sentence text={need.failure.do} />
          </p>
        ) : null}
      </div>
      <CompareLink need={need} />
      <TaskActions task={need.task} may={mayOf(need).slice(0, 2)} hasKeys={false} />
    </li>
  );
}

/** Leads to the variants that a choice is about. */
export function CompareLink({
  need,
}: {
  readonly need: Pick<Need, 'kind' | 'task'>;
}): JSX.Element | null {
  if (need.kind !== 'choice') return null;
  return (
    <a class="button primary" href={hrefOf({ page: 'task', task: need.task, tab: 'variants' })}>
      Compare
    </a>
  );
}

/** One line for trouble of the whole run, with what to do about it. */
export function TroubleRow({ trouble }: { readonly trouble: RunTrouble }): JSX.Element {
  return (
    <li class="row need">
      <span class="glyph need-failed" aria-hidden="true">
        ‼
      </span>
      <div class="need-text">
        <b>
          <Raw text={trouble.name} />
        </b>
        <p>
          <Sentence text={trouble.what} />
        </p>
        <p class="muted">
          <Sentence text={trouble.do} />
        </p>
      </div>
    </li>
  );
}
