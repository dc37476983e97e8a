import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page. The browser keeps the focus in it and closes it with Escape. */
export function Dialog({ title, close, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // The first field comes before the button that closes the dialog.
    dialog.current?.querySelector<HTMLElement>('textarea, input')?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface DialogButtonsProps {
  /** Label of the button that sends the form. */
  readonly send: string;
  readonly disabled: boolean;
  readonly close: () => void;
}

export function DialogButtons({ send, disabled, close }: DialogButtonsProps): JSX.Element {
  return (
    <div class="buttons">
      <button type="submit" class="primary" disabled={disabled}>
        {send}
      </button>
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  );
}
