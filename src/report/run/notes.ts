import type { Note, NoteOrigin, NoteState } from '../../model/note.ts';
import { oneLine } from '../../model/visible.ts';
import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime } from '../format/time.ts';

/** Version of what `ym notes --json` prints. */
export const notesSchema = 1;

/** `ym notes`: one line for each note, the oldest first. */
export function notesText(notes: readonly Note[], style: Style, width: number): readonly string[] {
  if (notes.length === 0)
    return ['No notes yet. Agents write them, and you can add one with `ym notes add`.'];
  const rows = notes.map(({ number, kind, text, origin, state }) => [
    String(number),
    kind,
    authorText(origin),
    [oneLine(text), ...stateTexts(state)].join('  '),
  ]);
  const columns = ['note', 'kind', 'by', { title: 'text', gives: true }];
  return table(columns, rows, width, style.dim);
}

/** `ym notes show`: everything about one note. */
export function noteText(
  note: Note,
  style: Style,
  width: number,
  offsetMin = 0,
): readonly string[] {
  const { number, kind, text, origin, at, labels, paths, supersedes, state } = note;
  const facts = [
    `by ${authorText(origin)}, ${dayTime(at, offsetMin)}`,
    ...(labels.length === 0 ? [] : [`labels ${labels.join(', ')}`]),
    ...(paths.length === 0 ? [] : [`paths ${paths.join(', ')}`]),
    ...(supersedes === undefined ? [] : [`replaces note ${supersedes}`]),
    ...stateTexts(state),
  ];
  return [
    style.bold(`Note ${number}, ${kind}`),
    ...text.split('\n').flatMap((line) => wrap(line, width)),
    '',
    ...facts.map((fact) => style.dim(cut(fact, width))),
  ];
}

function stateTexts(state: NoteState): readonly string[] {
  switch (state.id) {
    case 'current':
      return [];
    case 'superseded':
      return [`(replaced by note ${state.by})`];
    case 'removed': {
      const reason = state.reason === undefined ? '' : `: ${oneLine(state.reason)}`;
      return [`(removed by ${authorText(state.origin)}${reason})`];
    }
  }
}

export function authorText(origin: NoteOrigin): string {
  switch (origin.by) {
    case 'person':
      return 'a person';
    case 'agent':
      return `${origin.agent} for ${origin.task}`;
    case 'run':
      return `run ${origin.run}`;
  }
}
