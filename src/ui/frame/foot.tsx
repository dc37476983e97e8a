import type { JSX } from 'preact';
import { useKeys } from '../keys.ts';
import { Raw } from '../parts/text.tsx';
import { useMoment } from '../state/data.ts';
import { go, useSelected } from '../state/store.ts';

/** The slider over the log, and the last command. */
export function Foot(): JSX.Element | null {
  const at = useSelected(({ route }) => route.at);
  const last = useSelected((state) => state.live.view?.last.seq ?? 0);
  const command = useSelected(({ outcomes }) => {
    const done = outcomes.find(({ ok }) => ok);
    return done?.ok ? done.done.command : undefined;
  });
  const moment = useMoment();
  const shown = Math.min(at ?? last, last);
  const show = (seq: number): void =>
    go({ at: seq >= last ? undefined : Math.max(1, seq) }, 'replace');
  useKeys([
    { key: '[', text: 'One event back in time', run: () => show(shown - 1) },
    { key: ']', text: 'One event forward', run: () => show(shown + 1) },
    { key: '{', text: 'A tenth of the log back', run: () => show(shown - Math.ceil(last / 10)) },
    { key: '}', text: 'A tenth of the log forward', run: () => show(shown + Math.ceil(last / 10)) },
  ]);
  return (
    <footer class="foot">
      <div class="travel">
        <label for="moment">History</label>
        <input
          id="moment"
          type="range"
          min={1}
          max={Math.max(1, last)}
          value={shown}
          disabled={last < 2}
          aria-valuetext={
            at === undefined ? 'now' : `event ${at} of ${last}: ${moment?.text ?? ''}`
          }
          onInput={(event) => show(Number(event.currentTarget.value))}
        />
        <output for="moment" class={at === undefined ? 'now' : 'then'}>
          {at === undefined ? 'now' : `${at} of ${last}`}
        </output>
        {command === undefined ? null : (
          <code class="last-command" title="The last command that this page ran">
            $ <Raw text={command} />
          </code>
        )}
      </div>
    </footer>
  );
}
