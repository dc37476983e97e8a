import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventLine, Reads, ViewAnswer } from '../../web/contract.ts';
import { afterAnswer, type Data, type ReadData } from '../answered.ts';
import { needsIn } from '../run-trouble.ts';
import { read, urlOf } from './request.ts';
import { useSelected } from './store.ts';

/** Data that follows the log is read again at most this often. */
const pauseMs = 700;

interface Request {
  readonly task?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** `no`: it does not change with the log, or it says so itself by another query. */
  readonly follows?: 'log' | 'graph' | 'no';
  readonly skip?: boolean;
}

/** Reads a route, for the moment that is shown. The list of projects knows only the present. */
export function useData<Route extends Exclude<keyof Reads, '/api/projects'>>(
  route: Route,
  { task, query = {}, follows = 'log', skip = false }: Request = {},
): Data<Reads[Route]['response']> {
  const { project, at } = useSelected((state) => state.route);
  const version = useSelected(({ live }) =>
    follows === 'log' ? live.view?.seq : follows === 'graph' ? live.graph : 0,
  );
  const url = urlOf(route, task, { ...query, project, at });
  const place = urlOf(route, task, { ...query, project });
  const [data, setData] = useState<ReadData<Reads[Route]['response']>>({});
  const readAt = useRef(0);
  // A past moment does not change any more.
  const key = at === undefined ? version : 0;
  useEffect(() => {
    if (skip) return undefined;
    const stop = new AbortController();
    const wait =
      data.place === place ? Math.max(0, readAt.current + pauseMs - performance.now()) : 0;
    const timer = setTimeout(async () => {
      readAt.current = performance.now();
      const answer = await read<Route>(url, stop.signal);
      if (!stop.signal.aborted) setData((before) => afterAnswer(before, { place, url }, answer));
    }, wait);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [url, key, skip]);
  return data.place === place ? data : {};
}

export function useView(): ViewAnswer | undefined {
  const at = useSelected(({ route }) => route.at);
  const live = useSelected((state) => state.live.view);
  const past = useData('/api/view', { skip: at === undefined, follows: 'no' });
  return at === undefined ? live : past.value;
}

/** True if the present is shown, so that actions make sense. */
export function useIsLive(): boolean {
  return useSelected(({ route }) => route.at === undefined);
}

/** The event whose moment is shown; undefined in the present. */
export function useMoment(): EventLine | undefined {
  const at = useSelected(({ route }) => route.at);
  const query = { before: (at ?? 0) + 1, limit: 1 };
  const { value } = useData('/api/events', { query, follows: 'no', skip: at === undefined });
  return at === undefined ? undefined : value?.events[0];
}

/** The time, again every second; of a past moment, its own time. */
export function useNow(): number {
  const at = useSelected(({ route }) => route.at);
  const moment = useMoment();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (at !== undefined) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [at]);
  return at === undefined ? now : ms(moment?.at);
}

/** A time of the server as milliseconds. */
export function ms(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text);
}

/** Number of things that wait for the reader now, whatever moment is shown. */
export function useNeeds(): number {
  return useSelected(({ live: { view } }) => (view === undefined ? 0 : needsIn(view)));
}
