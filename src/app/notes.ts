import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { isCurrent, type Note, type NoteOrigin, noteLimits } from '../model/note.ts';
import type { Opened } from './ports.ts';

type Ports = Pick<Opened, 'store' | 'clock'>;

const person: NoteOrigin = { by: 'person' };

/** Notes of the project; with `all` also those that were replaced or removed. */
export async function listNotes(
  { store }: Pick<Ports, 'store'>,
  { all }: { readonly all: boolean },
): Promise<Result<readonly Note[]>> {
  const notes = await store.notes();
  if (!notes.ok) return notes;
  return ok(all ? notes.value : notes.value.filter(isCurrent));
}

/** Finds a note by its number, as the user types it. */
export async function noteNamed(
  { store }: Pick<Ports, 'store'>,
  name: string,
): Promise<Result<Note>> {
  const notes = await store.notes();
  if (!notes.ok) return notes;
  const found = notes.value.find(({ number }) => String(number) === name);
  if (found !== undefined) return ok(found);
  return usage(
    `there is no note "${name}"`,
    '`ym notes --all` lists the notes with their numbers.',
  );
}

export async function addNote(
  ports: Ports,
  { text, ...note }: Pick<Note, 'kind' | 'text' | 'labels' | 'paths'>,
): Promise<Result<Note>> {
  const checked = checkedText(text);
  if (!checked.ok) return checked;
  return added(ports, { type: 'note-added', ...note, text: checked.value, origin: person });
}

/** Replaces the text of a note. The old one stays in the log; `undefined` means that the text is the same. */
export async function editNote(
  ports: Ports,
  { seq, kind, labels, paths, text: before }: Note,
  text: string,
): Promise<Result<Note | undefined>> {
  const checked = checkedText(text);
  if (!checked.ok) return checked;
  if (checked.value === before) return ok(undefined);
  const content = { kind, labels, paths, text: checked.value };
  return added(ports, { type: 'note-added', ...content, origin: person, supersedes: seq });
}

/** Hides notes from agents and lists, all or none. */
export async function removeNotes(
  ports: Ports,
  names: readonly string[],
  reason: string | undefined,
): Promise<Result<readonly Note[]>> {
  const found: Note[] = [];
  for (const name of new Set(names)) {
    const note = await currentNote(ports, name);
    if (!note.ok) return note;
    found.push(note.value);
  }
  const events = found.map(
    ({ seq }): EventBody => ({
      type: 'note-removed',
      note: seq,
      origin: person,
      reason,
    }),
  );
  const stored = await ports.store.append(ports.clock.now(), events);
  return stored.ok ? ok(found) : stored;
}

/** A note that may be changed or removed. */
export async function currentNote(
  ports: Pick<Ports, 'store'>,
  name: string,
): Promise<Result<Note>> {
  const note = await noteNamed(ports, name);
  if (!note.ok) return note;
  const { number, state } = note.value;
  switch (state.id) {
    case 'current':
      return note;
    case 'superseded':
      return usage(`note ${number} was replaced by note ${state.by}`, `Name note ${state.by}.`);
    case 'removed':
      return usage(`note ${number} was removed`, 'Write a new one with `ym notes add`.');
  }
}

async function added(
  { store, clock }: Ports,
  event: Extract<EventBody, { type: 'note-added' }>,
): Promise<Result<Note>> {
  const stored = await store.append(clock.now(), [event]);
  if (!stored.ok) return stored;
  const notes = await store.notes();
  if (!notes.ok) return notes;
  const seq = stored.value[0]?.seq;
  const note = notes.value.find((one) => one.seq === seq);
  if (note === undefined) throw new Error(`The note of event ${seq} is not in the store`);
  return ok(note);
}

function checkedText(text: string): Result<string> {
  const trimmed = text.trim();
  if (trimmed === '') return usage('the note is empty', 'Write what later work should know.');
  if (trimmed.length <= noteLimits.chars) return ok(trimmed);
  return fail({
    kind: 'usage',
    problem: `the note has ${trimmed.length} characters`,
    remedy: `Shorten it to ${noteLimits.chars}.`,
  });
}
