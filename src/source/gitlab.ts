import { z } from 'zod';
import { defined } from '../model/defined.ts';
import type { Blocker, Issue, IssueState, Relations } from './issues.ts';
import type { Answers, Home, IssueQuery, Tracker } from './tracker.ts';

/** Issues as the REST API has them; `glab issue list --output=json` prints these. An empty list may be null. */
const listed = z
  .array(
    z.object({
      iid: z.int().positive(),
      title: z.string(),
      description: z.string().nullish(),
      labels: z.array(z.string()).nullish(),
      milestone: z.object({ title: z.string() }).nullish(),
      epic: z.object({ title: z.string() }).nullish(),
      state: z.string(),
      web_url: z.url(),
    }),
  )
  .nullable();

const related = z.object({ iid: z.string(), state: z.string(), webUrl: z.string() });

const answered = z.object({
  data: z.object({
    project: z.object({
      issues: z.object({
        nodes: z.array(
          z.object({
            iid: z.string(),
            state: z.string(),
            blockedByIssues: z.object({ nodes: z.array(related.nullable()) }).nullish(),
          }),
        ),
      }),
    }),
  }),
});

const PAGE = 100;

const stateFlags = { open: [], closed: ['--closed'], all: ['--all'] } as const;

/** Issues of GitLab through the user's `glab`. */
export const gitlab: Tracker = {
  site: 'GitLab',
  program: 'glab',
  prefix: 'gl',
  install: 'https://gitlab.com/gitlab-org/cli',
  signIn: 'glab auth login',
  pageSize: PAGE,
  listArgs: ({ repository, labels, milestone, assignee, state }: IssueQuery, page) => [
    'issue',
    'list',
    '--output=json',
    `--per-page=${PAGE}`,
    `--page=${page}`,
    ...stateFlags[state],
    ...Object.entries(defined({ repo: repository, milestone, assignee })).map(
      ([name, value]) => `--${name}=${value}`,
    ),
    ...labels.map((label) => `--label=${label}`),
  ],
  issuesIn(answer) {
    const read = listed.safeParse(answer);
    if (!read.success) return undefined;
    return (read.data ?? []).map(
      ({ iid, title, description, labels, milestone, epic, state, web_url }): Issue => ({
        number: iid,
        title,
        body: description ?? '',
        labels: [...(labels ?? []), ...(epic == null ? [] : [`epic:${epic.title}`])],
        milestone: milestone?.title,
        state: stateOf(state),
        url: web_url,
      }),
    );
  },
  homeOf(url) {
    const found = /^https?:\/\/([^/]+)\/(.+?)(?:\/-)?\/(?:issues|work_items)\/\d+$/.exec(url);
    const [, host, path] = found ?? [];
    return host === undefined || path === undefined ? undefined : { host, path };
  },
  askArgs: ({ host, path }: Home, numbers, withRelations) => {
    const more = withRelations ? ' blockedByIssues{nodes{iid state webUrl}}' : '';
    const iids = numbers.map((number) => `"${number}"`).join(',');
    const query = `query{project(fullPath:${JSON.stringify(path)}){issues(iids:[${iids}]){nodes{iid state${more}}}}}`;
    return ['api', 'graphql', `--hostname=${host}`, `--raw-field=query=${query}`];
  },
  answersIn(answer, home): Answers | undefined {
    const read = answered.safeParse(answer);
    if (!read.success) return undefined;
    const relations = new Map<number, Relations>();
    const states = new Map<number, IssueState>();
    for (const { iid, state, blockedByIssues } of read.data.data.project.issues.nodes) {
      states.set(Number(iid), stateOf(state));
      const blockers = (blockedByIssues?.nodes ?? []).flatMap((node) =>
        node === null ? [] : [blockerOf(node, home)],
      );
      relations.set(Number(iid), { parent: undefined, blockers });
    }
    return { relations, states };
  },
};

const stateOf = (state: string): IssueState => (state === 'closed' ? 'closed' : 'open');

function blockerOf({ iid, state, webUrl }: z.infer<typeof related>, { path }: Home): Blocker {
  const other = gitlab.homeOf(webUrl)?.path ?? path;
  const isHere = other.toLowerCase() === path.toLowerCase();
  return {
    name: isHere ? `#${iid}` : `${other}#${iid}`,
    number: isHere ? Number(iid) : undefined,
    state: stateOf(state),
  };
}
