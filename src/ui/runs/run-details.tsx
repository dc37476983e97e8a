import type { JSX } from 'preact';
import { outcomeGlyphs } from '../../report/format/glyph.ts';
import { span } from '../../report/format/time.ts';
import { summaryFigures } from '../../report/summary/figures.ts';
import type { Reads } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Figure, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { TaskLink, TaskLinks } from '../parts/task.tsx';
import { Sentence } from '../parts/text.tsx';
import { useData } from '../state/data.ts';
import { urlOf } from '../state/request.ts';
import { useSelected } from '../state/store.ts';

type Summary = Reads['/api/summary']['response'];

/** The summary of a run, with the way to its report. */
export function RunDetails({ run }: { readonly run: string }): JSX.Element {
  const { value, error } = useData('/api/summary', { query: { run } });
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const reasons = reasonsIn(value);
  return (
    <Panel title={`Run ${run}`} actions={<ReportLink run={run} />}>
      <dl class="figures">
        {summaryFigures(value).map(({ name, value: figure }) => (
          <Figure key={name} name={name} value={figure} />
        ))}
      </dl>
      <ul class="rows reasons">
        {reasons.map(([why, ids]) => (
          <li key={why} class="row reason">
            <b class="num">{ids.length}</b>
            <div>
              <p>
                <Sentence text={why} />
              </p>
              <p class="muted">
                <TaskLinks ids={ids} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      <Attempts summary={value} />
    </Panel>
  );
}

/** Why tasks did not land, most frequent first. */
function reasonsIn({ notLanded }: Summary): readonly (readonly [string, readonly string[]])[] {
  const reasons = new Map<string, string[]>();
  for (const task of notLanded) {
    const why = 'failure' in task ? task.failure?.what : undefined;
    if (why !== undefined) reasons.set(why, [...(reasons.get(why) ?? []), task.id]);
  }
  return [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
}

function ReportLink({ run }: { readonly run: string }): JSX.Element {
  const project = useSelected(({ route }) => route.project);
  const offset = new Date().getTimezoneOffset();
  return (
    <a
      class="button"
      target="_blank"
      rel="noreferrer"
      href={urlOf('/api/report', undefined, { project, run, offset })}
      title={`What \`ym report ${run}\` writes`}
    >
      Report
    </a>
  );
}

const attemptsShown = 100;

function Attempts({ summary: { attempts } }: { readonly summary: Summary }): JSX.Element {
  if (attempts.length === 0) return <Empty>No agent has started in it yet.</Empty>;
  const shown = attempts.slice(-attemptsShown).toReversed();
  return (
    <>
      <Scrolls label="Attempts, as a table" kind="table-box tall">
        <table class="table">
          <thead>
            <tr>
              <th>Attempt, newest first</th>
              <th>Outcome</th>
              <th class="right">Slot</th>
              <th class="right">Turns</th>
              <th class="right">Time</th>
              <th>Commit</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ task, attempt, outcome, slot, turns, ms, commit }) => (
              <tr key={`${task} ${attempt}`}>
                <th scope="row">
                  <TaskLink id={task} row /> <span class="muted num">{attempt}</span>
                </th>
                <td>
                  {outcomeGlyphs[outcome]} {outcome.replace('-', ' ')}
                </td>
                <td class="right">{slot === 0 ? '–' : slot}</td>
                <td class="right">{turns}</td>
                <td class="right">{span(ms)}</td>
                <td class="mono">{commit?.slice(0, 7) ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
      {attempts.length > shown.length ? (
        <p class="more muted">{attempts.length - shown.length} earlier ones are in the report.</p>
      ) : null}
    </>
  );
}
