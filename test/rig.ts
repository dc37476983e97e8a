// The rig of the end-to-end tests: a project is a project in a temporary folder that the built program works on.
//
//   const y = yard({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
//   const run = await y.ym('run', y.plan);
//   expect(run.code).toBe(0);
//
// A project ends with its test. Whatever then is left of processes, worktrees, refs, locks or files fails the test,
// unless the test says in `leaves` that it has to be so; and so does work that the ledger cannot account for, unless
// the test says in `loses` whose work has to be lost.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Event } from '../src/model/event.ts';
import type { Result } from '../src/model/failure.ts';
import { limits } from '../src/model/limits.ts';
import type { Store } from '../src/port/store.ts';
import { openPostgres } from '../src/record/postgres/store.ts';
import { openSqlite } from '../src/record/sqlite.ts';
import { storeSetting } from '../src/wire/store-setting.ts';
import {
  type Child,
  type ChildOptions,
  type Ended,
  program,
  startChild,
  startTerminal,
  type Terminal,
} from './rig/child.ts';
import { unaccounted } from './rig/ledger.ts';
import { need } from './rig/need.ts';
import { type PlanTask, planText, type Script, scriptText } from './rig/play.ts';
import {
  judgeReflog,
  killAllWith,
  type Leftovers,
  leftoversOf,
  processesWith,
  type Snapshot,
  snapshotOf,
} from './rig/screen.ts';
import { type Status, type StatusTask, untilStatus } from './rig/status.ts';
import { Tmux } from './rig/tmux.ts';
import { until } from './rig/until.ts';

export type { Child, Ended, Terminal } from './rig/child.ts';
export * from './rig/play.ts';
export { killAllWith, type Leftovers, processesWith, type Snapshot } from './rig/screen.ts';
export type { Status, StatusTask } from './rig/status.ts';
export { until } from './rig/until.ts';

/**
 * The gate of a project unless the test brings its own: red where a file `red` is there, and where a file in `uses/` names
 * something that is not in `names/`. So a branch that renames and a branch that uses are green alone and red together.
 */
export const gateScript = `test ! -e red || { echo 'there is a file called red'; exit 1; }
for use in uses/*; do
  test -e "$use" || continue
  read -r name < "$use"
  test -e "names/$name" || { echo "$use uses $name, which is not there"; exit 1; }
done
echo 'all names are known'
`;

export interface TestProjectOptions {
  /** Files of the first commit, beside `gate.sh`, `yardmaster.yaml` and `names/total`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Keys of `yardmaster.yaml`, put over those of the rig; `undefined` takes one out. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Tasks of the plan file `y.plan`. */
  readonly tasks?: readonly PlanTask[];
  readonly script?: Script;
  /** Further variables for every `ym`. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the test leaves on purpose, such as the branch that keeps the work of a failed attempt. */
  readonly leaves?: readonly Exclude<keyof Leftovers, 'processes'>[];
  /** Tasks whose work the test loses on purpose, or `ledger` where it damages the records themselves. */
  readonly loses?: readonly string[] | 'ledger';
}

type Call = Partial<ChildOptions>;

export class TestProject {
  /** Holds everything of the test. */
  readonly base: string;
  /** The repository, with `main` checked out. */
  readonly root: string;
  readonly state: string;
  readonly home: string;
  /** Where `touch`, `waitFor` and `env` of the script put and look for their files. */
  readonly stage: string;
  readonly plan: string;
  readonly scriptFile: string;
  /** In the environment of everything that a `ym` of this yard starts. */
  readonly tag: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #leaves: readonly string[];
  readonly #loses: readonly string[] | 'ledger';
  readonly #children: Child[] = [];

  constructor(options: TestProjectOptions) {
    this.base = realpathSync(mkdtempSync(join(tmpdir(), 'ym-yard-')));
    this.root = join(this.base, 'repo');
    this.state = join(this.base, 'state');
    this.home = join(this.base, 'home');
    this.stage = join(this.base, 'stage');
    this.plan = join(this.base, 'plan.json');
    this.scriptFile = join(this.stage, 'script.json');
    this.tag = `YM_TEST_TAG=${randomBytes(8).toString('hex')}`;
    this.#leaves = options.leaves ?? [];
    this.#loses = options.loses ?? [];
    this.#env = { ...this.#scrubbed(), ...options.env };
    for (const dir of [this.root, this.home, this.stage]) mkdirSync(dir, { recursive: true });
    this.writeTasks(options.tasks ?? []);
    this.writeScript(options.script ?? {});
    this.git('init', '-q', '-b', 'main');
    const person = '[user]\n\tname = Test Person\n\temail = person@example.invalid\n';
    appendFileSync(join(this.root, '.git', 'config'), person);
    const config = {
      agent: 'actor',
      agents: { actor: { use: 'scripted', script: this.scriptFile } },
      gate: { commands: ['sh gate.sh'] },
      // Most tests are about what comes after it; those about it switch it on.
      preflight: false,
      // Those about it switch it on.
      sandbox: 'none',
      // Scripted agents end at once, so the default pace would decide how long the tests take.
      spawn_rate: limits.spawnRateMax,
      jobs: 2,
      ...options.config,
    };
    const files = { 'gate.sh': gateScript, 'names/total': '', ...options.files };
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    this.write('yardmaster.yaml', `${JSON.stringify(config, null, 2)}\n`);
    this.#commit('start');
  }

  /** Nothing of the machine or of the person but the PATH. */
  #scrubbed(): Record<string, string> {
    const [name = '', value = ''] = this.tag.split('=');
    return {
      PATH: process.env.PATH ?? '',
      TMPDIR: process.env.TMPDIR ?? tmpdir(),
      LANG: 'C.UTF-8',
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, 'config'),
      XDG_STATE_HOME: join(this.home, 'xdg-state'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      YARDMASTER_STATE_DIR: this.state,
      [name]: value,
    };
  }

  /** Environment of every `ym` of this project. */
  env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** Runs `ym` in the root of the repository until it ends. */
  ym(...args: string[]): Promise<Ended> {
    return this.ymWith({}, ...args);
  }

  /** What a command that must succeed prints with `--json`. */
  async json(...args: string[]) {
    const { code, stdout, stderr } = await this.ym(...args, '--json');
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  /** The same somewhere else, with other variables (put over those of the project), or with an input. */
  ymWith(call: Call, ...args: string[]): Promise<Ended> {
    return this.startWith(call, ...args).end();
  }

  /** Starts `ym` in the background. It is killed with the project when the test does not wait for its end. */
  start(...args: string[]): Child {
    return this.startWith({}, ...args);
  }

  startWith({ cwd = this.root, env = {}, ...rest }: Call, ...args: string[]): Child {
    const child = startChild(args, { cwd, env: { ...this.#env, ...env }, ...rest });
    this.#children.push(child);
    return child;
  }

  /** A line of shell in the repository, where `ym` is the built program. */
  shell(line: string): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const ym = `ym() { '${process.execPath}' '${program}' "$@"; }\n`;
    const options = { cwd: this.root, env: this.#env, encoding: 'utf8', timeout: 60_000 } as const;
    return spawnSync('bash', ['-o', 'pipefail', '-c', ym + line], options);
  }

  /** A line of shell on a terminal, in the repository. */
  terminal(line: string): Terminal {
    return startTerminal(line, { cwd: this.root, env: this.#env });
  }

  /** A shell in the repository, on a terminal whose screen can be read. */
  tmux(columns: number, lines: number): Tmux {
    return new Tmux({ cwd: this.root, env: this.#env, columns, lines });
  }

  /** Plain git in the repository, as the person types it. */
  git(...args: string[]): string {
    return this.gitIn(this.root, ...args);
  }

  gitIn(dir: string, ...args: string[]): string {
    return execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Writes a file of the person's checkout. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** Commits all of the person's checkout, and says which commit that is. */
  commit(message: string): string {
    this.#commit(message);
    return this.tip('HEAD');
  }

  #commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
  }

  tip(ref = 'main'): string {
    return this.git('rev-parse', ref).trim();
  }

  /** The text of a file at a commit. */
  show(path: string, ref = 'main'): string {
    return this.git('show', `${ref}:${path}`);
  }

  writeTasks(tasks: readonly PlanTask[]): void {
    writeFileSync(this.plan, planText(tasks));
  }

  writeScript(script: Script): void {
    writeFileSync(this.scriptFile, scriptText(script));
  }

  /** Lets an agent that waits for this file go on. */
  signal(file: string): void {
    writeFileSync(join(this.stage, file), '');
  }

  isSeen(file: string): boolean {
    return existsSync(join(this.stage, file));
  }

  /** Waits until an agent has made this file on the stage. */
  seen(file: string): Promise<void> {
    return until(() => this.isSeen(file), `the file ${file} on the stage`);
  }

  /** What `env` wrote to the stage. */
  envOf(file: string): { cwd: string; promptBytes?: number; env: Record<string, string> } {
    return JSON.parse(readFileSync(join(this.stage, file), 'utf8'));
  }

  async status(): Promise<Status> {
    return JSON.parse((await this.ym('status', '--json', '--all')).stdout);
  }

  /** One task of the status. */
  async task(id: string): Promise<StatusTask> {
    const found = need((await this.status()).tasks.find((task) => task.id === id));
    return found;
  }

  /** Waits until the status satisfies a condition. Reads it in this process: starting `ym` again would slow the run. */
  untilStatus(holds: (status: Status) => boolean, what: string): Promise<void> {
    return untilStatus(this.root, holds, what);
  }

  /** Waits for the end of every `ym` in the background: a run's last event is stored before its process ends. */
  untilProgramsEnd(): Promise<void> {
    const isOver = () => processesWith(this.tag).every((line) => !line.includes(program));
    return until(isOver, 'the end of every ym');
  }

  /** Every event of the project, read from the store. */
  events(): Promise<readonly Event[]> {
    return this.readStore((store) => store.events({}));
  }

  /** Reads from the store that the programs of this project use. */
  async readStore<T>(read: (store: Store) => Promise<Result<T>>): Promise<T> {
    const address = need(await storeSetting(this.root, this.#env));
    const file = join(this.root, '.git', 'yardmaster', 'yard.db');
    const store = need(
      address.kind === 'sqlite'
        ? await openSqlite(file, { mode: 'read' })
        : await openPostgres(address, { mode: 'read' }),
    );
    const found = await read(store);
    await store.close();
    if (!found.ok) throw new Error(JSON.stringify(found.failure));
    return found.value;
  }

  /** How often each task has landed, by id, as the history of a branch tells. */
  landings(branch = 'main'): Readonly<Record<string, number>> {
    const format = '--format=%(trailers:key=Yard-Task,valueonly,separator=%x2C)';
    const merges = this.git('log', '--first-parent', format, branch).split('\n');
    const counts: Record<string, number> = {};
    for (const id of merges.filter(Boolean)) counts[id] = (counts[id] ?? 0) + 1;
    return counts;
  }

  /** The ids of landed tasks in order of landing. A task that landed twice is there twice. */
  landed(branch = 'main'): readonly string[] {
    const format = '--format=%(trailers:key=Yard-Task,valueonly,separator=%x2C)';
    const log = this.git('log', '--first-parent', '--reverse', format, branch);
    return log.split('\n').filter(Boolean);
  }

  /** Judges every value of a branch's reflog again, each in a clean checkout. `red` must be empty. */
  reflogGreen(
    branch = 'main',
    command = 'sh gate.sh',
  ): { readonly values: readonly string[]; readonly red: readonly string[] } {
    return judgeReflog(this.root, branch, join(this.base, 'judged'), command);
  }

  /** Everything of the person's that a run must leave alone; `target` is the branch that may move. */
  snapshotOfCheckout(target = 'main'): Snapshot {
    return snapshotOf(this.root, (...args) => this.git(...args), target);
  }

  leftovers(): Leftovers {
    return leftoversOf({ ...this, git: (...args) => this.git(...args) });
  }

  /** Ends what the test left running, removes everything, and says what should not have been there. */
  async dispose(): Promise<readonly string[]> {
    const running = this.#children.filter((child) => !child.isOver());
    for (const child of running) child.signal('SIGKILL');
    for (const child of running) await child.end();
    const problems = running.map((child) => `ym was still running as process ${child.pid}`);
    const left = existsSync(join(this.root, '.git')) ? this.leftovers() : undefined;
    for (const [kind, names] of Object.entries(left ?? {})) {
      if (names.length > 0 && !this.#leaves.includes(kind)) {
        problems.push(`${kind} left: ${names.join(', ')}`);
      }
    }
    if (left !== undefined && this.#loses !== 'ledger') {
      problems.push(...(await unaccounted(this.root, this.#loses)));
    }
    killAllWith(this.tag);
    rmSync(this.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    return problems;
  }
}

/** Makes a project that ends with the test; to be called inside of a test. */
export function testProject(options: TestProjectOptions = {}): TestProject {
  const made = new TestProject(options);
  onTestFinished(async ({ task }) => {
    const problems = await made.dispose();
    // Where the test has failed already, what it left is no news.
    if (problems.length > 0 && task.result?.state !== 'fail') throw new Error(problems.join('\n'));
  });
  return made;
}
