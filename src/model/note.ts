import {
  names,
  type ObjectOf,
  type Of,
  object,
  optional,
  ordinal,
  text,
  union,
  words,
} from './shape.ts';

export const noteLimits = {
  /** Notes one turn may write in its last message, and one task in all; characters of one note. */
  perTurn: 10,
  perTask: 30,
  chars: 1_000,
  /** Notes in the common part of a prompt, and in its part for one task; characters of each list. */
  ofProject: 30,
  ofTask: 15,
  listChars: 8_000,
} as const;

/** Kinds of notes that people and agents write. */
export const noteKinds = ['decision', 'convention', 'finding'] as const;
/** `status` is written by runs: the last verification of the target failed. */
export const NoteKind = words(...noteKinds, 'status');
export type NoteKind = Of<typeof NoteKind>;

export const NoteOrigin = union('by', {
  person: {},
  agent: { agent: text, task: text, attempt: ordinal, run: text },
  run: { run: text },
});
export type NoteOrigin = Of<typeof NoteOrigin>;

const content = {
  kind: NoteKind,
  text,
  /** Labels and paths of what it is about; an agent's note has those of its task. */
  labels: names,
  paths: names,
};

export const noteEvents = {
  /** A person, an agent or a run added a note. */
  'note-added': {
    ...content,
    origin: NoteOrigin,
    /** Number of the event that added the note which this one replaces. */
    supersedes: optional(ordinal),
  },
  'note-removed': {
    /** Number of the event that added the note. */
    note: ordinal,
    origin: NoteOrigin,
    reason: optional(text),
  },
};

export const FoundNote = object({
  kind: words(...noteKinds),
  text,
  supersedes: optional(ordinal),
});
export type FoundNote = Of<typeof FoundNote>;

/** `superseded` and `removed` notes are no longer shown to agents. */
export type NoteState =
  | { readonly id: 'current' }
  | { readonly id: 'superseded'; readonly by: number }
  | {
      readonly id: 'removed';
      readonly at: number;
      readonly origin: NoteOrigin;
      readonly reason?: string;
    };

export interface Note extends ObjectOf<typeof content> {
  /** Counts the notes of the project from 1. People and agents name a note by it. */
  readonly number: number;
  readonly seq: number;
  readonly at: number;
  readonly origin: NoteOrigin;
  readonly supersedes?: number;
  readonly state: NoteState;
}

type NoteEvent = { readonly seq: number; readonly at: number } & (
  | ({ readonly type: 'note-added' } & ObjectOf<(typeof noteEvents)['note-added']>)
  | ({ readonly type: 'note-removed' } & ObjectOf<(typeof noteEvents)['note-removed']>)
);

/** Folds the events of notes, in order. A note is replaced or removed once; whatever comes later changes nothing. */
export function notesOf(events: Iterable<NoteEvent>): readonly Note[] {
  const notes: Note[] = [];
  const end = (seq: number, state: NoteState): number | undefined => {
    const at = notes.findIndex((note) => note.seq === seq);
    const note = notes[at];
    if (note === undefined || note.state.id !== 'current') return undefined;
    notes[at] = { ...note, state };
    return note.number;
  };
  for (const event of events) {
    if (event.type === 'note-removed') {
      const { note, origin, reason, at } = event;
      end(note, { id: 'removed', at, origin, reason });
      continue;
    }
    const { seq, at, kind, text: words, labels, paths, origin, supersedes } = event;
    const number = notes.length + 1;
    const old =
      supersedes === undefined ? undefined : end(supersedes, { id: 'superseded', by: number });
    const note = { number, seq, at, kind, text: words, labels, paths, origin } as const;
    notes.push({
      ...note,
      ...(old === undefined ? {} : { supersedes: old }),
      state: { id: 'current' },
    });
  }
  return notes;
}

export function isCurrent({ state }: Pick<Note, 'state'>): boolean {
  return state.id === 'current';
}
