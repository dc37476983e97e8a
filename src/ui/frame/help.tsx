import type { JSX } from 'preact';
import { knownKeys, pageKeys } from '../keys.ts';
import { Dialog } from '../parts/dialog.tsx';

export function Help({ close }: { readonly close: () => void }): JSX.Element {
  const keys = knownKeys().filter(
    (one, at, all) => all.findIndex(({ key }) => key === one.key) === at,
  );
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {pageKeys.map(([letter, page, name]) => (
          <div key={page}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>j</kbd> <kbd>k</kbd>
          </dt>
          <dd>Next and previous row; Enter opens it</dd>
        </div>
        {keys.map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd>{key === 'Escape' ? 'Esc' : key === ' ' ? 'Space' : key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
