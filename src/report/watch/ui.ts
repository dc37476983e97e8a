import type { Action } from './action.ts';

/** Lists that the cursor moves through, in their order on the screen. */
export const listIds = ['needs', 'slots', 'queue', 'tasks'] as const;
export type ListId = (typeof listIds)[number];

/** Content of the large pane. Documents are texts about the chosen task, loaded on demand. */
export const pageIds = ['tail', 'tasks', 'events', 'help'] as const;
const documentIds = ['why', 'diff', 'gate', 'compare'] as const;
export type DocumentId = (typeof documentIds)[number];
export type PageId = (typeof pageIds)[number] | DocumentId;

export const sortIds = ['plan', 'state', 'unblocks', 'id'] as const;
type SortId = (typeof sortIds)[number];

/** The chosen row. A slot is chosen by its number, everything else by its task. */
export interface Cursor {
  readonly list: ListId;
  readonly key: string;
}

/** Texts that a person types on the bottom line. */
export type Asked =
  | 'answer'
  | 'reject'
  | 'tell'
  | 'choose'
  | 'cancel'
  | 'block'
  | 'filter'
  | 'command';

export type Mode =
  | { readonly id: 'keys' }
  | {
      readonly id: 'typing';
      readonly asked: Asked;
      /** Empty for a filter and a command. */
      readonly task: string;
      readonly text: string;
    }
  /** Only `y` carries the action out. */
  | {
      readonly id: 'confirm';
      readonly question: string;
      readonly action: Action;
    }
  /** This process drives the run, so leaving needs a choice. */
  | { readonly id: 'leaving' };

/** Result of the last action, shown until the next key. */
export interface Note {
  readonly text: string;
  readonly tone: 'done' | 'failed' | 'plain';
}

/** True for the result of an action, which is shown until the next key. */
export function stays(note: Note | undefined): boolean {
  return note !== undefined && note.tone !== 'plain';
}

/** Everything that keys change. */
export interface UiState {
  readonly width: number;
  readonly height: number;
  /** True if this process drives the run: leaving it would end it. */
  readonly drives: boolean;
  /** Undefined until a person moves it: then the first row that needs a person, or works, is chosen. */
  readonly cursor?: Cursor;
  readonly page: PageId;
  /** Task that the comparison was opened for. It stays while variants change state, until the cursor moves. */
  readonly compared?: string;
  /** Places of the two variants that are compared side by side; absent for the first two. */
  readonly pair?: readonly [left: number, right: number];
  readonly zoomed: boolean;
  /** Lines scrolled away from the newest line of a tail, or from the first line of another page. */
  readonly scroll: number;
  /** Lines of the page that can be scrolled through. */
  readonly lines: number;
  readonly filter: string;
  readonly sort: SortId;
  readonly showsDone: boolean;
  /** The wheel scrolls the page. Off at first, because then the terminal cannot select text as usual. */
  readonly usesMouse: boolean;
  readonly mode: Mode;
  /** The project is shown as it was after event `seq`; `last` is the newest one. */
  readonly past?: { readonly seq: number; readonly last: number };
  readonly note?: Note;
}

export function firstUi({ drives }: { readonly drives: boolean }): UiState {
  return {
    width: 80,
    height: 24,
    drives,
    page: 'tail',
    zoomed: false,
    scroll: 0,
    lines: 0,
    filter: '',
    sort: 'plan',
    showsDone: false,
    usesMouse: false,
    mode: { id: 'keys' },
  };
}

/** Smallest size with two columns. */
const wideColumns = 130;
const wideLines = 32;

/** True if the task list, the graph and the tail are shown side by side. */
export function isWide({ width, height, zoomed }: UiState): boolean {
  return !zoomed && width >= wideColumns && height >= wideLines;
}

export function pageWidth(ui: UiState): number {
  return isWide(ui) ? ui.width - 1 - leftWidth(ui.width) : ui.width;
}

/** Columns of the lists next to it. */
export function leftWidth(width: number): number {
  return Math.floor((width - 1) / 2);
}

/** True for a page that follows its newest line. */
export function follows(page: PageId): boolean {
  return page === 'tail';
}

export function isDocument(page: PageId): page is DocumentId {
  return documentIds.some((one) => one === page);
}
