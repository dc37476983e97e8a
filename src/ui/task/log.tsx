import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../report/format/amount.ts';
import { runningNote } from '../../report/task/running-note.ts';
import type { LogAnswer } from '../../web/contract.ts';
import type { TabProps } from '../pages/task.tsx';
import { Empty } from '../parts/panel.tsx';
import { Entries, Follow } from '../parts/transcript.tsx';
import { useData } from '../state/data.ts';
import { useTail } from '../state/tails.ts';
import type { TailPart } from '../tail.ts';
import { Pending } from './texts.tsx';

/** Output of one turn; that of a live one follows the agent. */
export function LogTab({ answer, attempt }: TabProps): JSX.Element {
  const turns = answer.attemptHistory.find(({ number }) => number === attempt)?.turns ?? [];
  const last = turns.at(-1)?.turn;
  const [chosen, setChosen] = useState<number>();
  const turn = chosen ?? last;
  if (turn === undefined) return <Empty>No agent has worked on it.</Empty>;
  return (
    <>
      {turns.length < 2 ? null : (
        <div class="toolbar">
          <label>
            Turn{' '}
            <select value={turn} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
              {turns.map((one) => (
                <option key={one.turn} value={one.turn}>
                  {one.turn}: {one.outcome}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <TurnOutput
        key={turn}
        task={answer.id}
        attempt={attempt}
        turn={turn}
        isLast={turn === last && attempt === answer.attemptHistory.at(-1)?.number}
      />
    </>
  );
}

interface OutputProps {
  readonly task: string;
  readonly attempt: number | undefined;
  readonly turn: number;
  readonly isLast: boolean;
}

const pageEntries = 2_000;

function TurnOutput({ task, attempt, turn, isLast }: OutputProps): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/log', {
    task,
    query: { attempt, turn, limit: pageEntries },
    follows: 'no',
  });
  const isLive = isLast && value?.isLive === true;
  const tail = useTail(isLive ? task : undefined);
  const live = tail?.parts.at(-1);
  if (value === undefined) return <Pending error={error} />;
  return (
    <Follow label={`Output of turn ${turn} of ${task}`} version={tail ?? value}>
      <LogEntries log={value} live={live} />
    </Follow>
  );
}

interface EntriesProps {
  readonly log: LogAnswer;
  /** Newer output of the same turn. */
  readonly live?: TailPart | undefined;
}

/** Entries of one turn, with a note about hidden entries and about a turn that was still running. */
export function LogEntries({ log, live }: EntriesProps): JSX.Element {
  // The tail begins with the last entries of the same output.
  const known =
    live === undefined ? log.entries : log.entries.slice(0, Math.max(0, live.from - log.from));
  return (
    <>
      {log.from > 0 ? (
        <p class="muted entry">
          {counted(log.from, 'earlier entry', 'earlier entries')}: `ym log {log.task}`
        </p>
      ) : null}
      {log.total === 0 && live === undefined ? <Empty>It printed nothing.</Empty> : null}
      {log.wasRunning === true ? <p class="muted entry">{runningNote}</p> : null}
      <Entries entries={[...known, ...(live?.entries ?? [])]} />
    </>
  );
}
