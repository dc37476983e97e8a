import type { ComponentChildren, JSX } from 'preact';

interface PanelProps {
  readonly title: string;
  /** Shown next to the title. */
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, note, actions, kind = '', children }: PanelProps): JSX.Element {
  return (
    <section class={`panel ${kind}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {note === undefined ? null : <span class="muted note">{note}</span>}
        {actions === undefined ? null : <span class="panel-actions">{actions}</span>}
      </header>
      {children}
    </section>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** A number with its name, in a `dl` of the kind `figures`. */
export function Figure({
  name,
  value,
}: {
  readonly name: string;
  readonly value: string;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}

interface BarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly label: string;
  readonly paint?: string;
}

export function Bar({ share, label, paint = 'blue' }: BarProps): JSX.Element {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <span
      class={`bar paint-${paint}`}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}
