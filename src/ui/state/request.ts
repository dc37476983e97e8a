import type { Sentences } from '../../report/explain/sentences.ts';
import type { Action, ActionDone } from '../../web/action.ts';
import type { Reads, Refused } from '../../web/contract.ts';
import type { Answer } from '../answered.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

/** URL of a route; `:id` is replaced, and values that are undefined are left out. */
export function urlOf(route: string, task: string | undefined, query: Query): string {
  const path = route.replace(':id', encodeURIComponent(task ?? ''));
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) params.set(key, String(value));
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

export function read<Route extends keyof Reads>(
  url: string,
  signal: AbortSignal,
): Promise<Answer<Reads[Route]['response']>> {
  return answerOf(fetch(url, { signal, headers: { accept: 'application/json' } }));
}

export function post(action: Action, project: string | undefined): Promise<Answer<ActionDone>> {
  const body = JSON.stringify(action);
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return answerOf(
    fetch(urlOf('/api/actions', undefined, { project }), { method: 'POST', body, headers }),
  );
}

async function answerOf<T>(sent: Promise<Response>): Promise<Answer<T>> {
  try {
    const response = await sent;
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, value: body as T };
    return { ok: false, error: (body as Refused).error ?? strange(response.status) };
  } catch (error) {
    return { ok: false, error: unreachable(error instanceof Error ? error.message : '') };
  }
}

function strange(status: number): Sentences {
  return {
    kind: 'strange-answer',
    what: `The server answered with status ${status} and without a reason.`,
    why: '',
    do: 'Reload the page; if that does not help, restart `ym ui`.',
  };
}

function unreachable(message: string): Sentences {
  return {
    kind: 'unreachable',
    what: 'The server of this page cannot be reached.',
    why: message,
    do: 'Type `ym ui` in the project; this page then goes on by itself.',
  };
}
