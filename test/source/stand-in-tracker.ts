// Programs that answer as `gh` and `glab` are documented to answer, from a JSON file. Each call is noted.
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An issue of the stand-in, for both programs. */
export interface StandInIssue {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null;
  readonly labels?: readonly string[];
  readonly milestone?: string;
  readonly state?: 'open' | 'closed';
  readonly parent?: number;
  readonly blockedBy?: readonly number[];
  /** Replaces the URL of the issue. */
  readonly url?: string;
}

/** Fault of the program instead of an answer; `api` only for questions about relations. */
export interface StandInTrouble {
  readonly on: 'list' | 'api' | 'all';
  readonly exit: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Never ends. */
  readonly hangs?: boolean;
  /** Only if the arguments contain this. */
  readonly having?: string;
}

export interface StandIn {
  /** Environment with the program on its PATH. */
  readonly env: Readonly<Record<string, string>>;
  hold(issues: readonly StandInIssue[]): void;
  fails(trouble: StandInTrouble): void;
  calls(): readonly (readonly string[])[];
}

const script = `
const { existsSync, readFileSync, appendFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const read = (name, otherwise) => {
  const file = join(__dirname, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : otherwise;
};
const program = basename(process.argv[1]);
const args = process.argv.slice(2);
appendFileSync(join(__dirname, 'calls.jsonl'), JSON.stringify(args) + '\\n');
const option = (name) => args.find((arg) => arg.startsWith('--' + name + '='))?.slice(name.length + 3);
const options = (name) => args.filter((arg) => arg.startsWith('--' + name + '=')).map((arg) => arg.slice(name.length + 3));
const issues = read('issues.json', []);
const trouble = read('trouble.json');
const kind = args[0] === 'api' ? 'api' : 'list';
const site = 'https://' + (program === 'gh' ? 'github' : 'gitlab') + '.invalid/owner/name' + (program === 'gh' ? '' : '/-') + '/issues/';
const urlOf = (issue) => issue.url ?? site + issue.number;
const upper = (issue) => (issue.state ?? 'open').toUpperCase();
const lower = (issue) => (issue.state === 'closed' ? 'closed' : 'opened');
const byNumber = (number) => issues.find((issue) => issue.number === number);
const end = (exit, stdout = '', stderr = '') => {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exit;
};
const applies = trouble !== undefined && (trouble.on === 'all' || trouble.on === kind) && args.join(' ').includes(trouble.having ?? '');
if (applies && trouble.hangs) setInterval(() => {}, 1000);
else if (applies) end(trouble.exit, trouble.stdout, trouble.stderr);
else if (kind === 'list') {
  const wanted = program === 'gh' ? option('state') : args.includes('--all') ? 'all' : args.includes('--closed') ? 'closed' : 'open';
  const found = issues
    .filter((issue) => wanted === 'all' || (issue.state ?? 'open') === wanted)
    .filter((issue) => options('label').every((label) => (issue.labels ?? []).includes(label)))
    .filter((issue) => option('milestone') === undefined || issue.milestone === option('milestone'))
    .sort((a, b) => b.number - a.number);
  const milestoneOf = (issue) => (issue.milestone === undefined ? null : { title: issue.milestone });
  if (program === 'gh') {
    const all = found.map((issue) => ({
      number: issue.number, title: issue.title, body: issue.body ?? '', state: upper(issue), url: urlOf(issue),
      labels: (issue.labels ?? []).map((name, at) => ({ id: 'LA_' + at, name, description: '', color: 'd73a4a' })),
      milestone: issue.milestone === undefined ? null : { number: 1, title: issue.milestone, description: '', dueOn: null },
    }));
    const fields = option('json').split(',');
    const rows = all.slice(0, Number(option('limit'))).map((issue) => Object.fromEntries(fields.map((field) => [field, issue[field]])));
    end(0, JSON.stringify(rows));
  } else {
    const size = Number(option('per-page'));
    const page = Number(option('page'));
    const rows = found.slice((page - 1) * size, page * size).map((issue) => ({
      id: 1000 + issue.number, iid: issue.number, project_id: 4, title: issue.title, description: issue.body ?? null,
      state: lower(issue), labels: issue.labels ?? [], milestone: milestoneOf(issue), web_url: urlOf(issue), issue_type: 'issue',
    }));
    end(0, JSON.stringify(rows));
  }
} else {
  const query = options('raw-field').find((field) => field.startsWith('query=')).slice(6);
  if (program === 'gh') {
    const repository = {};
    const errors = [];
    for (const [, alias, digits] of query.matchAll(/(i(\\d+)):issueOrPullRequest/g)) {
      const issue = byNumber(Number(digits));
      if (issue === undefined) {
        repository[alias] = null;
        errors.push({ type: 'NOT_FOUND', message: 'Could not resolve to an issue or pull request with the number of ' + digits + '.' });
        continue;
      }
      const brief = (one) => ({ number: one.number, state: upper(one), repository: { nameWithOwner: urlOf(one).split('/').slice(3, 5).join('/') } });
      repository[alias] = {
        number: issue.number, state: upper(issue),
        ...(query.includes('blockedBy') ? {
          parent: issue.parent === undefined ? null : brief(byNumber(issue.parent)),
          blockedBy: { nodes: (issue.blockedBy ?? []).map((number) => brief(byNumber(number))) },
        } : {}),
      };
    }
    end(errors.length > 0 ? 1 : 0, JSON.stringify({ data: { repository }, ...(errors.length > 0 ? { errors } : {}) }), errors.map(({ message }) => 'gh: ' + message + '\\n').join(''));
  } else {
    const iids = [...query.matchAll(/"(\\d+)"/g)].map(([, digits]) => Number(digits));
    const brief = (one) => ({ iid: String(one.number), state: lower(one), webUrl: urlOf(one) });
    const nodes = issues.filter(({ number }) => iids.includes(number)).map((issue) => ({
      iid: String(issue.number), state: lower(issue),
      ...(query.includes('blockedByIssues') ? { blockedByIssues: { nodes: (issue.blockedBy ?? []).map((number) => brief(byNumber(number))) } } : {}),
    }));
    end(0, JSON.stringify({ data: { project: { issues: { nodes } } } }));
  }
}
`;

/** Puts a stand-in for the program into a new folder. */
export function standInTracker(dir: string, program: 'gh' | 'glab'): StandIn {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, program);
  writeFileSync(file, `#!${process.execPath}\n${script}`);
  chmodSync(file, 0o755);
  const put = (name: string, value: unknown): void =>
    writeFileSync(join(dir, name), JSON.stringify(value));
  appendFileSync(join(dir, 'calls.jsonl'), '');
  return {
    env: { PATH: dir },
    hold: (issues) => put('issues.json', issues),
    fails: (trouble) => put('trouble.json', trouble),
    calls: () =>
      readFileSync(join(dir, 'calls.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): readonly string[] => JSON.parse(line)),
  };
}
