import type { Problem } from '../document/document.ts';
import { formatDuration } from '../model/duration.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { parseJson } from '../model/shape.ts';
import { runTool } from '../process/tool.ts';
import {
  blockersIn,
  type Issue,
  type IssueState,
  type Relations,
  tasksOfIssues,
} from './issues.ts';
import { sourceFailure, type TaskSource } from './plan-file.ts';

/** Issues that a user asked for, as in `github:OWNER/REPO?label=agent&limit=50`. */
export interface IssueQuery {
  readonly address: string;
  /** Undefined: the repository of the checkout. */
  readonly repository: string | undefined;
  readonly labels: readonly string[];
  readonly milestone: string | undefined;
  readonly assignee: string | undefined;
  readonly state: IssueState | 'all';
  readonly limit: number;
}

/** Repository of an issue, from its URL. */
export interface Home {
  readonly host: string;
  readonly path: string;
}

/** Answers to a question about issues and others. */
export interface Answers {
  readonly relations: ReadonlyMap<number, Relations>;
  readonly states: ReadonlyMap<number, IssueState>;
}

/** A tracker that is read through its command-line program. Its functions only compute. */
export interface Tracker {
  readonly site: string;
  readonly program: string;
  /** Begins the ids of its tasks. */
  readonly prefix: string;
  readonly install: string;
  readonly signIn: string;
  /** Most issues of one answer to `listArgs`. */
  readonly pageSize: number;
  listArgs(query: IssueQuery, page: number): readonly string[];
  /** Undefined if the answer is not a list of issues. */
  issuesIn(answer: unknown): readonly Issue[] | undefined;
  homeOf(url: string): Home | undefined;
  /** Asks for states, and for parents and blockers if `withRelations`. */
  askArgs(home: Home, numbers: readonly number[], withRelations: boolean): readonly string[];
  /** Undefined if the answer has no data. */
  answersIn(answer: unknown, home: Home): Answers | undefined;
}

/** Folder and environment for a tracker's program. */
export interface ToolPlace {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The issues of a tracker as tasks. States are not written back. */
export function trackerSource(tracker: Tracker, query: IssueQuery, place: ToolPlace): TaskSource {
  let note: string | undefined;
  return {
    name: query.address,
    async list() {
      const issues = await listIssues(tracker, query, place);
      if (!issues.ok) return fail([issues.failure]);
      const answers = await ask(tracker, issues.value, place);
      if (!answers.ok) return fail([answers.failure]);
      note = answers.value.hasRelations
        ? undefined
        : `${query.address}: ${tracker.site} gives neither parents nor dependencies of these issues; only lines such as "Depends on #12" in their texts count.`;
      const tasks = tasksOfIssues({
        prefix: tracker.prefix,
        issues: issues.value,
        relations: answers.value.relations,
        others: answers.value.states,
      });
      if (tasks.ok) return tasks;
      return fail(tasks.failure.map((problem) => sourceFailure(query.address, problem)));
    },
    note: () => note,
  };
}

async function listIssues(
  tracker: Tracker,
  query: IssueQuery,
  place: ToolPlace,
): Promise<Result<readonly Issue[]>> {
  const issues: Issue[] = [];
  for (let page = 1; ; page += 1) {
    const output = await call(tracker, tracker.listArgs(query, page), place);
    if (!output.ok) return output;
    const { exit, stdout, stderr } = output.value;
    if (exit !== 0) return fail(refusal(tracker, query, exit, stderr || stdout));
    const listed = tracker.issuesIn(parseJson(stdout));
    if (listed === undefined) return fail(malformed(tracker, stdout));
    issues.push(...listed);
    if (issues.length > query.limit) return fail(tooMany(query));
    if (listed.length < tracker.pageSize) return ok(issues);
  }
}

interface Asked extends Answers {
  readonly hasRelations: boolean;
}

const askedAtOnce = 100;

/** Asks for the relations of the issues, and for the states of others that their texts name. */
async function ask(
  tracker: Tracker,
  issues: readonly Issue[],
  place: ToolPlace,
): Promise<Result<Asked>> {
  const relations = new Map<number, Relations>();
  const states = new Map<number, IssueState>();
  const [first] = issues;
  if (first === undefined) return ok({ relations, states, hasRelations: true });
  const home = tracker.homeOf(first.url);
  if (home === undefined) return fail(malformed(tracker, first.url));
  const numbers = [
    ...new Set(issues.flatMap(({ number, body }) => [number, ...blockersIn(body)])),
  ].sort((a, b) => a - b);
  let hasRelations = true;
  for (let at = 0; at < numbers.length; at += askedAtOnce) {
    const part = numbers.slice(at, at + askedAtOnce);
    let answers: Answers | undefined;
    let last = '';
    // A server that does not know the fields for relations refuses the whole question.
    const ways: readonly boolean[] = hasRelations ? [true, false] : [false];
    for (const withRelations of ways) {
      const output = await call(tracker, tracker.askArgs(home, part, withRelations), place);
      if (!output.ok) return output;
      last = output.value.stderr || output.value.stdout;
      // An unknown number makes the program fail, and the answer has the others.
      answers = tracker.answersIn(parseJson(output.value.stdout), home);
      if (answers === undefined) continue;
      hasRelations = withRelations;
      break;
    }
    if (answers === undefined) return fail(malformed(tracker, last));
    for (const [number, one] of answers.relations) relations.set(number, one);
    for (const [number, state] of answers.states) states.set(number, state);
  }
  return ok({ relations, states, hasRelations });
}

async function call(tracker: Tracker, args: readonly string[], { dir, env }: ToolPlace) {
  const { program } = tracker;
  const done = await runTool({ program, args, dir, env });
  switch (done.id) {
    case 'ended':
      return ok(done);
    case 'not-started':
      return fail(
        broken(
          `${tracker.site} issues are read with ${program}, which could not be started: ${done.cause}.`,
          `Install it (${tracker.install}) and sign in with \`${tracker.signIn}\`.`,
        ),
      );
    case 'slow':
      return fail(
        broken(
          `${program} did not answer within ${formatDuration(done.ms)}.`,
          'Check the network and try again, or ask for fewer issues, such as with "?label=agent".',
        ),
      );
    case 'large':
      return fail(
        broken(
          `${program} printed more than ${done.bytes} bytes.`,
          'Ask for fewer issues, such as with "?label=agent".',
        ),
      );
  }
}

/** Exit status of `gh` when not signed in. */
const NOT_SIGNED_IN = 4;

function refusal(
  { site, program, signIn }: Tracker,
  { address, repository }: IssueQuery,
  exit: number,
  output: string,
): Failure {
  const cause = shown(output) || `it exited with status ${exit}`;
  const wrong = (problem: Problem): Failure => sourceFailure(address, problem);
  if (/no git remotes|known GitHub host|not a git repository|known GitLab host/i.test(cause)) {
    return wrong({
      problem: `this checkout has no remote on ${site}`,
      remedy: `Name the repository, such as "${address.split(':')[0]}:OWNER/REPO".`,
    });
  }
  if (
    exit === NOT_SIGNED_IN ||
    /auth login|HTTP 401|401 Unauthorized|bad credentials/i.test(cause)
  ) {
    return broken(
      `${program} is not signed in: ${cause}.`,
      `Type \`${signIn}\`, then repeat the command.`,
    );
  }
  if (/could not resolve to a repository|404/i.test(cause)) {
    const named = repository === undefined ? 'the repository of this checkout' : `"${repository}"`;
    return wrong({
      problem: `${site} does not have ${named}, or you may not read it`,
      remedy: `Check the name, and the account that \`${program} auth status\` shows.`,
    });
  }
  if (/milestone|disabled issues/i.test(cause)) {
    return wrong({ problem: `${program} refused: ${cause}`, remedy: 'Correct the query.' });
  }
  return broken(
    `${program} could not list the issues: ${cause}.`,
    `Try \`${program} issue list\` in this folder, then repeat the command.`,
  );
}

function malformed({ program }: Tracker, output: string): Failure {
  const text = shown(output);
  const printed = text === '' ? 'nothing' : `"${text}"`;
  return broken(
    `${program} gave no list of issues that can be read; it printed ${printed}.`,
    `Check that \`${program} --version\` is a current version, then repeat the command.`,
  );
}

function tooMany({ address, limit }: IssueQuery): Failure {
  const sign = address.includes('?') ? '&' : '?';
  return sourceFailure(address, {
    problem: `it has more than ${limit} issues`,
    remedy: `Ask for fewer, such as with "${sign}label=agent", or raise the limit (at most ${limits.tasksPerImport}): "${sign}limit=${limit * 10}".`,
  });
}

const causeChars = 300;

const shown = (output: string): string =>
  output.trim().replace(/\s+/g, ' ').slice(0, causeChars).replace(/\.$/, '');

function broken(problem: string, remedy: string): Failure {
  return { kind: 'surroundings-broken', problem, remedy };
}
