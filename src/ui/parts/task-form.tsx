import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Task } from '../../model/task.ts';
import type { Action } from '../../web/action.ts';
import { act } from '../state/store.ts';
import { Dialog } from './dialog.tsx';

/** Fields of a task by the keys of a plan file; null clears a value. */
type Fields = Extract<Action, { kind: 'edit' }>['changes'];

interface Field {
  readonly key:
    | 'title'
    | 'body'
    | 'after'
    | 'labels'
    | 'paths'
    | 'acceptance'
    | 'agent'
    | 'estimate';
  readonly label: string;
  /** `names` are separated by commas, `lines` by line breaks. */
  readonly kind: 'line' | 'text' | 'names' | 'lines';
}

const fields: readonly Field[] = [
  { key: 'title', label: 'Title', kind: 'line' },
  { key: 'body', label: 'Description: what to do and when it is done', kind: 'text' },
  { key: 'after', label: 'After: ids of tasks that must land first', kind: 'names' },
  { key: 'labels', label: 'Labels', kind: 'names' },
  { key: 'paths', label: 'Files it is expected to change, as globs', kind: 'names' },
  { key: 'acceptance', label: 'Acceptance: one condition a line', kind: 'lines' },
  { key: 'agent', label: 'Agent', kind: 'line' },
  { key: 'estimate', label: 'Estimate, such as 30m', kind: 'line' },
];

type Texts = Readonly<Record<string, string>>;

function textOf(value: unknown, kind: Field['kind']): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : '';
  return value.join(kind === 'lines' ? '\n' : ', ');
}

function valueIn(text: string, kind: Field['kind']): string | string[] | null {
  if (kind === 'line' || kind === 'text') return text === '' ? null : text;
  const parts = text.split(kind === 'lines' ? '\n' : ',');
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

export function AddTask({ close }: { readonly close: () => void }): JSX.Element {
  const save = ({ title, ...changes }: Fields): Promise<boolean> =>
    act({ kind: 'add', title: String(title ?? ''), fields: changes });
  return <TaskForm heading="Add a task" button="Add" before={{}} save={save} close={close} />;
}

interface EditProps {
  readonly task: Task;
  readonly close: () => void;
}

export function EditTask({ task, close }: EditProps): JSX.Element {
  const save = (changes: Fields): Promise<boolean> => act({ kind: 'edit', task: task.id, changes });
  return (
    <TaskForm heading={`Edit ${task.id}`} button="Save" before={task} save={save} close={close} />
  );
}

interface FormProps {
  readonly heading: string;
  readonly button: string;
  readonly before: Partial<Task>;
  readonly save: (changes: Fields) => Promise<boolean>;
  readonly close: () => void;
}

function TaskForm({ heading, button, before, save, close }: FormProps): JSX.Element {
  const first = Object.fromEntries(fields.map(({ key, kind }) => [key, textOf(before[key], kind)]));
  const [texts, setTexts] = useState<Texts>(first);
  const [priority, setPriority] = useState(before.priority ?? 2);
  const [busy, setBusy] = useState(false);
  const changed = fields.filter(({ key }) => texts[key] !== first[key]);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const done = await save({
      ...Object.fromEntries(changed.map(({ key, kind }) => [key, valueIn(texts[key] ?? '', kind)])),
      ...(priority === (before.priority ?? 2) ? {} : { priority }),
    });
    setBusy(false);
    if (done) close();
  };
  const write = (key: string, text: string): void => setTexts({ ...texts, [key]: text });
  return (
    <Dialog title={heading} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        {fields.map(({ key, label, kind }) => (
          <label key={key} class="field" for={`task-${key}`}>
            {label}
            {kind === 'text' || kind === 'lines' ? (
              <textarea
                id={`task-${key}`}
                rows={kind === 'text' ? 5 : 2}
                value={texts[key]}
                onInput={(event) => write(key, event.currentTarget.value)}
              />
            ) : (
              <input
                id={`task-${key}`}
                value={texts[key]}
                required={key === 'title'}
                onInput={(event) => write(key, event.currentTarget.value)}
              />
            )}
          </label>
        ))}
        <label class="field">
          Priority
          <select
            value={priority}
            onChange={(event) => setPriority(Number(event.currentTarget.value) as Task['priority'])}
          >
            {[0, 1, 2, 3, 4].map((one) => (
              <option key={one} value={one}>
                {one === 0 ? '0, most urgent' : one}
              </option>
            ))}
          </select>
        </label>
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>
            {button}
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}
