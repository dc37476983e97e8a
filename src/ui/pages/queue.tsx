import type { JSX } from 'preact';
import { span } from '../../report/format/time.ts';
import type { QueueAnswer } from '../../web/contract.ts';
import { Candidates } from '../parts/candidates.tsx';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { TaskLink, TaskLinks } from '../parts/task.tsx';
import { Raw, Sentence, Time } from '../parts/text.tsx';
import { ms, useData, useNow } from '../state/data.ts';

type CandidateStory = QueueAnswer['history'][number];
type GateStory = CandidateStory['gates'][number];
type ReturnedRow = QueueAnswer['returned'][number];

export function QueuePage(): JSX.Element {
  const { value, error } = useData('/api/queue');
  const now = useNow();
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { candidates, train, history, returned, green = '' } = value;
  const queued = train.filter(({ state }) => state === 'queued');
  return (
    <div class="queue">
      <h1 class="page-title">Merge queue</h1>
      {green === '' ? null : (
        <p class="muted num" title="Values of the target in this run that the gate had passed on">
          {green}
        </p>
      )}
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
              {entry.failure === undefined ? null : (
                <span class="muted"> {entry.failure.what}</span>
              )}
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
          <span class="muted">attempt {row.attempt}</span> <Sentence text={row.why.what} />
        </summary>
        <Failure failure={row.why} />
        <TaskLink id={row.task} />
      </details>
    </li>
  );
}

function Story({ story }: { readonly story: CandidateStory }): JSX.Element {
  const { id, tasks, on, gates, builtAt, blamed } = story;
  return (
    <li class="row story">
      <div class="slot-line">
        <Time at={ms(builtAt)} />
        <b class="mono">
          <Raw text={id} />
        </b>
        <span class="muted">on {on ?? 'the target'}</span>
        <span>
          <TaskLinks ids={tasks} max={8} />
        </span>
        <EndText story={story} />
      </div>
      {gates.length === 0 ? null : (
        <ol class="cuts" aria-label={`Gates of ${id}`}>
          {gates.map((gate, at) => (
            <Cut key={at} gate={gate} whole={tasks.length} />
          ))}
        </ol>
      )}
      {blamed === undefined ? null : (
        <p class="culprit">
          <span class="paint-red">✗</span> <TaskLink id={blamed.task} /> makes it red
          {blamed.green.length === 0 ? null : (
            <span class="muted">
              , <TaskLinks ids={blamed.green} /> {blamed.green.length === 1 ? 'passes' : 'pass'}{' '}
              without it
            </span>
          )}
        </p>
      )}
    </li>
  );
}

function EndText({ story }: { readonly story: CandidateStory }): JSX.Element {
  const { landed, droppedAt, tasks, blamed } = story;
  if (landed !== undefined) {
    const all = landed.tasks.length === tasks.length;
    return <span class="paint-green">✓ {all ? 'landed' : `${landed.tasks.length} landed`}</span>;
  }
  if (droppedAt !== undefined) {
    return <span class="paint-yellow">dropped: the target moved</span>;
  }
  return <span class="muted">{blamed === undefined ? 'under way' : 'split'}</span>;
}

const marks = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  'not-run': ['–', 'dim'],
  abandoned: ['⊘', 'dim'],
} as const satisfies Record<GateStory['verdict'], readonly [string, string]>;

/** One gate run: a square for each branch, filled where it was part of the tree that was tested. */
function Cut({ gate, whole }: { readonly gate: GateStory; readonly whole: number }): JSX.Element {
  const { verdict, tasks, cached, failing } = gate;
  const [glyph, paint] = marks[verdict];
  const count = tasks.length;
  const part = whole === 1 ? 'the branch' : `all ${whole}`;
  return (
    <li>
      <span class={`paint-${paint}`}>
        {glyph} {verdict === 'not-run' ? 'not run' : verdict}
      </span>{' '}
      <span class="cut-squares" aria-hidden="true">
        {Array.from({ length: whole }, (_, at) => (
          <i key={at} class={at < count ? `in ${verdict}` : ''} />
        ))}
      </span>{' '}
      <span class="muted">
        {count === whole ? part : `the first ${count}`},{' '}
        {cached ? 'from cache' : span(Math.max(0, ms(gate.endedAt) - ms(gate.since)))}
      </span>
      {failing.length === 0 ? null : (
        <ul class="cut-failures mono">
          {failing.slice(0, failuresShown).map((line) => (
            <li key={line}>
              <Raw text={line} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const failuresShown = 3;
