import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { limits } from '../../model/limits.ts';
import type { Task } from '../../model/task.ts';
import { act } from '../state/store.ts';
import { changesIn, type Field, type Fields, fields, type Texts, textsOf } from '../task-fields.ts';
import { Dialog, DialogButtons } from './dialog.tsx';

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
  const first = textsOf(before);
  const [texts, setTexts] = useState<Texts>(first);
  const [priority, setPriority] = useState(before.priority ?? 2);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const done = await save({
      ...changesIn(first, texts),
      ...(priority === (before.priority ?? 2) ? {} : { priority }),
    });
    setBusy(false);
    if (done) close();
  };
  const write = (key: string, text: string): void => setTexts({ ...texts, [key]: text });
  const input = (field: Field): JSX.Element => (
    <FieldInput key={field.key} field={field} text={texts[field.key] ?? ''} write={write} />
  );
  return (
    <Dialog title={heading} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        {fields.filter(({ isRare }) => isRare !== true).map(input)}
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
        <details>
          <summary>More</summary>
          {fields.filter(({ isRare }) => isRare).map(input)}
        </details>
        <DialogButtons send={button} disabled={busy} close={close} />
      </form>
    </Dialog>
  );
}

interface InputProps {
  readonly field: Field;
  readonly text: string;
  readonly write: (key: string, text: string) => void;
}

function FieldInput({ field: { key, label, kind }, text, write }: InputProps): JSX.Element {
  const shared = {
    id: `task-${key}`,
    value: text,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      write(key, currentTarget.value),
  };
  const isLong = kind === 'text' || kind === 'lines';
  return (
    <label class="field" for={shared.id}>
      {label}
      {isLong ? <textarea rows={kind === 'text' ? 5 : 2} {...shared} /> : null}
      {kind === 'number' ? (
        <input type="number" min={1} max={limits.variantsMax} {...shared} />
      ) : null}
      {isLong || kind === 'number' ? null : <input required={key === 'title'} {...shared} />}
    </label>
  );
}
