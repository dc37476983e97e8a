import { z } from 'zod';
import { defined } from '../model/defined.ts';
import type { Blocker, Issue, IssueState, Relations } from './issues.ts';
import type { Answers, Home, IssueQuery, Tracker } from './tracker.ts';

/** Fields of `gh issue list --json` that every version of `gh` has. Relations are asked for with GraphQL. */
const FIELDS = 'number,title,body,labels,milestone,state,url';

const listed = z.array(
  z.object({
    number: z.int().positive(),
    title: z.string(),
    body: z.string().nullish(),
    labels: z.array(z.object({ name: z.string() })).nullish(),
    milestone: z.object({ title: z.string() }).nullish(),
    state: z.string(),
    url: z.url(),
  }),
);

const related = z.object({
  number: z.int(),
  state: z.string(),
  repository: z.object({ nameWithOwner: z.string() }),
});

const answered = z.object({
  data: z.object({
    repository: z.record(
      z.string(),
      z
        .object({
          number: z.int().optional(),
          state: z.string().optional(),
          parent: related.nullish(),
          blockedBy: z.object({ nodes: z.array(related.nullable()) }).nullish(),
        })
        .nullable(),
    ),
  }),
});

/** Issues of GitHub through the user's `gh`. */
export const github: Tracker = {
  site: 'GitHub',
  program: 'gh',
  prefix: 'gh',
  install: 'https://cli.github.com',
  signIn: 'gh auth login',
  pageSize: Number.POSITIVE_INFINITY,
  listArgs: ({ repository, labels, milestone, assignee, state, limit }: IssueQuery) => [
    'issue',
    'list',
    `--state=${state}`,
    // One more than allowed shows that there are too many.
    `--limit=${limit + 1}`,
    `--json=${FIELDS}`,
    ...Object.entries(defined({ repo: repository, milestone, assignee })).map(
      ([name, value]) => `--${name}=${value}`,
    ),
    ...labels.map((label) => `--label=${label}`),
  ],
  issuesIn(answer) {
    const read = listed.safeParse(answer);
    if (!read.success) return undefined;
    return read.data.map(
      ({ body, labels, milestone, state, ...issue }): Issue => ({
        ...issue,
        body: body ?? '',
        labels: (labels ?? []).map(({ name }) => name),
        milestone: milestone?.title,
        state: stateOf(state),
      }),
    );
  },
  homeOf(url) {
    const found = /^https?:\/\/([^/]+)\/([^/]+\/[^/]+)\/issues\/\d+$/.exec(url);
    const [, host, path] = found ?? [];
    return host === undefined || path === undefined ? undefined : { host, path };
  },
  askArgs: ({ host, path }: Home, numbers, withRelations) => {
    const [owner = '', name = ''] = path.split('/');
    const other = '{number state repository{nameWithOwner}}';
    const more = withRelations ? ` parent${other} blockedBy(first:100){nodes${other}}` : '';
    const one = (number: number): string =>
      `i${number}:issueOrPullRequest(number:${number}){...on Issue{number state${more}} ...on PullRequest{number state}}`;
    const query = `query($owner:String!,$name:String!){repository(owner:$owner,name:$name){${numbers.map(one).join(' ')}}}`;
    const fields = { owner, name, query };
    return [
      'api',
      'graphql',
      `--hostname=${host}`,
      ...Object.entries(fields).map(([field, value]) => `--raw-field=${field}=${value}`),
    ];
  },
  answersIn(answer, { path }): Answers | undefined {
    const read = answered.safeParse(answer);
    if (!read.success) return undefined;
    const relations = new Map<number, Relations>();
    const states = new Map<number, IssueState>();
    for (const one of Object.values(read.data.data.repository)) {
      if (one?.number === undefined || one.state === undefined) continue;
      states.set(one.number, stateOf(one.state));
      const parent = one.parent ?? undefined;
      const isHere = parent !== undefined && isSameName(parent.repository.nameWithOwner, path);
      relations.set(one.number, {
        parent: isHere ? parent.number : undefined,
        blockers: (one.blockedBy?.nodes ?? []).flatMap((node) =>
          node === null ? [] : [blockerOf(node, path)],
        ),
      });
    }
    return { relations, states };
  },
};

/** Issues are OPEN or CLOSED; pull requests may also be MERGED. */
const stateOf = (state: string): IssueState => (state.toUpperCase() === 'OPEN' ? 'open' : 'closed');

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function blockerOf({ number, state, repository }: z.infer<typeof related>, path: string): Blocker {
  const isHere = isSameName(repository.nameWithOwner, path);
  return {
    name: isHere ? `#${number}` : `${repository.nameWithOwner}#${number}`,
    number: isHere ? number : undefined,
    state: stateOf(state),
  };
}
