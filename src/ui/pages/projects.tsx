import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { dollars } from '../../report/format/amount.ts';
import type { ProjectRow } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty } from '../parts/panel.tsx';
import { Counts } from '../parts/task.tsx';
import { Raw } from '../parts/text.tsx';
import { projectName } from '../project-name.ts';
import { needsIn } from '../run-trouble.ts';
import { readProjects } from '../state/connection.ts';
import { useIsLive } from '../state/data.ts';
import { hrefOf, useSelected } from '../state/store.ts';

const againMs = 3_000;

/** All projects, those that need the reader first. */
export function ProjectsPage(): JSX.Element {
  const answer = useSelected((state) => state.projects);
  const isLive = useIsLive();
  useEffect(() => {
    void readProjects();
    const timer = setInterval(() => void readProjects(), againMs);
    return () => clearInterval(timer);
  }, []);
  if (answer === undefined) return <Empty>Loading…</Empty>;
  const needs = (row: ProjectRow): number => (row.state === 'read' ? needsIn(row) : 0);
  return (
    <div class="projects">
      <h1 class="page-title">Projects</h1>
      {isLive ? null : <p class="muted">This page shows the present: it has no history.</p>}
      <ul class="cards">
        {answer.projects
          .toSorted((a, b) => needs(b) - needs(a))
          .map((row) => (
            <li key={row.id} class="panel card">
              <h2>
                <a data-row="" href={hrefOf({ page: 'now', project: row.id, at: undefined })}>
                  <Raw text={projectName(row, answer.projects)} />
                </a>
                {needs(row) > 0 ? <span class="pill">{needs(row)} need you</span> : null}
              </h2>
              <p class="muted mono">
                <Raw text={row.root} />
              </p>
              {row.state === 'missing' ? <Failure failure={row.error} /> : <Facts row={row} />}
            </li>
          ))}
      </ul>
    </div>
  );
}

function Facts({ row }: { readonly row: Extract<ProjectRow, { state: 'read' }> }): JSX.Element {
  const { run, counts, stopped, preparing, spend } = row;
  return (
    <p>
      {run.state === 'none' ? 'No run yet. ' : `Run ${run.id} ${run.state}. `}
      <Counts counts={counts} stopped={stopped} preparing={preparing} />
      {spend.costUsd === undefined ? '' : ` ${dollars(spend.costUsd)}`}
    </p>
  );
}
