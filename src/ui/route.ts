/** Page, its subject, and the moment that are shown. They are the fragment of the URL, so a reload keeps them. */
export interface Route {
  readonly page: Page;
  /** Id of the task, on the page of a task. */
  readonly task?: string;
  readonly tab?: TaskTab;
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

export const taskTabs = [
  'story',
  'diff',
  'log',
  'gate',
  'prompt',
  'reviews',
  'cost',
  'variants',
] as const;
export type TaskTab = (typeof taskTabs)[number];

export const firstPage: Route = { page: 'now' };

/** Total: a fragment that means nothing is the first page. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [name, task, tab] = path.split('/').map(decoded);
  const params = new URLSearchParams(query);
  const at = Number(params.get('at') ?? Number.NaN);
  const project = params.get('project');
  const rest = {
    ...(project === null ? {} : { project }),
    ...(Number.isInteger(at) && at >= 0 ? { at } : {}),
  };
  const page = pages.find((one) => one === name) ?? firstPage.page;
  if (page !== 'task') return { page, ...rest };
  if (task === undefined || task === '') return { ...firstPage, ...rest };
  return { page, task, tab: taskTabs.find((one) => one === tab) ?? 'story', ...rest };
}

export function routeText({ page, task, tab, project, at }: Route): string {
  const path = [page, ...(task === undefined ? [] : [encodeURIComponent(task), tab ?? 'story'])];
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
