import type { Action } from './action.ts';
import type { UiState } from './ui.ts';

/** A key that a terminal reported, or text that was typed or pasted. */
export type Key = { readonly name: KeyName } | { readonly text: string };

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'tab'
  | 'back-tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'wheel-up'
  | 'wheel-down'
  | 'ctrl-c'
  | 'ctrl-l'
  | 'ctrl-u'
  | 'ctrl-w'
  | 'ctrl-z';

export interface Pressed {
  readonly ui: UiState;
  readonly action?: Action;
}
