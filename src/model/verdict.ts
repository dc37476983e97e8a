import type { Failure } from './failure.ts';

/** What a gate said of one tree. Only `passed` may land; `not-run` is never taken for either of the others. */
export type Verdict =
  | {
      readonly id: 'passed';
      readonly ms: number;
      /** Quarantined commands that were red at first, and green in one of the further tries they get. */
      readonly quarantined?: readonly string[];
      /** Commands that were red at first and green when they were run again on the very same tree. */
      readonly flaked?: readonly string[];
      /** By which it is known that a gate of this project gave it. */
      readonly seal?: string;
    }
  | { readonly id: 'failed'; readonly ms: number; readonly failure: Failure }
  | { readonly id: 'not-run'; readonly failure: Failure };

/** The commands that judge a tree, with the identity under which verdicts are kept. */
export interface Gate {
  /** Changes whenever anything about the judgement changes; a verdict holds for (tree, gate id). */
  readonly id: string;
  readonly commands: readonly string[];
  readonly timeoutMs: number;
  /** What the commands in `gate.environment` printed; absent where there are none. */
  readonly environment?: string;
}
