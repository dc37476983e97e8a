import { overlapsWith } from '../graph/overlap.ts';
import { isCurrent, type Note, type NoteKind, noteLimits } from '../model/note.ts';
import { followedUpBy, newTask, type Task } from '../model/task.ts';

/** Kinds in the order in which agents read them. */
const order: readonly NoteKind[] = ['status', 'convention', 'decision', 'finding'];

/** Notes for every task of a run: what holds for the whole project, the newest first. */
export function projectNotes(notes: readonly Note[]): readonly Note[] {
  const shared = notes.filter((note) => isCurrent(note) && note.kind !== 'finding');
  return first(shared, noteLimits.ofProject);
}

/** Further notes that concern a task: they share a file or a label with it, or come from a task that it builds on. */
export function notesFor(
  task: Task,
  notes: readonly Note[],
  known: readonly Note[],
): readonly Note[] {
  const read = new Set(known.map(({ seq }) => seq));
  const own = notes.filter(
    (note) => isCurrent(note) && !read.has(note.seq) && concerns(note, task),
  );
  return first(own, noteLimits.ofTask);
}

function concerns({ number, text, labels, paths, origin }: Note, task: Task): boolean {
  if (labels.some((label) => task.labels.includes(label))) return true;
  const sources = [task.id, ...task.after, task.parent, followedUpBy(task)];
  if (origin.by === 'agent' && sources.includes(origin.task)) return true;
  const about = newTask({ id: `note-${number}`, title: '', body: text, paths });
  return overlapsWith(about, [{ ...task, id: `task-${task.id}` }]).length > 0;
}

/** Notes of agents come last, so that however many they write, those of people stay. */
function first(notes: readonly Note[], most: number): readonly Note[] {
  const isHint = ({ origin }: Note): number => (origin.by === 'agent' ? 1 : 0);
  return [...notes]
    .sort(
      (a, b) =>
        isHint(a) - isHint(b) || order.indexOf(a.kind) - order.indexOf(b.kind) || b.seq - a.seq,
    )
    .slice(0, most);
}
