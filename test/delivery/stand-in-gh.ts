// A `gh` that tests can steer: a program of its own, which keeps its pull requests in a JSON file and notes each call.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface StandInPull {
  readonly number: number;
  readonly url: string;
  readonly headRefName: string;
  readonly baseRefName: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
  readonly state: 'OPEN' | 'MERGED' | 'CLOSED';
  readonly statusCheckRollup: readonly Readonly<Record<string, string>>[] | null;
  readonly mergeCommit: { readonly oid: string } | null;
  readonly isCrossRepository: boolean;
}

export interface StandInCall {
  readonly args: readonly string[];
  readonly input: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What it does instead of an answer, for as long as it is told so. */
export interface StandInTrouble {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit: number;
  /** Only for this verb, such as `create`. */
  readonly verb?: string;
  /** Only where the base of the pull request is this. */
  readonly base?: string;
}

const script = `
const { existsSync, readFileSync, renameSync, writeFileSync, appendFileSync } = require('node:fs');
const { join } = require('node:path');
const read = (name, otherwise) => {
  const file = join(__dirname, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : otherwise;
};
const args = process.argv.slice(2);
const input = readFileSync(0, 'utf8');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(GH_|GIT_|NO_COLOR)/.test(name)));
appendFileSync(join(__dirname, 'calls.jsonl'), JSON.stringify({ args, input, cwd: process.cwd(), env }) + '\\n');
const [noun, verb] = args;
const option = (name) => args.find((arg) => arg.startsWith('--' + name + '='))?.slice(name.length + 3);
const trouble = read('trouble.json');
const pulls = read('pulls.json', []);
const end = (exit, stdout = '', stderr = '') => {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exit;
};
const applies = trouble !== undefined && (trouble.verb ?? verb) === verb && (trouble.base ?? option('base')) === option('base');
if (applies) end(trouble.exit, trouble.stdout, trouble.stderr);
else if (noun === 'pr' && verb === 'list') {
  const fields = option('json').split(',');
  const state = { all: /./, open: /OPEN/, closed: /CLOSED|MERGED/, merged: /MERGED/ }[option('state') ?? 'open'];
  const found = pulls
    .filter((pull) => option('head') === undefined || pull.headRefName === option('head'))
    .filter((pull) => state.test(pull.state))
    .sort((a, b) => b.number - a.number)
    .slice(0, Number(option('limit') ?? 30));
  end(0, JSON.stringify(found.map((pull) => Object.fromEntries(fields.map((field) => [field, pull[field] ?? null])))));
} else if (noun === 'pr' && verb === 'create') {
  const [head, base, title] = ['head', 'base', 'title'].map(option);
  const open = pulls.find((pull) => pull.headRefName === head && pull.baseRefName === base && pull.state === 'OPEN' && !pull.isCrossRepository);
  if (open !== undefined) {
    end(1, '', 'a pull request for branch "' + head + '" into branch "' + base + '" already exists:\\n' + open.url + '\\n');
  } else {
    const number = pulls.length + 1;
    const url = 'https://github.invalid/owner/name/pull/' + number;
    const body = option('body-file') === '-' ? input : '';
    const made = { number, url, headRefName: head, baseRefName: base, title, body, isDraft: args.includes('--draft'), state: 'OPEN', statusCheckRollup: null, mergeCommit: null, isCrossRepository: false };
    // In one step, because the test reads it meanwhile.
    writeFileSync(join(__dirname, 'pulls.new'), JSON.stringify([...pulls, made]));
    renameSync(join(__dirname, 'pulls.new'), join(__dirname, 'pulls.json'));
    end(0, url + '\\n', 'Creating pull request for ' + head + ' into ' + base + '\\n');
  }
} else if (noun === 'api' && verb === 'graphql') {
  const asked = [...args.join(' ').matchAll(/p(\\d+):pullRequest/g)].map(([, number]) => Number(number));
  const known = asked.map((number) => ['p' + number, pulls.find((pull) => pull.number === number) ?? null]);
  const isWhole = known.every(([, pull]) => pull !== null);
  end(isWhole ? 0 : 1, JSON.stringify({ data: { repository: Object.fromEntries(known) } }), isWhole ? '' : 'gh: Could not resolve to a PullRequest\\n');
} else end(1, '', 'unknown command ' + args.join(' '));
`;

export class StandInGh {
  /** Put it first on the PATH. */
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'gh'), `#!${process.execPath}\n${script}`);
    chmodSync(join(folder, 'gh'), 0o755);
  }

  get calls(): readonly StandInCall[] {
    const file = join(this.folder, 'calls.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as StandInCall);
  }

  get pulls(): readonly StandInPull[] {
    const file = join(this.folder, 'pulls.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StandInPull[]) : [];
  }

  /** Changes every pull request of a branch. */
  change(branch: string, change: Partial<StandInPull>): void {
    const pulls = this.pulls.map((pull) =>
      pull.headRefName === branch ? { ...pull, ...change } : pull,
    );
    writeFileSync(join(this.folder, 'pulls.json'), JSON.stringify(pulls));
  }

  /** A pull request that somebody else opened. */
  add(branch: string, more: Partial<StandInPull> = {}): StandInPull {
    const pulls = this.pulls;
    const number = pulls.length + 1;
    const made: StandInPull = {
      number,
      url: `https://github.invalid/owner/name/pull/${number}`,
      headRefName: branch,
      baseRefName: 'main',
      title: 'Another one',
      body: '',
      isDraft: false,
      state: 'OPEN',
      statusCheckRollup: null,
      mergeCommit: null,
      isCrossRepository: false,
      ...more,
    };
    writeFileSync(join(this.folder, 'pulls.json'), JSON.stringify([...pulls, made]));
    return made;
  }

  trouble(trouble?: StandInTrouble): void {
    writeFileSync(
      join(this.folder, 'trouble.json'),
      JSON.stringify(trouble ?? { exit: 0, verb: 'none' }),
    );
  }
}
