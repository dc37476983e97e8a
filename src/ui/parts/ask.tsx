import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../../web/action.ts';
import { act } from '../state/store.ts';
import { Dialog, DialogButtons } from './dialog.tsx';

interface AskProps {
  readonly title: string;
  readonly label: string;
  readonly needed: boolean;
  readonly button: string;
  readonly action: (text: string) => Action;
  readonly close: () => void;
}

/** Asks for the text of an action and carries it out. It stays open if the action is refused. */
export function Ask({ title, label, needed, button, action, close }: AskProps): JSX.Element {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const done = await act(action(text.trim()));
    setBusy(false);
    if (done) close();
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={(event) => void send(event)}>
        <label class="field">
          {label}
          <textarea
            rows={4}
            required={needed}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send(event);
            }}
          />
        </label>
        <DialogButtons
          send={button}
          disabled={busy || (needed && text.trim() === '')}
          close={close}
        />
      </form>
    </Dialog>
  );
}
