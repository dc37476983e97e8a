import type { JSX } from 'preact';
import { type EventRow, eventRows } from '../event-rows.ts';
import { ms, useData } from '../state/data.ts';
import { Empty } from './panel.tsx';
import { Raw, Time } from './text.tsx';

interface EventListProps {
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
      {eventRows(value.events).map((row) => (
        <Line key={row.event.seq} {...row} />
      ))}
    </ol>
  );
}

function Line({ event, times, by }: EventRow): JSX.Element {
  return (
    <li>
      <Time at={ms(event.at)} />{' '}
      <span>
        <Raw text={event.text} />
        {times === 1 ? null : <span class="muted"> {times} times</span>}
        {by === undefined ? null : (
          <span class="muted">
            {' '}
            by <Raw text={by} />
          </span>
        )}
      </span>
    </li>
  );
}
