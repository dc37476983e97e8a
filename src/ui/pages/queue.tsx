import type { JSX } from 'preact';
import { span } from '../../report/format/time.ts';
import type { CandidateStory, GateStory, ReturnedRow } from '../../web/contract.ts';
import { Candidates } from '../parts/candidates.tsx';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { TaskLink, TaskLinks } from '../parts/task.tsx';
import { Raw, Time } from '../parts/text.tsx';
import { ms, useData, useNow } from '../state/data.ts';

export function QueuePage(): JSX.Element {
  const { value, error } = useData('/api/queue');
  const now = useNow();
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { candidates, train, history, returned } = value;
  const queued = train.filter(({ state }) => state === 'queued');
  return (
    <div class="queue">
      <h1 class="page-title">Merge queue</h1>
      <Panel title="Candidates" note={String(candidates.length)}>
        {candidates.length === 0 ? <Empty>No candidate is built now.</Empty> : null}
        <Candidates candidates={candidates} />
      </Panel>
      <Panel title="Waiting for a candidate" note={String(queued.length)}>
        {queued.length === 0 ? <Empty>No branch waits.</Empty> : null}
        <ol class="rows">
          {queued.map((entry) => (
            <li key={entry.task} class="row">
              <TaskLink id={entry.task} row />{' '}
              <span class="muted num">{span(Math.max(0, now - ms(entry.since)))}</span>
              {'behind' in entry && entry.behind !== undefined ? (
                <span class="muted"> conflicts with {entry.behind} and waits for it</span>
              ) : null}
            </li>
          ))}
        </ol>
      </Panel>
      <Panel title="Returned to their agents" note={String(returned.length)}>
        {returned.length === 0 ? <Empty>No work was returned.</Empty> : null}
        <ul class="rows">
          {returned.map((row) => (
            <Returned key={`${row.task} ${row.at}`} row={row} />
          ))}
        </ul>
      </Panel>
      <Panel title="History" note={String(history.length)}>
        {history.length === 0 ? <Empty>No candidate was built yet.</Empty> : null}
        <ol class="rows">
          {history.map((story) => (
            <Story key={story.id} story={story} />
          ))}
        </ol>
      </Panel>
    </div>
  );
}

function Returned({ row }: { readonly row: ReturnedRow }): JSX.Element {
  return (
    <li class="row returned">
      <details>
        <summary data-row="">
          <Time at={ms(row.at)} /> <b>{row.task}</b>{' '}
          <span class="muted">attempt {row.attempt}</span> <Raw text={row.why.what} />
        </summary>
        <Failure failure={row.why} />
        <TaskLink id={row.task} />
      </details>
    </li>
  );
}

function Story({ story }: { readonly story: CandidateStory }): JSX.Element {
  const { id, tasks, on, gates, end, builtAt, urgent } = story;
  const isCut = gates.some(({ count }) => count < tasks.length);
  return (
    <li class="row story">
      <div class="slot-line">
        <Time at={ms(builtAt)} />
        <b class="mono">
          <Raw text={id} />
        </b>
        <span class="muted">
          on {on === undefined ? 'the target' : on}
          {urgent ? ', urgent' : ''}
        </span>
        <span>
          <TaskLinks ids={tasks} max={8} />
        </span>
        <EndText end={end} />
      </div>
      {gates.length === 0 ? null : (
        <ol class="cuts" aria-label={isCut ? 'Gates, and the cut that finds the culprit' : 'Gates'}>
          {gates.map((gate, at) => (
            <Cut key={at} gate={gate} whole={tasks.length} />
          ))}
        </ol>
      )}
    </li>
  );
}

function EndText({ end }: { readonly end: CandidateStory['end'] }): JSX.Element {
  switch (end.id) {
    case 'open':
      return <span class="muted">goes on</span>;
    case 'landed':
    case 'delivered':
      return (
        <span class="paint-green">
          ✓ {end.id}
          {end.commit === undefined ? '' : ` ${end.commit.slice(0, 7)}`}
        </span>
      );
    case 'dropped':
      return (
        <span class="paint-yellow">
          dropped: <Raw text={end.why} />
        </span>
      );
  }
}

const marks = {
  running: ['▶', 'cyan'],
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  'not-run': ['–', 'dim'],
  abandoned: ['⊘', 'dim'],
} as const satisfies Record<GateStory['result'], readonly [string, string]>;

/** One gate run: a square for each branch, filled where it was part of the tree that was tested. */
function Cut({ gate, whole }: { readonly gate: GateStory; readonly whole: number }): JSX.Element {
  const [glyph, paint] = marks[gate.result];
  const time = ms(gate.endedAt) - ms(gate.startedAt);
  const part = whole === 1 ? 'the branch' : `all ${whole}`;
  return (
    <li>
      <span class={`paint-${paint}`}>
        {glyph} {gate.result === 'not-run' ? 'not run' : gate.result}
      </span>{' '}
      <span class="cut-squares" aria-hidden="true">
        {Array.from({ length: whole }, (_, at) => (
          <i key={at} class={at < gate.count ? `in ${gate.result}` : ''} />
        ))}
      </span>{' '}
      <span class="muted">
        {gate.count === whole ? part : `the first ${gate.count}`}
        {gate.cached ? ', from cache' : Number.isFinite(time) ? `, ${span(time)}` : ''}
      </span>
      {gate.failures.length === 0 ? null : (
        <ul class="cut-failures mono">
          {gate.failures.slice(0, 3).map((line) => (
            <li key={line}>
              <Raw text={line} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
