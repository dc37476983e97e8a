import type { StreamMessages } from '../../web/contract.ts';
import { afterMessage, nothingYet } from '../stream.ts';
import { read, urlOf } from './request.ts';
import { change, current } from './store.ts';

const kinds = ['view', 'change', 'events', 'bye'] as const satisfies (keyof StreamMessages)[];
const retryMs = 1_000;

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;

/** Opens the stream of the project of the route, and again when the project changes or the page is seen again. */
export function keepConnected(): void {
  let project = current().route.project;
  connect();
  addEventListener('hashchange', () => {
    if (current().route.project === project) return;
    project = current().route.project;
    change({ live: nothingYet });
    connect();
  });
  // Browsers allow six connections to a server, so a hidden page keeps none.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) disconnect();
    else if (source === undefined) connect();
  });
}

function connect(): void {
  disconnect();
  const { project } = current().route;
  const opened = new EventSource(urlOf('/api/stream', undefined, { project }));
  source = opened;
  for (const kind of kinds) opened.addEventListener(kind, (event) => take(kind, event));
  opened.onopen = () => {
    change({ connection: 'open' });
    void readProjects();
  };
  opened.onerror = () => {
    if (source !== opened) return;
    change({ connection: 'lost' });
    // The browser gives up for good when it is refused, for example while the server starts.
    if (opened.readyState === EventSource.CLOSED) retry = setTimeout(connect, retryMs);
  };
}

function disconnect(): void {
  clearTimeout(retry);
  source?.close();
  source = undefined;
}

function take<Kind extends keyof StreamMessages>(kind: Kind, event: MessageEvent): void {
  const data = JSON.parse(String(event.data)) as StreamMessages[Kind];
  if (kind === 'bye') change({ connection: 'lost' });
  else change({ connection: 'open', live: afterMessage(current().live, kind, data) });
}

export async function readProjects(): Promise<void> {
  const answer = await read<'/api/projects'>('/api/projects', new AbortController().signal);
  if (answer.ok) change({ projects: answer.value });
}
