import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { span } from '../../report/format/time.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { useKeys } from '../keys.ts';
import { Candidates } from '../parts/candidates.tsx';
import { EventList } from '../parts/events.tsx';
import { NeedRow } from '../parts/need.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Slots } from '../parts/slots.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Sentence } from '../parts/text.tsx';
import { Entries, Follow } from '../parts/transcript.tsx';
import { ms, useIsLive, useNow, useView } from '../state/data.ts';
import { hrefOf, useSelected } from '../state/store.ts';
import { useTail } from '../state/tails.ts';

export function NowPage(): JSX.Element {
  const view = useView();
  const [chosen, setChosen] = useState<string>();
  if (view === undefined) return <Empty>Loading…</Empty>;
  const busy = view.slots.flatMap((slot) => ('task' in slot ? [slot.task] : []));
  const tailed = chosen !== undefined && busy.includes(chosen) ? chosen : busy[0];
  return (
    <div class="now">
      <div class="column">
        <Needs view={view} />
        <Paused view={view} />
        <Slots view={view} tailed={tailed} choose={setChosen} />
        <QueuePanel view={view} />
      </div>
      <div class="column">
        <TailPanel task={tailed} all={busy} choose={setChosen} />
        <EventsPanel />
      </div>
    </div>
  );
}

function Needs({ view }: { readonly view: ViewAnswer }): JSX.Element {
  const { needsYou } = view;
  const shown = needsYou.slice(0, 8);
  return (
    <Panel
      title="Needs you"
      kind={needsYou.length === 0 ? '' : 'urgent'}
      note={needsYou.length === 0 ? undefined : String(needsYou.length)}
      actions={needsYou.length === 0 ? undefined : <a href={hrefOf({ page: 'inbox' })}>Inbox</a>}
    >
      {needsYou.length === 0 ? <Empty>Nothing waits for you.</Empty> : null}
      <ul class="rows">
        {shown.map((need) =>
          need.kind === 'run' ? (
            <FailureRow key={need.run} failure={need.failure} />
          ) : (
            <NeedRow key={need.task} need={need} />
          ),
        )}
      </ul>
      {needsYou.length > shown.length ? (
        <p class="more">
          <a href={hrefOf({ page: 'inbox' })}>{needsYou.length - shown.length} more</a>
        </p>
      ) : null}
    </Panel>
  );
}

/** Accounts and steps that keep work from going on. */
function Paused({ view }: { readonly view: ViewAnswer }): JSX.Element | null {
  const pauses = [...view.paused, ...view.pausedSteps];
  if (pauses.length === 0) return null;
  return (
    <Panel title="Paused" note={String(pauses.length)}>
      <ul class="rows">
        {pauses.map((pause) => (
          <FailureRow key={pause.what} failure={pause} />
        ))}
      </ul>
    </Panel>
  );
}

function FailureRow({
  failure,
}: {
  readonly failure: { readonly what: string; readonly do: string };
}): JSX.Element {
  return (
    <li class="row">
      <div>
        <p>
          <Sentence text={failure.what} />
        </p>
        <p class="muted">
          <Sentence text={failure.do} />
        </p>
      </div>
    </li>
  );
}

const landingsShown = 5;

function QueuePanel({ view }: { readonly view: ViewAnswer }): JSX.Element {
  const now = useNow();
  const waiting = view.train.filter(({ state }) => state === 'queued');
  return (
    <Panel
      title="Merge queue"
      note={view.train.length === 0 ? undefined : String(view.train.length)}
      actions={<a href={hrefOf({ page: 'queue' })}>Queue</a>}
    >
      {view.train.length === 0 ? <Empty>The queue is empty.</Empty> : null}
      <Candidates candidates={view.candidates} />
      {waiting.length === 0 ? null : (
        <p class="row queued">
          <span class="muted">Queued</span>
          {waiting.map(({ task }) => (
            <TaskLink key={task} id={task} />
          ))}
        </p>
      )}
      <ul class="landings">
        {view.landings.slice(0, landingsShown).map(({ task, commit, at }) => (
          <li key={`${task} ${commit}`}>
            <span class="paint-green">✓</span> <code>{commit.slice(0, 7)}</code>{' '}
            <TaskLink id={task} /> <span class="muted num">{span(Math.max(0, now - ms(at)))}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface TailProps {
  readonly task: string | undefined;
  readonly all: readonly string[];
  readonly choose: (task: string) => void;
}

function TailPanel({ task, all, choose }: TailProps): JSX.Element {
  const tail = useTail(task);
  const isLive = useIsLive();
  const next = all[(all.indexOf(task ?? '') + 1) % Math.max(1, all.length)];
  const showNext = (): void => {
    if (next !== undefined) choose(next);
  };
  useKeys([{ key: 't', text: 'Output of the next slot', run: showNext }]);
  const part = tail?.parts.at(-1);
  const none = task === undefined ? 'No agent is working.' : 'No output yet.';
  return (
    <Panel
      title="Output"
      note={task === undefined ? undefined : <TaskLink id={task} tab="log" />}
      actions={part === undefined ? undefined : <span class="muted">{part.name}</span>}
      kind="tail"
    >
      <Follow label={`Output of ${task ?? 'no task'}`} version={tail}>
        {part === undefined ? (
          <Empty>{isLive ? none : 'The output of agents is shown for the present only.'}</Empty>
        ) : (
          <Entries entries={part.entries} />
        )}
      </Follow>
    </Panel>
  );
}

function EventsPanel(): JSX.Element {
  const at = useSelected(({ route }) => route.at);
  return (
    <Panel title="Events" kind="events">
      <EventList {...(at === undefined ? {} : { until: at })} limit={40} />
    </Panel>
  );
}
