import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import {
  type FoundNote,
  isCurrent,
  type Note,
  type NoteOrigin,
  noteLimits,
} from '../model/note.ts';
import type { RunContext } from './context.ts';

type Added = Extract<EventBody, { type: 'note-added' }>;

type NoteAnswer =
  | { readonly id: 'new'; readonly event: Added; readonly number: number }
  | { readonly id: 'known'; readonly number: number }
  | { readonly id: 'refused'; readonly problem: string };

/** Decides about a note of an agent. `notes` are all notes of the project. */
export function noteAnswer(
  { run }: Pick<RunContext, 'run'>,
  { task, attempt: { agent, number: attempt } }: Work,
  { kind, text, supersedes }: FoundNote,
  notes: readonly Note[],
): NoteAnswer {
  const own = notes.filter(({ origin }) => origin.by === 'agent' && origin.task === task.id);
  const known = own.find((note) => note.kind === kind && note.text === text);
  if (known !== undefined) return { id: 'known', number: known.number };
  if (own.length >= noteLimits.perTask) {
    return refused(`task ${task.id} has ${own.length} notes, which is the most it may write`);
  }
  const old = notes.find(({ number }) => number === supersedes);
  if (supersedes !== undefined) {
    if (old === undefined) return refused(`there is no note ${supersedes}`);
    if (!isCurrent(old)) return refused(`note ${supersedes} was replaced or removed before`);
    if (old.origin.by !== 'agent') return refused(`note ${supersedes} was not written by an agent`);
  }
  const origin: NoteOrigin = { by: 'agent', agent, task: task.id, attempt, run };
  const event: Added = {
    type: 'note-added',
    kind,
    text,
    labels: task.labels,
    paths: task.paths,
    origin,
    ...(old === undefined ? {} : { supersedes: old.seq }),
  };
  return { id: 'new', event, number: notes.length + 1 };
}

function refused(problem: string): NoteAnswer {
  return { id: 'refused', problem };
}

/** Events for the notes in the last message of a turn. A note with an invalid `supersedes` is kept without it. */
export function notedIn(
  context: Pick<RunContext, 'run'>,
  work: Work,
  found: readonly FoundNote[],
  notes: readonly Note[],
): readonly EventBody[] {
  const events: EventBody[] = [];
  const written = new Set<string>();
  for (const note of found) {
    const key = `${note.kind} ${note.text}`;
    if (written.has(key) || written.size >= noteLimits.perTask) continue;
    written.add(key);
    const asked = noteAnswer(context, work, note, notes);
    const { kind, text } = note;
    const answer =
      asked.id === 'refused' ? noteAnswer(context, work, { kind, text }, notes) : asked;
    if (answer.id === 'new') events.push(answer.event);
  }
  return events;
}
