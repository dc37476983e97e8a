import type { Evidence } from './evidence.ts';

/** How the look at the target after a run came out. */
export type VerifyOutcome =
  | { readonly kind: 'passed'; readonly command: string; readonly ms: number }
  | {
      readonly kind: 'failed';
      readonly command: string;
      /** -1 where it could not be started or was ended by a signal. */
      readonly exit: number;
      readonly ms: number;
      /** The last 2 KiB of what it printed, standard error before standard output. */
      readonly tail: string;
      /** Failing tests that its output names; absent where it names none. */
      readonly evidence?: Evidence;
      /** The landing of this run from which on it fails, where that was looked for. */
      readonly culprit?: { readonly commit: string; readonly tasks: readonly string[] };
    }
  | { readonly kind: 'timed-out'; readonly command: string; readonly budgetMs: number }
  | { readonly kind: 'skipped'; readonly reason: string };

/** What follows when it fails; nothing that landed is ever taken back. */
export type VerifyPolicy = 'report' | 'fix' | 'bisect';
