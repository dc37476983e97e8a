import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry, ToolOutcome } from '../../model/action.ts';
import { span } from '../../report/format/time.ts';
import { useKeys } from '../keys.ts';
import { shownEntries } from '../tail.ts';
import { Raw } from './text.tsx';

/** Entries of an agent's output. What an agent wrote is text, whatever it looks like. */
export function Entries({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {
  return (
    <>
      {shownEntries(entries).map((entry, at) => (
        <EntryLine key={at} entry={entry} />
      ))}
    </>
  );
}

function EntryLine({ entry }: { readonly entry: Entry }): JSX.Element {
  if (entry.id !== 'tool') {
    return (
      <p class={`entry ${entry.id}`}>
        <Raw text={entry.text.trimEnd()} />
      </p>
    );
  }
  const { name, subject, outcome } = entry.call;
  return (
    <p class={`entry tool ${outcomeClass(outcome)}`}>
      <span class="tool-name">
        <Raw text={name} />
      </span>{' '}
      <Raw text={subject} />
      {outcome === undefined ? <span class="muted"> …</span> : <OutcomeText outcome={outcome} />}
    </p>
  );
}

function outcomeClass(outcome: ToolOutcome | undefined): string {
  if (outcome === undefined) return 'running';
  return outcome.ok ? 'ok' : 'failed';
}

function OutcomeText({ outcome }: { readonly outcome: ToolOutcome }): JSX.Element {
  const { ok, exit, ms, output } = outcome;
  return (
    <span class="outcome">
      {' '}
      {ok ? '✓' : '✗'}
      {exit === undefined || exit === 0 ? '' : ` exit ${exit}`}
      {ms === undefined ? '' : ` ${span(ms)}`}
      {output === undefined ? null : (
        <>
          {' '}
          <Raw text={output} />
        </>
      )}
    </span>
  );
}

interface FollowProps {
  readonly label: string;
  /** Changes whenever there is more to see. */
  readonly version: unknown;
  readonly children: ComponentChildren;
}

/** A box that stays at its end until the reader scrolls up; `f` returns to the end. */
export function Follow({ label, version, children }: FollowProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const toEnd = (): void => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  }, [version, isFollowing]);
  useEffect(() => {
    const element = box.current;
    if (element === null || !isFollowing) return undefined;
    const observer = new ResizeObserver(toEnd);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isFollowing]);
  useKeys([{ key: 'f', text: 'Follow the output again', run: () => setFollowing(true) }]);
  return (
    <div class="follow">
      <div
        ref={box}
        class="transcript"
        role="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setFollowing(scrollHeight - scrollTop - clientHeight < 8);
        }}
      >
        {children}
      </div>
      {isFollowing ? null : (
        <button type="button" class="to-end" onClick={() => setFollowing(true)}>
          Follow <kbd>f</kbd>
        </button>
      )}
    </div>
  );
}
