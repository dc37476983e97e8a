import type { JSX } from 'preact';
import { counted } from '../../report/format/amount.ts';
import type { FailuresAnswer } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Raw, Sentence } from '../parts/text.tsx';
import { useData } from '../state/data.ts';

type Frequent = FailuresAnswer['failures'][number];

const kindsShown = 20;

/** What fails most often, over all runs: what `ym failures top` prints. */
export function FrequentFailures(): JSX.Element {
  const { value, error } = useData('/api/failures');
  const { attempts = 0, failures = [] } = value ?? {};
  return (
    <Panel
      title="Frequent failures"
      note={value === undefined ? undefined : `in the newest ${counted(attempts, 'attempt')}`}
      actions={<code>ym failures top</code>}
    >
      {error === undefined ? null : <Failure failure={error} />}
      {value !== undefined && failures.length === 0 ? <Empty>No failures.</Empty> : null}
      <ol class="rows">
        {failures.slice(0, kindsShown).map((one) => (
          <FailureRow key={one.kind} failure={one} />
        ))}
      </ol>
    </Panel>
  );
}

function FailureRow({ failure }: { readonly failure: Frequent }): JSX.Element {
  const { kind, times, runs, agents, types, example } = failure;
  return (
    <li class="row reason">
      <b class="num">{times}</b>
      <div>
        <p>
          <b>{kind.replaceAll('-', ' ')}</b>{' '}
          <span class="muted">
            in {counted(runs, 'run')}; <Shares shares={agents} />; <Shares shares={types} />
          </span>
        </p>
        <p>
          <TaskLink id={example.task} row />: <Sentence text={example.what} />
        </p>
        <p class="muted">
          <Sentence text={example.do} />
        </p>
      </div>
    </li>
  );
}

function Shares({ shares }: { readonly shares: Frequent['agents'] }): JSX.Element {
  const shown = shares.slice(0, 3).map(({ name, times }) => `${name} ${times}`);
  return <Raw text={shown.join(', ')} />;
}
