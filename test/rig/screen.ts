// Looks at a repository and its surroundings from outside, as a person with plain git would.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, relative } from 'node:path';

export type Git = (...args: string[]) => string;

/** What must not change behind a person's back. Compare two with `toEqual`. */
export interface Snapshot {
  /** Every file of the checkout, ignored ones included, by path: mode and hash of the bytes. */
  readonly files: Readonly<Record<string, string>>;
  /** What is staged: mode, object and path of every entry. */
  readonly index: string;
  readonly stash: string;
  /** Every ref and where it points to, but for the branch that work lands on. */
  readonly refs: Readonly<Record<string, string>>;
  readonly head: string;
  readonly config: string;
}

export function snapshotOf(root: string, git: Git, target = 'main'): Snapshot {
  const refs = git('for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter(Boolean);
  const pairs = refs.map((line) => line.split(' ') as [string, string]);
  return {
    files: Object.fromEntries(
      filesBelow(root)
        .filter((path) => !/^\.git(?:\/|$)/.test(path))
        .map((path) => [path, fingerprint(join(root, path))]),
    ),
    index: git('ls-files', '-s'),
    stash: git('stash', 'list', '--format=%H %gs'),
    refs: Object.fromEntries(pairs.filter(([ref]) => ref !== `refs/heads/${target}`)),
    head: git('rev-parse', '--symbolic-full-name', 'HEAD'),
    config: git('config', '--local', '--list'),
  };
}

function fingerprint(path: string): string {
  const stat = lstatSync(path);
  const bytes = stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
  return `${stat.mode.toString(8)} ${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Paths of all files below a folder, relative to it. A file counts as itself, and what is not there as none. */
export function filesBelow(root: string): string[] {
  const walk = (dir: string): string[] =>
    readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? walk(join(dir, entry.name)) : [relative(root, join(dir, entry.name))],
    );
  try {
    return walk(root).sort();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') return [root];
    throw error;
  }
}

export interface Leftovers {
  /** Worktrees of ours. */
  readonly worktrees: readonly string[];
  /** Branches of ours; work of attempts that did not land is kept on them. */
  readonly branches: readonly string[];
  /** Refs that hold work on its way. */
  readonly kept: readonly string[];
  /** Running processes that stem from a `ym` of this yard, as pid and command line. */
  readonly processes: readonly string[];
  /** Files below the state folder, but for dependencies kept for the next run, the output that `ym verify` keeps, and the files of the daemon. */
  readonly state: readonly string[];
  /** Lock files of git. */
  readonly locks: readonly string[];
}

/** Folders of worktrees below a state folder. */
export function worktreesBelow(state: string): string[] {
  if (!statSync(state, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(state, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.view/commondir'))
    .map((name) => join(state, name.replace(/\.view\/commondir$/, '')))
    .filter((dir) => existsSync(dir));
}

export function leftoversOf(project: {
  readonly root: string;
  readonly state: string;
  readonly tag: string;
  readonly git: Git;
}): Leftovers {
  const { root, state, tag, git } = project;
  const refs = git('for-each-ref', '--format=%(refname)', 'refs/heads/yard/', 'refs/yard/');
  const names = (prefix: string): string[] =>
    refs.split('\n').filter((name) => name.startsWith(prefix));
  const registered = git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith(`worktree ${state}`));
  if (registered.length > 0) throw new Error(`Registered: ${registered.join(', ')}`);
  const worktrees = worktreesBelow(state);
  return {
    worktrees,
    branches: names('refs/heads/yard/'),
    kept: names('refs/yard/'),
    processes: processesWith(tag),
    state: filesBelow(state).filter(
      (path) => !/^[^/]+\/prepared\/|^(?:verify|daemon)\//.test(path),
    ),
    locks: filesBelow(join(root, '.git')).filter((path) => path.endsWith('.lock')),
  };
}

/** Processes whose environment holds a text. Those that have ended and wait to be collected have none. */
export function processesWith(tag: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readProc(pid, 'environ').includes(tag))
    .map((pid) => `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ').trim()}`);
}

/** Kills every process with the tag of a project, as a power loss does. */
export function killAllWith(tag: string): void {
  for (const line of processesWith(tag)) {
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Nothing for a process that is gone by now or is not ours to look at. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

/** Every value a branch has had, oldest first, and what a command says of each in a clean checkout of it. */
export function judgeReflog(
  root: string,
  branch: string,
  scratch: string,
  command: string,
): { readonly values: readonly string[]; readonly red: readonly string[] } {
  const run = (shell: string): void => {
    execFileSync('sh', ['-c', shell], { cwd: root, stdio: 'pipe' });
  };
  const log = execFileSync('git', ['log', '-g', '--format=%H', `refs/heads/${branch}`, '--'], {
    cwd: root,
    encoding: 'utf8',
  });
  const values = log.split('\n').filter(Boolean).reverse();
  const red: string[] = [];
  for (const commit of new Set(values)) {
    mkdirSync(scratch, { recursive: true });
    run(`git archive ${commit} | tar -x -C '${scratch}'`);
    try {
      execFileSync('sh', ['-c', command], { cwd: scratch, stdio: 'pipe' });
    } catch (error) {
      red.push(`${commit}: ${error instanceof Error ? error.message : String(error)}`);
    }
    rmSync(scratch, { recursive: true, force: true });
  }
  return { values, red };
}
