import type { JSX } from 'preact';
import { span } from '../../report/format/time.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { ms, useNow } from '../state/data.ts';
import { Failure } from './failure.tsx';
import { Bar } from './panel.tsx';
import { Glyph, TaskLink } from './task.tsx';
import { Raw } from './text.tsx';

type Candidate = ViewAnswer['candidates'][number];

interface CandidatesProps {
  readonly candidates: readonly Candidate[];
  /** True if the reason why one cannot land is shown elsewhere. */
  readonly isBrief?: boolean;
}

/** Candidates of the merge queue in landing order, each with its branches and gates. */
export function Candidates({ candidates, isBrief = false }: CandidatesProps): JSX.Element {
  return (
    <ol class="rows">
      {candidates.map((candidate) => (
        <CandidateRow key={candidate.id} candidate={candidate} isBrief={isBrief} />
      ))}
    </ol>
  );
}

interface RowProps {
  readonly candidate: Candidate;
  readonly isBrief: boolean;
}

function CandidateRow({ candidate, isBrief }: RowProps): JSX.Element {
  const { id, on, entries, known, suspects, gates, waits, urgent, failure, state } = candidate;
  return (
    <li class="row candidate">
      <Glyph state={state === 'judging' ? 'gating' : 'landing'} />
      <div class="candidate-text">
        <div class="slot-line">
          <b class="mono">
            <Raw text={id} />
          </b>
          <span class="muted">
            on {on === undefined ? 'the target' : <Raw text={on} />}
            {urgent ? ', urgent' : ''}
          </span>
          <span class="muted">
            <Raw text={waits} />
          </span>
        </div>
        <ul class="branches">
          {entries.map(({ task }, at) => (
            <li
              key={task}
              class={at < known ? 'passed' : suspects.includes(task) ? 'suspect' : ''}
              title={
                at < known
                  ? 'passed'
                  : suspects.includes(task)
                    ? 'may be to blame'
                    : 'not judged yet'
              }
            >
              <TaskLink id={task} />
            </li>
          ))}
        </ul>
        {gates.map((gate) => (
          <GateLine key={gate.slot} gate={gate} whole={entries.length} />
        ))}
        {failure === undefined || isBrief ? null : <Failure failure={failure} />}
      </div>
    </li>
  );
}

interface GateProps {
  readonly gate: ViewAnswer['gates'][number];
  readonly whole: number;
}

/** A running gate: its time next to the usual one. */
function GateLine({ gate, whole }: GateProps): JSX.Element {
  const now = useNow();
  const time = Math.max(0, now - ms(gate.since));
  const { usualMs } = gate;
  return (
    <p class="gate-line">
      <span>
        gate {gate.slot + 1}
        {gate.count === whole ? '' : ` on the first ${gate.count}`}
      </span>
      {usualMs === undefined ? null : (
        <Bar share={time / usualMs} label={`Gate ${gate.slot + 1}`} paint="cyan" />
      )}
      <span class="num">
        {span(time)}
        {usualMs === undefined ? '' : ` of about ${span(usualMs)}`}
      </span>
    </p>
  );
}
