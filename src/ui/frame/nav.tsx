import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ViewAnswer } from '../../web/contract.ts';
import { pageKeys } from '../keys.ts';
import { Failure } from '../parts/failure.tsx';
import { Raw, Time } from '../parts/text.tsx';
import type { Page } from '../route.ts';
import { needsIn } from '../run-trouble.ts';
import { ms, useMoment, useView } from '../state/data.ts';
import { go, hrefOf, useSelected } from '../state/store.ts';
import { withoutVariants } from '../task-list.ts';

export function Nav(): JSX.Element {
  const route = useSelected((state) => state.route);
  const view = useView();
  const projects = useSelected((state) => state.projects?.projects.length ?? 1);
  const counts = view === undefined ? {} : pageCounts(view);
  const links = useRef<HTMLElement>(null);
  // On a phone, the links are wider than the window.
  useEffect(() => {
    links.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [route.page]);
  const shown = pageKeys.filter(([, page]) => page !== 'projects' || projects > 1);
  return (
    <nav ref={links} class="nav" aria-label="Pages">
      {shown.map(([, page, name]) => (
        <a
          key={page}
          href={hrefOf({ page })}
          aria-current={route.page === page ? 'page' : undefined}
        >
          {name}
          <Count page={page} count={counts[page] ?? 0} />
        </a>
      ))}
      <p class="hint">
        <kbd>?</kbd> shows the keys
      </p>
    </nav>
  );
}

function pageCounts(view: ViewAnswer): Partial<Record<Page, number>> {
  return {
    inbox: needsIn(view),
    tasks: withoutVariants(view.tasks).length,
    queue: view.train.length,
  };
}

function Count({ page, count }: { readonly page: Page; readonly count: number }) {
  if (count === 0) return null;
  return <span class={`count ${page === 'inbox' ? 'urgent' : ''}`}>{count}</span>;
}

/** Says that the connection is lost, or which moment of the past is shown. */
export function Banner(): JSX.Element {
  const connection = useSelected((state) => state.connection);
  const at = useSelected(({ route }) => route.at);
  const last = useSelected((state) => state.live.view?.last.seq);
  const moment = useMoment();
  return (
    <div role="status">
      {connection === 'lost' ? (
        <p class="banner lost">
          Connection lost, trying again. What you see may be old; the run itself goes on.
        </p>
      ) : null}
      {at === undefined ? null : (
        <div class="banner past">
          <p>
            The past: event {at} of {last ?? '…'}.{' '}
            {moment === undefined ? null : (
              <>
                <Time at={ms(moment.at)} /> <Raw text={moment.text} />
              </>
            )}
          </p>
          <button type="button" onClick={() => go({ at: undefined })}>
            Back to now <kbd>Esc</kbd>
          </button>
        </div>
      )}
    </div>
  );
}

const toastMs = 8_000;

/** Result of the last action: the command that does the same, or the reason of a refusal. */
export function Toast(): JSX.Element {
  const outcome = useSelected(({ outcomes }) => outcomes[0]);
  const [seen, setSeen] = useState(0);
  useEffect(() => {
    if (outcome === undefined || !outcome.ok) return undefined;
    const timer = setTimeout(() => setSeen(outcome.number), toastMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const isShown = outcome !== undefined && outcome.number > seen;
  return (
    <div class="toasts" role="status">
      {isShown ? (
        <div class={`toast ${outcome.ok ? '' : 'refused'}`}>
          {outcome.ok ? (
            <div>
              <code class="command">
                $ <Raw text={outcome.done.command} />
              </code>
              <p>
                <Raw text={outcome.done.text} />
              </p>
            </div>
          ) : (
            <Failure failure={outcome.error} />
          )}
          <button
            type="button"
            class="quiet"
            aria-label="Hide this message"
            onClick={() => setSeen(outcome.number)}
          >
            ✕
          </button>
        </div>
      ) : null}
    </div>
  );
}
