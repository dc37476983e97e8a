import type { JSX } from 'preact';
import type { EventLine } from '../../web/contract.ts';
import { ms, useData } from '../state/data.ts';
import { Empty } from './panel.tsx';
import { Raw, Time } from './text.tsx';

interface EventListProps {
  /** Shows events up to this one. */
  readonly until?: number;
  readonly task?: string;
  readonly limit: number;
}

/** Newest first. */
export function EventList({ until, task, limit }: EventListProps): JSX.Element {
  const before = until === undefined ? undefined : until + 1;
  const { value } = useData('/api/events', { query: { before, task, limit } });
  if (value === undefined) return <Empty>Loading…</Empty>;
  if (value.events.length === 0) return <Empty>Nothing has happened yet.</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <ol class="events-list" aria-label="Events" tabIndex={0}>
      {value.events.map((event) => (
        <Line key={event.seq} event={event} />
      ))}
    </ol>
  );
}

function Line({ event }: { readonly event: EventLine }): JSX.Element {
  return (
    <li>
      <Time at={ms(event.at)} />{' '}
      <span>
        <Raw text={event.text} />
        {event.by === undefined ? null : (
          <span class="muted">
            {' '}
            by <Raw text={event.by} />
          </span>
        )}
      </span>
    </li>
  );
}
