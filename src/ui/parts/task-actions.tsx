import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../../web/action.ts';
import { type Key, useKeys } from '../keys.ts';
import { useIsLive } from '../state/data.ts';
import { Ask } from './ask.tsx';

interface Offer {
  readonly button: string;
  readonly key: string;
  readonly label: string;
  readonly needed: boolean;
  readonly kind?: 'primary' | 'danger';
  readonly action: (task: string, text: string) => Action;
}

const reasonLabel = 'Reason (kept in the log; may be empty)';

function withReason(kind: 'approve' | 'retry' | 'unblock' | 'cancel' | 'skip' | 'block') {
  return (task: string, text: string): Action =>
    text === '' ? { kind, task } : { kind, task, reason: text };
}

/** Decisions about one task, in the order of their buttons. */
const offers = {
  answer: {
    button: 'Answer',
    key: 'a',
    label: 'Your answer; the agent gets it in its next turn',
    needed: true,
    kind: 'primary',
    action: (task, text) => ({ kind: 'answer', task, text }),
  },
  approve: {
    button: 'Approve',
    key: 'y',
    label: reasonLabel,
    needed: false,
    kind: 'primary',
    action: withReason('approve'),
  },
  reject: {
    button: 'Reject',
    key: 'n',
    label: 'What must change; the agent gets it in its next turn',
    needed: true,
    kind: 'danger',
    action: (task, reason) => ({ kind: 'reject', task, reason }),
  },
  retry: {
    button: 'Retry',
    key: 'r',
    label: reasonLabel,
    needed: false,
    action: withReason('retry'),
  },
  unblock: {
    button: 'Unblock',
    key: 'u',
    label: reasonLabel,
    needed: false,
    action: withReason('unblock'),
  },
  tell: {
    button: 'Message',
    key: 'm',
    label: 'Message; the agent reads it in its next turn',
    needed: true,
    action: (task, text) => ({ kind: 'tell', task, text }),
  },
  block: {
    button: 'Block',
    key: 'b',
    label: 'Why it is held back; a running agent is stopped',
    needed: false,
    action: withReason('block'),
  },
  skip: {
    button: 'Skip',
    key: 's',
    label: 'Why it counts as done without work; tasks that wait for it can start',
    needed: false,
    action: withReason('skip'),
  },
  cancel: {
    button: 'Cancel task',
    key: 'c',
    label: 'Why it is canceled; tasks that wait for it keep waiting',
    needed: false,
    kind: 'danger',
    action: withReason('cancel'),
  },
} as const satisfies Readonly<Record<string, Offer>>;

type Kind = keyof typeof offers;

interface ActionsProps {
  readonly task: string;
  readonly may: readonly string[];
  /** True if the keys of the actions work now. */
  readonly hasKeys: boolean;
}

/** Buttons of the actions that a task accepts. In the past there are none. */
export function TaskActions({ task, may, hasKeys }: ActionsProps): JSX.Element | null {
  const isLive = useIsLive();
  const [open, setOpen] = useState<Kind>();
  const kinds = (Object.keys(offers) as Kind[]).filter((kind) => isLive && may.includes(kind));
  useKeys(
    hasKeys
      ? kinds.map((kind): Key => {
          const { key, button } = offers[kind];
          return { key, text: `${button} ${task}`, run: () => setOpen(kind) };
        })
      : [],
  );
  if (kinds.length === 0) return null;
  return (
    <div class="buttons">
      {kinds.map((kind) => {
        const offer: Offer = offers[kind];
        return (
          <button key={kind} type="button" class={offer.kind ?? ''} onClick={() => setOpen(kind)}>
            {offer.button}
            {hasKeys ? <kbd>{offer.key}</kbd> : null}
          </button>
        );
      })}
      {open === undefined ? null : (
        <Ask
          title={`${offers[open].button}: ${task}`}
          label={offers[open].label}
          needed={offers[open].needed}
          button={offers[open].button}
          action={(text) => offers[open].action(task, text)}
          close={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}
