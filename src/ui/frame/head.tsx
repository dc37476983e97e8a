import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dollars, shortAmount } from '../../report/format/amount.ts';
import { span } from '../../report/format/time.ts';
import { runClock } from '../../report/view/run-clock.ts';
import { stopText } from '../../report/view/stop-text.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { Counts } from '../parts/task.tsx';
import { AddTask } from '../parts/task-form.tsx';
import { Raw } from '../parts/text.tsx';
import { projectName } from '../project-name.ts';
import { needsIn } from '../run-trouble.ts';
import { ms, useIsLive, useNow, useView } from '../state/data.ts';
import { act, elsewhere, go, useSelected } from '../state/store.ts';
import { StartRun } from './start-run.tsx';

export function Head({ showHelp }: { readonly showHelp: () => void }): JSX.Element {
  const view = useView();
  return (
    <header class="head">
      <Brand />
      {view === undefined ? <span class="muted">Loading…</span> : <RunFacts view={view} />}
      <div class="right">
        {view === undefined ? null : <RunButtons run={view.run} ready={view.counts.ready ?? 0} />}
        <AddButton />
        <button type="button" class="quiet keys-button" aria-label="Keys" onClick={showHelp}>
          ?
        </button>
      </div>
    </header>
  );
}

function Brand(): JSX.Element {
  const projects = useSelected((state) => state.projects?.projects) ?? [];
  const chosen = useSelected(({ route }) => route.project) ?? projects[0]?.id;
  const [only] = projects;
  return (
    <h1 class="brand">
      <img src="icon.svg" alt="" />
      {projects.length > 1 ? (
        <select
          aria-label="Project"
          value={chosen}
          onChange={(event) => go(elsewhere(event.currentTarget.value))}
        >
          {projects.map((one) => (
            <option key={one.id} value={one.id}>
              <Raw text={projectName(one, projects)} />
              {one.state === 'read' && needsIn(one) > 0 ? ` (${needsIn(one)})` : ''}
            </option>
          ))}
        </select>
      ) : (
        <span class="name">
          <Raw text={only?.name ?? 'Yardmaster'} />
        </span>
      )}
    </h1>
  );
}

function RunFacts({ view }: { readonly view: ViewAnswer }): JSX.Element {
  const now = useNow();
  const { run, counts, stopped, preparing, spend } = view;
  return (
    <div class="facts">
      {run.state === 'none' ? (
        <span>No run yet</span>
      ) : (
        <>
          <span>
            →{' '}
            <b>
              <Raw text={run.target.branch} />
            </b>
          </span>
          <span class="run-fact">
            run <b class="mono">{run.id}</b> {run.state === 'ended' ? null : run.state}
          </span>
          {run.state === 'ended' ? (
            <span>{stopText(run.stop as Parameters<typeof stopText>[0])}</span>
          ) : (
            <>
              <span class="num">{span(elapsedMs(run, now))}</span>
              <Forecast forecast={run.forecast} now={now} />
            </>
          )}
        </>
      )}
      <Counts counts={counts} stopped={stopped} preparing={preparing} />
      <SpendFact spend={spend} />
    </div>
  );
}

type Clock = Extract<ViewAnswer['run'], { readonly startedAt: string }>;

function elapsedMs(run: Clock, now: number): number {
  const { startedAt, stoppedMs } = run;
  const diedAt = 'diedAt' in run ? run.diedAt : undefined;
  const clock = { startedAt: ms(startedAt), stoppedMs };
  return runClock(diedAt === undefined ? clock : { ...clock, diedAt: ms(diedAt) }, now);
}

interface ForecastProps {
  readonly forecast: { readonly endAt: string; readonly soonestAt: string } | undefined;
  readonly now: number;
}

/** Expected time left, and the least possible one. */
function Forecast({ forecast, now }: ForecastProps): JSX.Element | null {
  if (forecast === undefined) return null;
  const rest = (at: string): string => span(Math.max(1_000, ms(at) - now));
  return (
    <span class="num" title="Expected time left, and the least that any order of the work takes">
      ends in <b>{rest(forecast.endAt)}</b> (at least {rest(forecast.soonestAt)})
    </span>
  );
}

function SpendFact({ spend }: { readonly spend: ViewAnswer['spend'] }): JSX.Element | null {
  const { tokens, costUsd, left } = spend;
  const budget = left?.costUsd === undefined ? '' : ` of ${dollars(left.costUsd + (costUsd ?? 0))}`;
  if (tokens === undefined && costUsd === undefined) return null;
  return (
    <span class="num">
      {costUsd === undefined ? null : <b>{dollars(costUsd)}</b>}
      {budget} {tokens === undefined ? '' : `${shortAmount(tokens)} tokens`}
    </span>
  );
}

interface RunButtonsProps {
  readonly run: ViewAnswer['run'];
  readonly ready: number;
}

function RunButtons({ run, ready }: RunButtonsProps): JSX.Element | null {
  const [asks, setAsks] = useState(false);
  if (!useIsLive()) return null;
  const isUp = run.state === 'running' || run.state === 'stopping';
  if (!isUp) {
    const isCutShort = run.state === 'ended' && run.stop.reason !== 'drained';
    const canResume = run.state === 'died' || isCutShort;
    return (
      <>
        {canResume ? (
          <button type="button" onClick={() => void act({ kind: 'resume' })}>
            Resume
          </button>
        ) : null}
        <button type="button" class="primary" onClick={() => setAsks(true)}>
          Start a run
        </button>
        {asks ? <StartRun ready={ready} close={() => setAsks(false)} /> : null}
      </>
    );
  }
  const how = run.state === 'stopping' ? 'now' : 'finish';
  const setSlots = (slots: number): void => void act({ kind: 'slots', slots });
  return (
    <>
      <fieldset class="slots-control" aria-label="Slots">
        <button
          type="button"
          aria-label="Remove a slot"
          disabled={run.jobs < 2}
          onClick={() => setSlots(run.jobs - 1)}
        >
          −
        </button>
        <span class="num">{run.jobs} slots</span>
        <button type="button" aria-label="Add a slot" onClick={() => setSlots(run.jobs + 1)}>
          +
        </button>
      </fieldset>
      <button type="button" onClick={() => void act({ kind: 'stop', how })}>
        {how === 'now' ? 'Stop now' : 'Stop'}
      </button>
    </>
  );
}

function AddButton(): JSX.Element | null {
  const [open, setOpen] = useState(false);
  if (!useIsLive()) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add task
      </button>
      {open ? <AddTask close={() => setOpen(false)} /> : null}
    </>
  );
}
