import type { JSX } from 'preact';
import { capitalized } from '../../report/format/layout.ts';
import type { Reads } from '../../web/contract.ts';
import type { TabProps } from '../pages/task.tsx';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { Raw } from '../parts/text.tsx';
import { useData } from '../state/data.ts';

type TextRoute = '/api/tasks/:id/gate' | '/api/tasks/:id/prompt';

interface FilesProps extends TabProps {
  readonly route: TextRoute;
  readonly name: string;
  readonly none: string;
}

function Files({ answer, attempt, route, name, none }: FilesProps): JSX.Element {
  const { value, error } = useData<TextRoute>(route, { task: answer.id, query: { attempt } });
  const files: Reads[TextRoute]['response']['files'] = value?.files ?? [];
  if (value === undefined) return <Pending error={error} />;
  const shown = files.filter(({ text }) => text !== '');
  return (
    <Scrolls label={name}>
      {shown.length === 0 ? (
        <Empty>{files.length === 0 ? none : 'It printed nothing.'}</Empty>
      ) : null}
      {shown.map(({ name: file, text, cut }) => (
        <Panel key={file} title={file} note={cut ? 'the end of it' : undefined}>
          <pre class="file-text">
            <Raw text={text} />
          </pre>
        </Panel>
      ))}
    </Scrolls>
  );
}

export function GateTab(props: TabProps): JSX.Element {
  return (
    <Files {...props} name="Gate" route="/api/tasks/:id/gate" none="No gate has run on its work." />
  );
}

export function PromptTab(props: TabProps): JSX.Element {
  return (
    <Files {...props} name="Prompt" route="/api/tasks/:id/prompt" none="No agent was asked yet." />
  );
}

export function ReviewsTab({ answer, attempt }: TabProps): JSX.Element {
  const { value, error } = useData('/api/tasks/:id/reviews', {
    task: answer.id,
    query: { attempt },
  });
  if (value === undefined) return <Pending error={error} />;
  return (
    <Scrolls label="Reviews">
      {value.rounds.length === 0 ? <Empty>Its work was not reviewed.</Empty> : null}
      {value.rounds.map((round) => (
        <Panel
          key={`${round.kind} ${round.round} ${round.agent}`}
          title={`${capitalized(round.kind)} ${round.round}`}
          note={`${round.agent}: ${round.answer}`}
        >
          {round.findings.length === 0 ? <Empty>No findings.</Empty> : null}
          <ul class="rows">
            {round.findings.map((finding) => (
              <li key={finding} class="row">
                <Raw text={finding} />
              </li>
            ))}
          </ul>
        </Panel>
      ))}
    </Scrolls>
  );
}

interface PendingProps {
  readonly error: Parameters<typeof Failure>[0]['failure'] | undefined;
}

/** Content of a tab before its data has come, or instead of it. */
export function Pending({ error }: PendingProps): JSX.Element {
  return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
}
