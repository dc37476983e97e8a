import type { Sentences } from '../report/explain/sentences.ts';

/** Data of the server. The last value stays while it is read again, so that the page does not jump. */
export interface Data<T> {
  readonly value?: T;
  readonly error?: Sentences;
}

/** Data, and where they were read. `url` also names the moment; `place` is the same at every moment. */
export interface ReadData<T> extends Data<T> {
  readonly place?: string;
  readonly url?: string;
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Sentences };

/** Data after an answer. A failure keeps a value of the same moment, and drops one of another moment. */
export function afterAnswer<T>(
  before: ReadData<T>,
  { place, url }: { readonly place: string; readonly url: string },
  answer: Answer<T>,
): ReadData<T> {
  if (answer.ok) return { place, url, value: answer.value };
  return { ...(before.url === url ? before : { place, url }), error: answer.error };
}
