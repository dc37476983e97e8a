import type { Sentences } from '../report/explain/sentences.ts';

/** Data of the server. What was read last stays while it is read again, so that nothing jumps. */
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

/** Takes an answer in. A failed one keeps the value of the same moment, and drops that of another one. */
export function afterAnswer<T>(
  before: ReadData<T>,
  { place, url }: { readonly place: string; readonly url: string },
  answer: Answer<T>,
): ReadData<T> {
  if (answer.ok) return { place, url, value: answer.value };
  return { ...(before.url === url ? before : { place, url }), error: answer.error };
}
