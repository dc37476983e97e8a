import type { JSX } from 'preact';
import { visible } from '../../model/visible.ts';
import { clockTime, dayTime, span } from '../../report/format/time.ts';

/** Text of agents, gates and files: never markup, with every control character visible. */
export function Raw({ text }: { readonly text: string }): JSX.Element {
  return <>{visible(text)}</>;
}

/** Our own sentences: what stands between backticks is code. */
export function Sentence({ text }: { readonly text: string }): JSX.Element {
  const parts = visible(text).split(/`([^`\n]+)`/);
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** A moment as a clock time, with its day on demand. */
export function Time({ at }: { readonly at: number }): JSX.Element {
  const offset = new Date(at).getTimezoneOffset();
  return (
    <time class="mono muted" title={dayTime(at, offset)}>
      {clockTime(at, offset)}
    </time>
  );
}

/** `4 m 10 s`; nothing if the time is not known. */
export function Span({ ms }: { readonly ms: number }): JSX.Element | null {
  return Number.isFinite(ms) ? <span class="num">{span(Math.max(0, ms))}</span> : null;
}
