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
      {repeated(value.events).map(({ event, times }) => (
        <Line key={event.seq} event={event} times={times} />
      ))}
    </ol>
  );
}

interface Repeated {
  readonly event: EventLine;
  readonly times: number;
}

/** Equal events in a row count as one, the newest of them. */
function repeated(events: readonly EventLine[]): readonly Repeated[] {
  const rows: Repeated[] = [];
  for (const event of events) {
    const last = rows.at(-1);
    if (last === undefined || last.event.text !== event.text) rows.push({ event, times: 1 });
    else rows[rows.length - 1] = { event: last.event, times: last.times + 1 };
  }
  return rows;
}

function Line({ event, times }: Repeated): JSX.Element {
  return (
    <li>
      <Time at={ms(event.at)} />{' '}
      <span>
        <Raw text={event.text} />
        {times === 1 ? null : <span class="muted"> {times} times</span>}
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
