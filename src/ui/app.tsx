import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Foot } from './frame/foot.tsx';
import { Head } from './frame/head.tsx';
import { Help } from './frame/help.tsx';
import { Banner, Nav, Toast } from './frame/nav.tsx';
import { useKeys } from './keys.ts';
import { GraphPage } from './pages/graph.tsx';
import { InboxPage } from './pages/inbox.tsx';
import { NowPage } from './pages/now.tsx';
import { ProjectsPage } from './pages/projects.tsx';
import { QueuePage } from './pages/queue.tsx';
import { RunsPage } from './pages/runs.tsx';
import { SpendPage } from './pages/spend.tsx';
import { TaskPage } from './pages/task.tsx';
import { TasksPage } from './pages/tasks.tsx';
import { TimelinePage } from './pages/timeline.tsx';
import { projectName } from './project-name.ts';
import type { Page } from './route.ts';
import { useNeeds } from './state/data.ts';
import { go, useSelected } from './state/store.ts';

const components: Readonly<Record<Page, () => JSX.Element>> = {
  now: NowPage,
  inbox: InboxPage,
  tasks: TasksPage,
  graph: GraphPage,
  queue: QueuePage,
  timeline: TimelinePage,
  spend: SpendPage,
  runs: RunsPage,
  projects: ProjectsPage,
  task: TaskPage,
};

/** Pages that fill the window and scroll inside. */
const fullPages: ReadonlySet<Page> = new Set(['graph', 'tasks', 'task']);

export function App(): JSX.Element {
  const page = useSelected(({ route }) => route.page);
  const at = useSelected(({ route }) => route.at);
  const [help, setHelp] = useState(false);
  useTitle();
  useKeys([
    { key: '?', text: 'Show the keys', run: () => setHelp(true) },
    { key: '/', text: 'Filter', run: focusFilter },
    ...(at === undefined
      ? []
      : [{ key: 'Escape', text: 'Back to the present', run: () => go({ at: undefined }) }]),
  ]);
  const Shown = components[page];
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <Head showHelp={() => setHelp(true)} />
      <Nav />
      <main id="main" class={`main ${fullPages.has(page) ? 'full' : ''}`} tabIndex={-1}>
        <Banner />
        <Shown key={page} />
      </main>
      <Foot />
      <Toast />
      {help ? <Help close={() => setHelp(false)} /> : null}
    </div>
  );
}

function focusFilter(): void {
  document.querySelector<HTMLInputElement>('[data-filter]')?.focus();
}

function focusMain(): void {
  document.querySelector<HTMLElement>('#main')?.focus();
}

/** The title of the tab says what needs the reader. */
function useTitle(): void {
  const needs = useNeeds();
  const name = useSelected(({ projects, route }) => {
    const rows = projects?.projects ?? [];
    const row = rows.find(({ id }) => id === route.project) ?? rows[0];
    return row === undefined ? undefined : projectName(row, rows);
  });
  useEffect(() => {
    const count = needs === 0 ? '' : `(${needs} need${needs === 1 ? 's' : ''} you) `;
    document.title = `${count}${name ?? 'Yardmaster'}${name === undefined ? '' : ' – Yardmaster'}`;
  }, [needs, name]);
}
