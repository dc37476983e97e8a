import type { JSX } from 'preact';
import { span } from '../../report/format/time.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { ms, useIsLive, useNow } from '../state/data.ts';
import { act } from '../state/store.ts';
import { Empty, Panel } from './panel.tsx';
import { Glyph, TaskLink } from './task.tsx';
import { Raw } from './text.tsx';

type Slot = ViewAnswer['slots'][number];
type Busy = Exclude<Slot, { phase: 'idle' }>;

interface SlotsProps {
  readonly view: ViewAnswer;
  /** The task whose output is shown. */
  readonly tailed: string | undefined;
  readonly choose: (task: string) => void;
}

export function Slots({ view, tailed, choose }: SlotsProps): JSX.Element {
  const { slots, run } = view;
  const busy = slots.filter(({ phase }) => phase !== 'idle').length;
  const isUp = run.state === 'running' || run.state === 'stopping';
  const isDead = run.state === 'died';
  return (
    <Panel title="Slots" note={slots.length === 0 ? undefined : `${busy} of ${slots.length} busy`}>
      {slots.length === 0 ? <Empty>{isUp ? 'No slots.' : 'No run is under way.'}</Empty> : null}
      <ul class="rows">
        {slots.map((slot) =>
          slot.phase === 'idle' ? (
            <li key={slot.slot} class="row slot idle">
              <span class="num muted">{slot.slot}</span>
              <span class="muted idle-text">
                {statusTexts[slot.status] || 'idle'}
                <OnWorker slot={slot} />
              </span>
              <PauseButton slot={slot} />
            </li>
          ) : (
            <BusyRow
              key={slot.slot}
              slot={slot as Busy}
              isDead={isDead}
              isTailed={(slot as Busy).task === tailed}
              choose={choose}
            />
          ),
        )}
      </ul>
    </Panel>
  );
}

interface BusyProps {
  readonly slot: Busy;
  /** The process of the run is gone. */
  readonly isDead: boolean;
  readonly isTailed: boolean;
  readonly choose: (task: string) => void;
}

function BusyRow({ slot, isDead, isTailed, choose }: BusyProps): JSX.Element {
  const now = useNow();
  const { task, agent, model, turn, phase, since, lastAction, waitsForGate } = slot;
  return (
    <li class={`row slot ${isTailed ? 'chosen' : ''}`}>
      <span class="num muted">{slot.slot}</span>
      <Glyph state={glyphState(phase)} leftBehind={isDead} />
      <div class="slot-text">
        <div class="slot-line">
          <TaskLink id={task} row />
          <span class="muted">
            <Raw text={model === undefined ? agent : `${agent} ${model}`} />
            <OnWorker slot={slot} />
          </span>
          <span class="muted">{isDead ? 'stopped' : phaseText(phase, waitsForGate)}</span>
          {slot.status === 'open' ? null : (
            <span class="paint-yellow">{statusTexts[slot.status]}</span>
          )}
          {turn > 0 ? <span class="muted num">turn {turn}</span> : null}
          <span class="num">{span(Math.max(0, now - ms(since)))}</span>
          {slot.activity === undefined ? null : <Activity amounts={slot.activity} />}
          {slot.changes === undefined ? null : (
            <span class="num">
              <span class="paint-green">+{slot.changes.added}</span>{' '}
              <span class="paint-red">−{slot.changes.removed}</span>
            </span>
          )}
        </div>
        <p class="last-action mono">
          {lastAction === undefined ? (
            <span class="muted">no step yet</span>
          ) : (
            <Raw text={lastAction.text} />
          )}
        </p>
      </div>
      <PauseButton slot={slot} />
      <button
        type="button"
        class="quiet"
        aria-pressed={isTailed}
        aria-label={`Show the output of ${task}`}
        onClick={() => choose(task)}
      >
        Output
      </button>
    </li>
  );
}

/** The worker of a slot; nothing for one of the run's own process. */
function OnWorker({ slot: { worker } }: { readonly slot: Slot }): JSX.Element | null {
  if (worker === undefined) return null;
  return (
    <>
      {' on '}
      <Raw text={worker} />
    </>
  );
}

const statusTexts = {
  open: '',
  paused: 'paused: nothing new starts here',
  failed: 'closed after too many errors',
  removed: 'removed after this turn',
} as const satisfies Record<Slot['status'], string>;

/** Keeps new work out of a slot, or lets it in again. */
function PauseButton({ slot: { slot, status } }: { readonly slot: Slot }): JSX.Element | null {
  if (!useIsLive() || (status !== 'open' && status !== 'paused')) return null;
  const kind = status === 'open' ? 'pause-slot' : 'resume-slot';
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`${status === 'open' ? 'Pause' : 'Resume'} slot ${slot}`}
      onClick={() => void act({ kind, slot })}
    >
      {status === 'open' ? 'Pause' : 'Resume'}
    </button>
  );
}

function phaseText(phase: Busy['phase'], waitsForGate: boolean): string {
  if (waitsForGate) return 'waits for a gate';
  return phase === 'between-turns' ? 'between turns' : phase;
}

/** The state of a task whose glyph stands for a phase of its attempt. */
function glyphState(phase: string): string {
  if (phase === 'gating' || phase === 'reviewing' || phase === 'queued') return phase;
  return phase === 'unreviewed' || phase === 'landing' ? phase : 'working';
}

const bars = '▁▂▃▄▅▆▇█';

/** Amount of output of the last minutes, oldest first. */
function Activity({ amounts }: { readonly amounts: readonly number[] }): JSX.Element {
  const most = Math.max(1, ...amounts);
  const text = amounts
    .map((one) => (one === 0 ? '▁' : bars[Math.ceil((one / most) * (bars.length - 1))]))
    .join('');
  return (
    <span class="activity" aria-hidden="true" title="Output of the last minutes">
      {text}
    </span>
  );
}
