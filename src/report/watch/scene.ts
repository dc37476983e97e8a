import type { Event } from '../../model/event.ts';
import type { Style } from '../format/style.ts';
import type { ProgressContext } from '../progress/line.ts';
import type { QueueFacts } from '../run/queue-facts.ts';
import type { View } from '../view/view.ts';
import type { VariantSide } from './compare-page.ts';
import type { UiState } from './ui.ts';

/** Text of the page that is shown: the output of an agent, or a document about a task. */
export interface PageText {
  readonly task: string;
  readonly lines: readonly string[];
  /** True if lines at the start are left out. */
  readonly isCut: boolean;
  readonly sides?: readonly VariantSide[];
  /** Reason why there are no lines. */
  readonly note?: string;
}

/** An event with what was known right after it. */
export interface SeenStep {
  readonly event: Event;
  readonly context: ProgressContext;
}

/** Everything that a frame is drawn from. */
export interface Scene {
  readonly view: View;
  readonly ui: UiState;
  /** Name of the project's folder. */
  readonly project: string;
  readonly text?: PageText;
  /** Read again when records change. */
  readonly queue: QueueFacts;
  /** The last steps of the run, oldest first. */
  readonly steps: readonly SeenStep[];
  /** The event of the past after which the project is shown; `now` is its time. */
  readonly moment?: { readonly seq: number; readonly last: number; readonly at: number };
  readonly now: number;
  readonly style: Style;
  /** The reader's `Date.getTimezoneOffset()`. */
  readonly offsetMin: number;
}
