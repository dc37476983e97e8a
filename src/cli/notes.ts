import { addNote, currentNote, editNote, listNotes, noteNamed, removeNotes } from '../app/notes.ts';
import type { Opened } from '../app/ports.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { noteKinds } from '../model/note.ts';
import { notesSchema, notesText, noteText } from '../report/run/notes.ts';
import { editedText } from './editor.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, confirm, print } from './screen.ts';
import { readStdin } from './stdin.ts';

type Done = Promise<Result<number, Failure | readonly Failure[]>>;

export function run(call: Call): Promise<number> {
  const [action = 'list', ...words] = call.args;
  const stray = strayOption(call, action);
  const isReading = action === 'list' || action === 'show';
  return withStore(call, isReading ? 'read' : 'write', async (opened): Done => {
    if (stray !== undefined)
      return usage(`${stray} cannot be used with \`ym notes ${action}\``, see);
    switch (action) {
      case 'add':
        return add(call, opened, words);
      case 'show':
        return show(call, opened, words);
      case 'edit':
        return edit(call, opened, words);
      case 'remove':
        return remove(call, opened, words);
      default:
        return list(call, opened, words);
    }
  });
}

const see = 'See `ym notes --help`.';

/** First option that this action does not take. */
function strayOption({ options }: Call, action: string): string | undefined {
  const isAbout = options.list('label').length > 0 || options.list('path').length > 0;
  if (isAbout && action !== 'add') return '--label or --path';
  if (options.flag('all') && action !== 'list') return '--all';
  return options.text('reason') !== undefined && action !== 'remove' ? '--reason' : undefined;
}

async function list(call: Call, opened: Opened, [stray]: readonly string[]): Done {
  if (stray !== undefined) return usage(`"${stray}" is an unexpected argument`, see);
  const notes = await listNotes(opened, { all: call.options.flag('all') });
  if (!notes.ok) return notes;
  return print(call, { schema: notesSchema, notes: notes.value }, ({ style, width }) =>
    notesText(notes.value, style, width),
  );
}

async function add(call: Call, opened: Opened, [word = '', ...words]: readonly string[]): Done {
  const kind = noteKinds.find((known) => known === word);
  if (kind === undefined) {
    return usage(`"${word}" is not a kind of note`, `Kinds are ${noteKinds.join(', ')}.`);
  }
  const text = await textOf(words);
  const { options } = call;
  const about = { labels: options.list('label'), paths: options.list('path') };
  const note = await addNote(opened, { kind, text, ...about });
  if (!note.ok) return note;
  return confirm(call, [`Added note ${note.value.number}`], note.value);
}

async function show(call: Call, opened: Opened, [name, ...more]: readonly string[]): Done {
  if (name === undefined || more.length > 0)
    return usage('`show` takes the number of one note', see);
  const note = await noteNamed(opened, name);
  if (!note.ok) return note;
  return print(call, note.value, ({ style, width }) =>
    noteText(note.value, style, width, clockOffset()),
  );
}

async function edit(call: Call, opened: Opened, [name, ...words]: readonly string[]): Done {
  if (name === undefined) return usage('`edit` takes the number of a note', see);
  const note = await currentNote(opened, name);
  if (!note.ok) return note;
  const { number } = note.value;
  const edited =
    words.length > 0
      ? ok({ text: await textOf(words), kept: [], discard: () => {} })
      : await editedText(`${note.value.text}\n`, {
          name: `note-${number}.md`,
          cwd: folderOf(call),
          options: `Write the text after the number: \`ym notes edit ${number} TEXT\`.`,
        });
  if (!edited.ok) return edited;
  const { text, kept, discard } = edited.value;
  const changed = await editNote(opened, note.value, text);
  if (!changed.ok) return fail([changed.failure, ...kept]);
  discard();
  if (changed.value === undefined) return confirm(call, [`Nothing changed in note ${number}`]);
  const line = `Note ${changed.value.number} replaces note ${number}`;
  return confirm(call, [line], changed.value);
}

async function remove(call: Call, opened: Opened, names: readonly string[]): Done {
  if (names.length === 0) return usage('`remove` takes the numbers of notes', see);
  const removed = await removeNotes(opened, names, call.options.text('reason'));
  if (!removed.ok) return removed;
  return confirm(
    call,
    removed.value.map(({ number }) => `Removed note ${number}`),
    { removed: removed.value.map(({ number }) => number) },
  );
}

/** The words of a text, or standard input if there is only `-`. */
async function textOf(words: readonly string[]): Promise<string> {
  const text = words.join(' ');
  return text === '-' ? readStdin() : text;
}
