import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Pull } from '../model/run-record.ts';
import { parseJson } from '../model/shape.ts';
import type { Forge, NumberedPull, PullRequest } from '../port/forge.ts';
import { runTool } from '../process/tool.ts';

interface GhOptions {
  /** A checkout of the repository; `gh` uses its remotes. */
  readonly dir: string;
  /** Environment without variables that point git to another repository. */
  readonly env: Readonly<Record<string, string>>;
  /** Name of the program on the PATH of `env`. */
  readonly program?: string;
}

/** Pull requests on GitHub through the user's own `gh` and its sign-in. */
export function ghForge(options: GhOptions): Forge {
  const run = (args: readonly string[], input?: string) => gh(options, args, input);
  return {
    open: async (request) => {
      // `gh pr create` knows only open pull requests, and would open another next to a merged one.
      const before = await existing(run, request.branch);
      if (!before.ok) return before;
      if (before.value !== undefined) return ok(before.value);
      const created = await run(createArgs(request), request.body);
      if (!created.ok) return created;
      const { exit, stdout, stderr } = created.value;
      const opened = exit === 0 ? openedIn(stdout) : undefined;
      if (opened !== undefined) return ok(opened);
      if (exit === 0) return fail(failed(`gh printed no pull request address: ${trimmed(stdout)}`));
      if (!/already exists/i.test(stderr)) return fail(refusal(exit, stderr || stdout));
      const raced = await existing(run, request.branch);
      if (!raced.ok) return raced;
      return raced.value === undefined ? fail(refusal(exit, stderr)) : ok(raced.value);
    },
    states: async (branches) => {
      if (branches.length === 0) return ok([]);
      const wanted = Math.max(limits.pullsListed, branches.length * 2);
      const pulls = await list(run, Math.min(wanted, limits.pullsListedMax), []);
      if (!pulls.ok) return pulls;
      return ok(branches.flatMap((branch) => pullOf(pulls.value, branch) ?? []));
    },
    numbered: async (numbers) => {
      if (numbers.length === 0) return ok([]);
      const done = await run(numberedArgs(numbers));
      if (!done.ok) return done;
      const { exit, stdout, stderr } = done.value;
      // With an unknown number `gh` fails, and prints the others.
      const pulls = numberedIn(stdout);
      return pulls === undefined ? fail(refusal(exit, stderr || stdout)) : ok(pulls);
    },
  };
}

/** GraphQL finds a pull request by its number however old it is. `gh` fills in `{owner}` and `{repo}`. */
function numberedArgs(numbers: readonly number[]): readonly string[] {
  const one = (number: number): string =>
    `p${number}:pullRequest(number:${number}){number state baseRefName mergeCommit{oid}}`;
  const query = `query($owner:String!,$name:String!){repository(owner:$owner,name:$name){${numbers.map(one).join(' ')}}}`;
  const fields = ['--field=owner={owner}', '--field=name={repo}', `--raw-field=query=${query}`];
  return ['api', 'graphql', ...fields];
}

/** Pull requests in the answer of GraphQL; undefined if it is none. A number that does not exist is null. */
function numberedIn(text: string): readonly NumberedPull[] | undefined {
  const answer = parseJson(text);
  const data = isRecord(answer) ? answer.data : undefined;
  const repository = isRecord(data) ? data.repository : undefined;
  if (!isRecord(repository)) return undefined;
  return Object.values(repository)
    .filter(isRecord)
    .flatMap(({ number, state: word, baseRefName: base, mergeCommit }) => {
      const state = stateIn(word);
      if (typeof number !== 'number' || typeof base !== 'string' || state === undefined) return [];
      return [{ number, state, base, mergeCommit: commitIn(mergeCommit) }];
    });
}

function commitIn(mergeCommit: unknown): string | undefined {
  const oid = isRecord(mergeCommit) ? mergeCommit.oid : undefined;
  return typeof oid === 'string' ? oid : undefined;
}

interface Opened {
  readonly url: string;
  readonly number: number;
}

interface GhOutput {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

type RunGh = (args: readonly string[], input?: string) => Promise<Result<GhOutput>>;

function createArgs({ branch, base, title }: PullRequest): readonly string[] {
  // Joined by `=`, because a title may begin with a dash.
  const flags = [`--head=${branch}`, `--base=${base}`, `--title=${title}`];
  return ['pr', 'create', ...flags, '--body-file=-'];
}

async function existing(run: RunGh, branch: string): Promise<Result<Opened | undefined>> {
  const pulls = await list(run, limits.pullsPerBranch, [`--head=${branch}`]);
  if (!pulls.ok) return pulls;
  const found = pullOf(pulls.value, branch);
  return ok(found === undefined ? undefined : { url: found.url, number: found.number });
}

async function list(run: RunGh, limit: number, filter: readonly string[]) {
  const what = ['--state=all', `--limit=${limit}`, `--json=${PULL_FIELDS}`];
  const done = await run(['pr', 'list', ...filter, ...what]);
  if (!done.ok) return done;
  const { exit, stdout, stderr } = done.value;
  if (exit !== 0) return fail(refusal(exit, stderr || stdout));
  const pulls = readPulls(stdout);
  return pulls === undefined
    ? fail(failed(`gh printed no list of pull requests: ${trimmed(stdout)}`))
    : ok(pulls);
}

function openedIn(stdout: string): Opened | undefined {
  const found = [...stdout.matchAll(/^(https?:\/\/\S+\/(\d+))\s*$/gm)].at(-1);
  if (found?.[1] === undefined) return undefined;
  return { url: found[1], number: Number(found[2]) };
}

async function gh(
  { dir, env, program = 'gh' }: GhOptions,
  args: readonly string[],
  input?: string,
): Promise<Result<GhOutput>> {
  const done = await runTool({ program, args, dir, env, input });
  switch (done.id) {
    case 'ended':
      return ok(done);
    case 'not-started':
      return fail(failed(`gh could not be started: ${trimmed(done.cause)}`));
    case 'slow':
      return fail(failed(`gh did not answer within ${done.ms} ms`));
    case 'large':
      return fail(failed(`gh printed more than ${done.bytes} bytes`));
  }
}

/** Exit status of `gh` when not signed in. */
const NOT_SIGNED_IN = 4;

function refusal(exit: number, output: string): Failure {
  const cause = trimmed(output);
  if (exit === NOT_SIGNED_IN || /gh auth login\s*$|HTTP 401|bad credentials/i.test(cause)) {
    if (!/known GitHub host/i.test(cause)) return failed(`gh is not signed in: ${cause}`);
  }
  if (/no git remotes|known GitHub host|not a git repository/i.test(cause)) {
    return failed(`gh found no GitHub repository for this one: ${cause}`);
  }
  return failed(`gh refused: ${cause === '' ? `it exited with status ${exit}` : cause}`);
}

function trimmed(text: string): string {
  return text.trim().slice(0, limits.tailBytes);
}

function failed(cause: string): Failure {
  return { kind: 'delivery-failed', how: 'pr', cause };
}

/** One pull request as `gh` prints it; any field may be missing or of another type. */
type Printed = Readonly<Record<string, unknown>>;

const PULL_FIELDS = 'number,url,headRefName,state,statusCheckRollup,mergeCommit,isCrossRepository';

/** Parses the output of `gh pr list --json`; undefined if it is not a list. Invalid entries are skipped. */
export function readPulls(text: string): readonly Pull[] | undefined {
  const printed = parseJson(text);
  if (!Array.isArray(printed)) return undefined;
  return printed.filter(isRecord).flatMap(pullIn);
}

function pullIn(entry: Printed): readonly Pull[] {
  const { number, url, headRefName: branch, mergeCommit } = entry;
  const state = stateIn(entry.state);
  if (typeof number !== 'number' || typeof url !== 'string' || typeof branch !== 'string') {
    return [];
  }
  // A fork may have a branch of the same name.
  if (state === undefined || entry.isCrossRepository === true) return [];
  const checks = checksIn(entry.statusCheckRollup);
  return [{ branch, number, url, state, checks, mergeCommit: commitIn(mergeCommit) }];
}

function stateIn(state: unknown): Pull['state'] | undefined {
  switch (state) {
    case 'OPEN':
      return 'open';
    case 'MERGED':
      return 'merged';
    case 'CLOSED':
      return 'closed';
    default:
      return undefined;
  }
}

const GOOD = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED']);
const BAD = new Set([
  'FAILURE',
  'ERROR',
  'CANCELLED',
  'TIMED_OUT',
  'ACTION_REQUIRED',
  'STARTUP_FAILURE',
]);

/** An unknown state counts as pending. */
function checksIn(rollup: unknown): Pull['checks'] {
  if (!Array.isArray(rollup) || rollup.length === 0) return 'none';
  const words = rollup.map((check: unknown) => (isRecord(check) ? wordOf(check) : ''));
  if (words.some((word) => BAD.has(word))) return 'failed';
  return words.every((word) => GOOD.has(word)) ? 'passed' : 'pending';
}

/** Check runs have a status and, once completed, a conclusion; commit statuses have a state. */
function wordOf(check: Printed): string {
  const word = check.state ?? (check.status === 'COMPLETED' ? check.conclusion : check.status);
  return typeof word === 'string' ? word.toUpperCase() : '';
}

function isRecord(value: unknown): value is Printed {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const RANK = { merged: 0, open: 1, closed: 2 } as const;

export function pullOf(pulls: readonly Pull[], branch: string): Pull | undefined {
  return pulls
    .filter((pull) => pull.branch === branch)
    .sort((a, b) => RANK[a.state] - RANK[b.state] || b.number - a.number)[0];
}
