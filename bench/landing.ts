// Landing one queued branch, without its gate: what the engine does between two gates, on a real repository and a real
// store, against `git merge --no-ff` in a checkout. Used by `bench/landing.mjs` and by the test of the limit.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports, RunContext } from '../src/engine/context.ts';
import { Journal } from '../src/engine/journal.ts';
import { sealed } from '../src/engine/seal.ts';
import { performBuildCandidate, performLand } from '../src/engine/train.ts';
import { gateId } from '../src/gate/gate.ts';
import { gitCli } from '../src/git/cli.ts';
import { branchOf, keepRef } from '../src/model/branch.ts';
import type { EventBody } from '../src/model/event.ts';
import type { Result } from '../src/model/failure.ts';
import { decide } from '../src/plan/decide.ts';
import { State } from '../src/plan/state.ts';
import type { Store } from '../src/port/store.ts';
import { systemClock } from '../src/process/system-clock.ts';
import { openSqlite } from '../src/record/sqlite.ts';
import { owner, settings, task } from '../test/story.ts';

const run = 'r1';
const commands = ['true'];
const committer = 'committer Bench <bench@example.com> 1700000000 +0000\n';

/** What something took, in milliseconds. */
export interface Taken {
  readonly wallMs: number;
  /** Of this process and all that it starts; of single short steps only the sum over many means anything. */
  readonly cpuMs: number;
}

const tickMs = 10;

/** Processor time of ours so far: this process, the children that have ended, and those that live. */
function cpuMs(): number {
  const fields = (pid: string): readonly number[] => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  };
  const ticks = (of: readonly number[], from: number, to: number): number =>
    of.slice(from, to).reduce((sum, one) => sum + one, 0);
  const living = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' ').filter(Boolean),
  );
  const theirs = living.reduce((sum, pid) => sum + ticks(fields(pid), 11, 15), 0);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (theirs + ticks(fields('self'), 13, 15)) * tickMs;
}

/** Adds up the time between `start` and `stop`. */
class Watch {
  #wall = 0;
  #cpu = 0;
  #since: Taken | undefined;

  start(): this {
    this.#since = { cpuMs: cpuMs(), wallMs: performance.now() };
    return this;
  }

  stop(): Taken {
    const since = this.#since ?? { wallMs: Number.NaN, cpuMs: Number.NaN };
    this.#wall += performance.now() - since.wallMs;
    this.#cpu += cpuMs() - since.cpuMs;
    return { wallMs: this.#wall, cpuMs: this.#cpu };
  }
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

/** Runs git to its end and gives what it prints. */
export function git(cwd: string, args: readonly string[], input?: string): Promise<string> {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn('git', args, { cwd, stdio: [stdin, 'pipe', 'inherit'] });
  const printed: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stdin?.end(input);
  return new Promise((done, refuse) => {
    child.on('error', refuse);
    child.on('close', (code) => {
      if (code === 0) done(Buffer.concat(printed).toString('utf8').trim());
      else refuse(new Error(`git ${args.join(' ')} ended with ${code} in ${cwd}`));
    });
  });
}

const filesPerFolder = 50;

/** A repository of so many small files, checked out. Gives their names. */
export async function largeRepository(dir: string, count: number): Promise<readonly string[]> {
  const files = Array.from(
    { length: count },
    (_, n) => `src/part-${Math.floor(n / filesPerFolder)}/file-${n}.ts`,
  );
  mkdirSync(dir, { recursive: true });
  await git(dir, ['init', '-q', '-b', 'main']);
  for (const [name, value] of [
    ['user.name', 'Bench'],
    ['user.email', 'bench@example.com'],
    ['gc.auto', '0'],
  ] as const) {
    await git(dir, ['config', name, value]);
  }
  const text = (n: number) =>
    Array.from({ length: 24 }, (_, k) => `export const v_${n}_${k} = ${n * k};\n`).join('');
  const written = files
    .map((file, n) => `M 644 inline ${file}\ndata <<END\n${text(n)}END\n`)
    .join('');
  const commit = `commit refs/heads/main\n${committer}data <<END\nStart\nEND\n${written}\n`;
  await git(dir, ['fast-import', '--quiet'], commit);
  await git(dir, ['reset', '-q', '--hard']);
  return files;
}

/** A branch on `base` that changes one file of the repository and adds one, made without a checkout. */
async function makeBranch(dir: string, ref: string, base: string, name: string, changed: string) {
  const file = (path: string, text: string) => `M 644 inline ${path}\ndata <<END\n${text}\nEND\n`;
  const commit =
    `commit ${ref}\n${committer}data <<END\n${name}\nEND\n` +
    `from ${base}\n${file(changed, `changed by ${name}`)}${file(`work/${name}.txt`, name)}\n`;
  await git(dir, ['fast-import', '--quiet', '--force'], commit);
  return git(dir, ['rev-parse', ref]);
}

/** Merges one branch after the other by hand; each call says what one merge took. */
export async function byHand(dir: string, files: readonly string[]): Promise<() => Promise<Taken>> {
  const base = await git(dir, ['rev-parse', 'HEAD']);
  let count = 0;
  return async () => {
    count += 1;
    const side = `side-${count}`;
    await makeBranch(dir, `refs/heads/${side}`, base, side, files[count % files.length] ?? '');
    const watch = new Watch().start();
    await git(dir, ['merge', '-q', '--no-ff', '-m', `merge ${side}`, side]);
    return watch.stop();
  };
}

export interface Wish {
  /** The repository, on the branch `main`. */
  readonly dir: string;
  /** Where the store and the worktrees go. */
  readonly scratch: string;
  /** Names of files in it that branches may change, one each. */
  readonly files: readonly string[];
  /** Branches that wait for the train at any time, the one that lands included. */
  readonly queue: number;
  /** The branch they land on; it need not be checked out anywhere. */
  readonly target: string;
  /** As many may share a candidate; one where absent. */
  readonly batch?: number;
}

/** A run in which as many branches wait, each with the worktree that its attempt holds. */
export class Landings {
  readonly #wish: Wish;
  readonly #state = new State();
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #ports: Ports;
  readonly #context: RunContext;
  readonly #base: string;
  readonly #worktrees = new Map<string, string>();
  #made = 0;

  static async open(wish: Wish): Promise<Landings> {
    mkdirSync(wish.scratch, { recursive: true });
    const store = must(await openSqlite(join(wish.scratch, 'yard.db'), { mode: 'write' }));
    const base = await git(wish.dir, ['rev-parse', wish.target]);
    const landings = new Landings(wish, store, base);
    await landings.#begin();
    for (let n = 0; n < wish.queue; n += 1) await landings.#queue();
    return landings;
  }

  private constructor(wish: Wish, store: Store, base: string) {
    this.#wish = wish;
    this.#store = store;
    this.#base = base;
    const clock = systemClock();
    this.#journal = new Journal(store, clock, run, this.#state, () => {});
    // The train asks for nothing else.
    this.#ports = { git: gitCli(wish.dir), clock, store } as unknown as Ports;
    const gate = { id: gateId(commands), commands, timeoutMs: 60_000 };
    const key = new Uint8Array(32);
    const secret = key;
    this.#context = {
      run,
      target: wish.target,
      dir: wish.scratch,
      gate,
      secret,
    } as unknown as RunContext;
  }

  async #begin(): Promise<void> {
    const pool = this.#wish.queue + 1;
    const { target, batch = 1 } = this.#wish;
    const train = { batch, style: 'merge' } as const;
    const told = settings({ target, jobs: 1, pool, train, gate: this.#context.gate.id });
    must(await this.#journal.load());
    await this.#tell({ type: 'run-started', run, owner, settings: told, base: this.#base });
  }

  async #tell(...events: readonly EventBody[]): Promise<void> {
    must(await this.#journal.append(events));
  }

  /** One more attempt is done and waits. */
  async #queue(): Promise<void> {
    const { dir, scratch, files } = this.#wish;
    const n = this.#made;
    this.#made += 1;
    const id = `t${n}`;
    const branch = branchOf(run, id, 1);
    const ref = `refs/heads/${branch}`;
    const changed = files[n % files.length] ?? '';
    const commit = await makeBranch(dir, ref, this.#base, id, changed);
    await git(dir, ['update-ref', keepRef(run, id, 1), commit]);
    const worktree = join(scratch, 'trees', id);
    await git(dir, ['worktree', 'add', '-q', '--no-checkout', worktree, branch]);
    this.#worktrees.set(id, worktree);
    const tree = await git(dir, ['rev-parse', `${commit}^{tree}`]);
    const of = { run, id, attempt: 1 };
    await this.#tell({ type: 'task-added', task: task(id) });
    const wanted = { id, attempt: 1, slot: 1, agent: 'scripted', branch };
    must(await this.#journal.claim([wanted]));
    await this.#tell(
      { type: 'worktree-ready', ...of, worktree: { id, dir: worktree }, base: this.#base },
      { type: 'turn-started', ...of, turn: 1, slot: 1 },
      { type: 'turn-ended', ...of, turn: 1, result: { ok: true, tail: '' } },
      { type: 'work-captured', ...of, commit, tree, by: 'agent' },
      { type: 'gate-skipped', ...of, tree, reason: 'bench' },
    );
  }

  /**
   * Lands the head of the queue and puts as many branches at its end. What the landing of one took, without a gate; the
   * branches of one candidate share what was done once.
   */
  async next(): Promise<Taken> {
    const before = this.#state.run(run)?.train.landed ?? 0;
    const watch = new Watch().start();
    await this.#do('build-candidate');
    watch.stop();
    const candidate = this.#state.run(run)?.train.candidates[0];
    if (candidate === undefined) throw new Error('no candidate was built');
    const { tree, entries } = candidate;
    const gate = this.#context.gate.id;
    const verdict = sealed(this.#context, tree, gate, { id: 'passed', ms: 1 });
    const of = { run, candidate: candidate.id, tree, gate };
    await this.#tell({ type: 'candidate-judged', ...of, verdict, cached: false });
    watch.start();
    await this.#do('land');
    const taken = watch.stop();
    const landed = (this.#state.run(run)?.train.landed ?? 0) - before;
    if (landed !== entries.length) throw new Error(`${landed} landed of ${entries.length}`);
    for (const entry of entries) {
      const worktree = this.#worktrees.get(entry.id) ?? '';
      this.#worktrees.delete(entry.id);
      await git(this.#wish.dir, ['worktree', 'remove', '--force', worktree]);
      await this.#queue();
    }
    return { wallMs: taken.wallMs / landed, cpuMs: taken.cpuMs / landed };
  }

  /** Decides, and does what the train asks for. */
  async #do(type: 'build-candidate' | 'land'): Promise<void> {
    const { commands } = decide(this.#state, run, this.#ports.clock.now());
    const command = commands.find((one) => one.type === type);
    if (command?.type === 'build-candidate') {
      await this.#tell(...must(await performBuildCandidate(this.#ports, this.#context, command)));
    } else if (command?.type === 'land') {
      await this.#tell(...must(await performLand(this.#ports, this.#context, command)));
    } else throw new Error(`no ${type} among ${commands.map((one) => one.type).join(' ')}`);
  }

  async close(): Promise<void> {
    await this.#ports.git.close();
    await this.#store.close();
    rmSync(this.#wish.scratch, { recursive: true, force: true });
    await git(this.#wish.dir, ['worktree', 'prune']);
    const ours = await git(this.#wish.dir, [
      'for-each-ref',
      '--format=delete %(refname)',
      'refs/heads/yard',
      'refs/yard',
    ]);
    await git(this.#wish.dir, ['update-ref', '--stdin'], `${ours}\n`);
  }
}
