/** Page, its subject, and the moment that are shown. They are the fragment of the URL, so a reload keeps them. */
export interface Route {
  readonly page: Page;
  readonly task?: string;
  readonly tab?: TaskTab;
  readonly run?: string;
  /** Project; the first one if absent. */
  readonly project?: string;
  /** Number of the event whose moment is shown; the present if absent. */
  readonly at?: number;
}

export const pages = [
  'now',
  'inbox',
  'tasks',
  'graph',
  'queue',
  'timeline',
  'spend',
  'runs',
  'projects',
  'task',
] as const;
export type Page = (typeof pages)[number];

const taskTabs = ['story', 'diff', 'log', 'gate', 'prompt', 'reviews', 'cost', 'variants'] as const;
export type TaskTab = (typeof taskTabs)[number];

const firstPage: Route = { page: 'now' };

/** Total: a fragment that means nothing is the first page. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [name, subject = '', part = ''] = path.split('/').map(decoded);
  const params = new URLSearchParams(query);
  const at = Number(params.get('at') ?? Number.NaN);
  const project = params.get('project');
  const rest = {
    ...(project === null ? {} : { project }),
    ...(Number.isInteger(at) && at >= 0 ? { at } : {}),
  };
  const page = pages.find((one) => one === name) ?? firstPage.page;
  if (page === 'runs') {
    return subject === '' ? { page, ...rest } : { page, run: subject, ...rest };
  }
  if (page !== 'task') return { page, ...rest };
  if (subject === '') return { ...firstPage, ...rest };
  const tab = taskTabs.find((one) => one === part) ?? 'story';
  return { page, task: subject, tab, ...rest };
}

export function routeText({ page, task, tab, run, project, at }: Route): string {
  const parts = task === undefined ? [run] : [task, tab ?? 'story'];
  const path = [
    page,
    ...parts.flatMap((part) => (part === undefined ? [] : encodeURIComponent(part))),
  ];
  const params = new URLSearchParams();
  if (project !== undefined) params.set('project', project);
  if (at !== undefined) params.set('at', String(at));
  const query = params.toString();
  return `#/${path.join('/')}${query === '' ? '' : `?${query}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
