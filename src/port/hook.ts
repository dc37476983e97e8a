import type { HookMessage } from '../model/hook.ts';

/** Result of one try. `again` is true if the same message may be delivered later. */
export type HookSent =
  | { readonly ok: true }
  | { readonly ok: false; readonly cause: string; readonly again: boolean };

/** Delivers messages of one hook. */
export interface HookSender {
  /** Tries once, within the time limit of the hook, and gives up when `until` aborts. Never rejects. */
  send(message: HookMessage, until: AbortSignal): Promise<HookSent>;
}
