import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { span } from '../../report/format/time.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { useKeys } from '../keys.ts';
import { Candidates } from '../parts/candidates.tsx';
import { EventList } from '../parts/events.tsx';
import { NeedRow, TroubleRow } from '../parts/need.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Slots } from '../parts/slots.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Sentence } from '../parts/text.tsx';
import { Entries, Follow } from '../parts/transcript.tsx';
import { runTroubles, taskNeeds } from '../run-trouble.ts';
import { ms, useData, useIsLive, useNow, useView } from '../state/data.ts';
import { hrefOf, useSelected } from '../state/store.ts';
import { useTail } from '../state/tails.ts';
import { LogEntries } from '../task/log.tsx';
import { Pending } from '../task/texts.tsx';

export function NowPage(): JSX.Element {
  const view = useView();
  const [chosen, setChosen] = useState<string>();
  if (view === undefined) return <Empty>Loading…</Empty>;
  const busy = view.slots.flatMap((slot) => ('task' in slot ? [slot.task] : []));
  const tailed = chosen !== undefined && busy.includes(chosen) ? chosen : busy[0];
  return (
    <div class="now">
      <div class="column">
        {view.tasks.length === 0 ? <FirstSteps /> : null}
        <Needs view={view} />
        <Pauses view={view} />
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

function FirstSteps(): JSX.Element {
  return (
    <Panel title="This project has no tasks yet">
      <ol class="row first-steps">
        <li>
          <Sentence text="Add tasks: with the button above, or from a file with `ym import FILE`." />
        </li>
        <li>Start a run. Agents then work on the tasks side by side.</li>
        <li>What needs you appears here.</li>
      </ol>
    </Panel>
  );
}

const needsShown = 8;

function Needs({ view }: { readonly view: ViewAnswer }): JSX.Element {
  const troubles = runTroubles(view);
  const needs = taskNeeds(view);
  const count = troubles.length + needs.length;
  const shown = needs.slice(0, needsShown);
  return (
    <Panel
      title="Needs you"
      kind={count === 0 ? '' : 'urgent'}
      note={count === 0 ? undefined : String(count)}
      actions={count === 0 ? undefined : <a href={hrefOf({ page: 'inbox' })}>Inbox</a>}
    >
      {count === 0 ? <Empty>Nothing waits for you.</Empty> : null}
      <ul class="rows">
        {troubles.map((trouble) => (
          <TroubleRow key={trouble.name} trouble={trouble} />
        ))}
        {shown.map((need) => (
          <NeedRow key={need.task} need={need} />
        ))}
      </ul>
      {needs.length > shown.length ? (
        <p class="more">
          <a href={hrefOf({ page: 'inbox' })}>{needs.length - shown.length} more</a>
        </p>
      ) : null}
    </Panel>
  );
}

/** Accounts that go on by themselves after a while. */
function Pauses({ view }: { readonly view: ViewAnswer }): JSX.Element | null {
  const pauses = view.paused.filter(({ until }) => until !== undefined);
  if (pauses.length === 0) return null;
  return (
    <Panel title="Paused" note={String(pauses.length)}>
      <ul class="rows">
        {pauses.map((pause) => (
          <li key={pause.account} class="row">
            <p>
              <Sentence text={pause.what} />
            </p>
            <p class="muted">
              <Sentence text={pause.do} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
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
      <Candidates candidates={view.candidates} isBrief />
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
  const isLive = useIsLive();
  const next = all[(all.indexOf(task ?? '') + 1) % Math.max(1, all.length)];
  const showNext = (): void => {
    if (next !== undefined) choose(next);
  };
  useKeys([{ key: 't', text: 'Output of the next slot', run: showNext }]);
  if (task === undefined) {
    return (
      <OutputPanel task={task} version={undefined}>
        <Empty>{isLive ? 'No agent is working.' : 'No agent was working.'}</Empty>
      </OutputPanel>
    );
  }
  return isLive ? <LiveOutput task={task} /> : <PastOutput task={task} />;
}

function LiveOutput({ task }: { readonly task: string }): JSX.Element {
  const tail = useTail(task);
  const part = tail?.parts.at(-1);
  return (
    <OutputPanel task={task} part={part?.name} version={tail}>
      {part === undefined ? <Empty>No output yet.</Empty> : <Entries entries={part.entries} />}
    </OutputPanel>
  );
}

/** Output of the newest turn that was known at the moment of the past. */
function PastOutput({ task }: { readonly task: string }): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/log', { task, follows: 'no' });
  return (
    <OutputPanel task={task} part={value && `turn ${value.turn}`} version={value}>
      {value === undefined ? <Pending error={error} /> : <LogEntries log={value} />}
    </OutputPanel>
  );
}

interface OutputProps {
  readonly task: string | undefined;
  /** Name of the turn or review. */
  readonly part?: string | undefined;
  /** Changes whenever there is more to see. */
  readonly version: unknown;
  readonly children: ComponentChildren;
}

function OutputPanel({ task, part, version, children }: OutputProps): JSX.Element {
  return (
    <Panel
      title="Output"
      note={task === undefined ? undefined : <TaskLink id={task} tab="log" />}
      actions={part === undefined ? undefined : <span class="muted">{part}</span>}
      kind="tail"
    >
      <Follow label={`Output of ${task ?? 'no task'}`} version={version}>
        {children}
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
