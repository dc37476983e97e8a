import type { ComponentChildren, JSX } from 'preact';

interface ScrollsProps {
  readonly label: string;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** A box that scrolls: the rest of a page that fills the window, or a wide table. */
export function Scrolls({ label, kind = 'scrolls', children }: ScrollsProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section class={kind} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
