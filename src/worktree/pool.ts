import type { HeldCommit, Worktree } from '../model/attempt.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { idOf, type OwnerFiles, type OwnerRecord, ownerFiles } from './owner.ts';
import { namesFor, type Reach, reach, saveHead } from './save.ts';

interface Removal {
  readonly removed: readonly Worktree[];
  /** Work that was saved before its worktree was removed. */
  readonly saved: readonly HeldCommit[];
  /** Worktrees that could not be removed, and why. */
  readonly left: readonly { readonly worktree: Worktree; readonly failure: Failure }[];
}

interface HeldWorktree {
  readonly key: string;
  /** Run whose pool created the worktree; the attempt belongs to it, whichever run came later. */
  readonly run: string;
  readonly worktree: Worktree;
}

/** Worktrees of one run. A worktree taken for a key stays with it, also after a crash, until it is given back. */
export interface Pool {
  /**
   * Returns the key's worktree: the one it has, a free one, or a new one at `commit` (default HEAD). It holds whatever
   * was left there; a new one is empty. `point` fills and cleans it.
   */
  take(key: string, commit?: string): Promise<Result<Worktree>>;
  /** Frees the key's worktree. Its work must be saved before: the next taker overwrites it. */
  give(key: string): Promise<Result<void>>;
  /** Frees the key's worktree for good: it cannot be reset, so it is not used again. It is removed with the others. */
  retire(key: string): Promise<Result<void>>;
  /** Worktrees held by attempts; gate worktrees are not included. */
  held(): readonly HeldWorktree[];
  /** Adds the worktrees of another run of the project to this pool. */
  join(run: string): Promise<Result<void>>;
  /** Worktree for candidates, one per gate slot. */
  gateTree(slot?: number): Promise<Result<Worktree>>;
  /**
   * Removes all free worktrees. A commit that no ref contains is saved first, unless it has `landed` in another form.
   * Uncommitted edits are not saved: the last holder saved its work, so they are gate leftovers.
   */
  removeAll(landed?: ReadonlySet<string>): Promise<Result<Removal>>;
  /** Progress of `removeAll`; undefined while it is not running. */
  removal(): RemovalProgress | undefined;
}

interface PoolOptions {
  readonly git: Git;
  /** Folder that holds the worktrees of all projects. */
  readonly stateDir: string;
  readonly project: string;
  readonly run: string;
  readonly now?: () => number;
  /** Parallel attempts. Beyond that number the pool waits a moment before it creates another worktree. */
  readonly slots?: number;
  /** Called with a worktree's folder before it is removed. */
  readonly release?: (dir: string) => Promise<void>;
}

export interface RemovalProgress {
  readonly all: number;
  readonly left: number;
}

/** Opens the pool of a run with the worktrees that an earlier process of the run left. */
export function worktreePool({ stateDir, ...options }: PoolOptions): Promise<Result<Pool>> {
  return openPool({ ...options, files: (run) => ownerFiles(stateDir, options.project, run) });
}

interface PoolParts extends Omit<PoolOptions, 'stateDir'> {
  /** Storage of the worktrees of a run. */
  readonly files: (run: string) => OwnerFiles;
}

const gateKey = (slot: number): string => (slot === 0 ? 'gate' : `gate:${slot}`);
const isGateKey = (key: string): boolean => key === 'gate' || key.startsWith('gate:');

export async function openPool(parts: PoolParts): Promise<Result<Pool>> {
  const repository = await parts.git.inspect();
  const pool = new RecordedPool(parts, repository.commonDir);
  const joined = await pool.join(parts.run);
  return joined.ok ? ok(pool) : joined;
}

/** Creates new worktrees for its own run; worktrees of joined runs stay where they are. */
class RecordedPool implements Pool {
  readonly #parts: PoolParts;
  readonly #repository: string;
  readonly #runs = new Set<string>();
  readonly #records = new Map<string, OwnerRecord>();
  readonly #taking = new Map<string, Promise<Result<Worktree>>>();
  #removal: RemovalProgress | undefined;
  #making: Promise<unknown> = Promise.resolve();
  /** Duration of the last worktree creation. */
  #makingMs = 0;
  /** Callers that wait for a free worktree, longest first. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: PoolParts, repository: string) {
    this.#parts = parts;
    this.#repository = repository;
  }

  async join(run: string): Promise<Result<void>> {
    if (this.#runs.has(run)) return ok(undefined);
    const listed = await this.#parts.files(run).list();
    if (!listed.ok) return listed;
    this.#runs.add(run);
    for (const record of listed.value) this.#records.set(idOf(run, record.n), record);
    return ok(undefined);
  }

  take(key: string, commit?: string): Promise<Result<Worktree>> {
    const underWay = this.#taking.get(key);
    if (underWay !== undefined) return underWay;
    const taking = this.#take(key, commit).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  gateTree(slot = 0): Promise<Result<Worktree>> {
    return this.take(gateKey(slot));
  }

  async give(key: string): Promise<Result<void>> {
    await this.#taking.get(key);
    const record = this.#of(key);
    if (record === undefined) return ok(undefined);
    const given = await this.#put(freed(record));
    const [first] = this.#waiting;
    if (given.ok && this.#isOwn(record)) first?.();
    return given;
  }

  async retire(key: string): Promise<Result<void>> {
    await this.#taking.get(key);
    const record = this.#of(key);
    return record === undefined ? ok(undefined) : this.#put({ ...freed(record), spoilt: true });
  }

  held(): readonly HeldWorktree[] {
    return [...this.#records.values()].flatMap((record) =>
      record.key === undefined || isGateKey(record.key)
        ? []
        : [{ key: record.key, run: record.run, worktree: this.#worktree(record) }],
    );
  }

  async removeAll(landed: ReadonlySet<string> = new Set()): Promise<Result<Removal>> {
    await Promise.all(this.#taking.values());
    const found = reach(this.#parts.git);
    const reached: Reach = async (commit) => (landed.has(commit) ? ok(true) : found(commit));
    const removed: Worktree[] = [];
    const saved: HeldCommit[] = [];
    const left: { worktree: Worktree; failure: Failure }[] = [];
    const free = [...this.#records.values()]
      .filter(({ key }) => key === undefined || isGateKey(key))
      .sort((a, b) => Number(this.#isOwn(a)) - Number(this.#isOwn(b)));
    const all = free.length;
    for (const [at, record] of free.entries()) {
      this.#removal = { all, left: all - at };
      const worktree = this.#worktree(record);
      const gone = await settled(this.#remove(record, reached));
      if (!gone.ok) left.push({ worktree, failure: gone.failure });
      else removed.push(worktree);
      if (gone.ok && gone.value !== undefined) saved.push(gone.value);
    }
    this.#removal = undefined;
    const used = new Set([...this.#records.values()].map(({ run }) => run));
    for (const run of this.#runs) {
      if (!used.has(run)) await this.#parts.files(run).removeFolder();
    }
    return ok({ removed, saved, left });
  }

  removal(): RemovalProgress | undefined {
    return this.#removal;
  }

  #isOwn({ run }: OwnerRecord): boolean {
    return run === this.#parts.run;
  }

  #own(): readonly OwnerRecord[] {
    return [...this.#records.values()].filter((record) => this.#isOwn(record));
  }

  #of(key: string): OwnerRecord | undefined {
    const holders = [...this.#records.values()].filter((record) => record.key === key);
    const own = holders.find((record) => this.#isOwn(record));
    // A joined run may hold the worktree of an attempt, but its gates are not ours.
    return isGateKey(key) ? own : (holders.find((record) => !this.#isOwn(record)) ?? own);
  }

  #worktree({ run, n }: OwnerRecord): Worktree {
    return { id: idOf(run, n), dir: this.#parts.files(run).dirOf(n) };
  }

  async #put(record: OwnerRecord): Promise<Result<void>> {
    // In memory first, so that two takers in one tick do not choose the same worktree.
    const id = idOf(record.run, record.n);
    const before = this.#records.get(id);
    this.#records.set(id, record);
    const stored = await this.#parts.files(record.run).put(record);
    if (stored.ok) return stored;
    if (before === undefined) this.#records.delete(id);
    else this.#records.set(id, before);
    return stored;
  }

  async #take(key: string, commit: string | undefined): Promise<Result<Worktree>> {
    const known = this.#of(key);
    if (known === undefined && !isGateKey(key)) await this.#hesitate();
    for (;;) {
      const record = known ?? this.#choose(key);
      const stored = await this.#put(record);
      if (!stored.ok) return stored;
      if (record.ready && (await this.#isThere(record))) return ok(this.#worktree(record));
      const made = await settled(this.#inTurn(() => this.#make(record, commit)));
      // One that the key had before may hold its work, whatever became of the folder.
      if (made.ok || known !== undefined) return made;
      const spoilt = record.ready ? { spoilt: true } : {};
      const undone = await this.#put({ ...freed(record), ready: false, ...spoilt });
      if (!undone.ok) return undone;
      if (!record.ready) return made;
    }
  }

  /**
   * If all slots hold a worktree, one of them is likely to land soon. Waits as long as the last creation took for one
   * to be freed: at worst this doubles the time, and with quick landings no worktree is created.
   */
  async #hesitate(): Promise<void> {
    const usable = this.#own().filter(({ spoilt }) => spoilt !== true);
    const keys = usable.map(({ key = '' }) => key);
    const held = keys.filter((key) => key !== '' && !isGateKey(key));
    const { slots = Number.POSITIVE_INFINITY } = this.#parts;
    if (keys.includes('') || held.length < slots) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, this.#makingMs);
      this.#waiting.add(go);
    });
  }

  /** Prefers a ready worktree, then one whose creation was cut short, then a new number. */
  #choose(key: string): OwnerRecord {
    const own = this.#own();
    const free = own.filter((record) => record.key === undefined && record.spoilt !== true);
    const found = free.find((record) => record.ready) ?? free[0];
    if (found !== undefined) return { ...found, key };
    const { project, run, now = Date.now } = this.#parts;
    const n = Math.max(0, ...own.map((record) => record.n)) + 1;
    const repository = this.#repository;
    return { project, run, n, repository, createdAt: now(), ready: false, key };
  }

  /** An agent may have removed its worktree. */
  async #isThere(record: OwnerRecord): Promise<boolean> {
    const there = await outcomeOf(this.#parts.git.hasWorktree(this.#worktree(record).dir));
    return there.ok && there.value;
  }

  async #make(record: OwnerRecord, commit: string | undefined): Promise<Result<Worktree>> {
    const { git } = this.#parts;
    const at = commit === undefined ? await git.resolve('HEAD') : commit;
    const worktree = this.#worktree(record);
    if (at === undefined) return notMade('the repository has no commit yet');
    const begin = performance.now();
    const how = { empty: true, adopt: record.ready };
    const added = await outcomeOf(git.addWorktree(worktree.dir, at, how));
    if (!added.ok) return notMade(causeOf(added.failure));
    this.#makingMs = performance.now() - begin;
    const stored = await this.#put({ ...record, ready: true });
    return stored.ok ? ok(worktree) : stored;
  }

  /** Creates one worktree at a time: as fast as in parallel, and avoids races inside git. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#making.then(work);
    this.#making = turn.catch(() => {});
    return turn;
  }

  async #remove(record: OwnerRecord, reached: Reach): Promise<Result<HeldCommit | undefined>> {
    const { git, files, release } = this.#parts;
    const { run, n } = record;
    const { dir } = this.#worktree(record);
    // A gate worktree holds only a candidate's commit, so nothing needs saving.
    const isGate = record.key !== undefined;
    const mayHoldWork = !isGate && record.ready && (await this.#isThere(record));
    const names = namesFor(run, n);
    const saved = mayHoldWork
      ? await settled(saveHead(git, reached, { dir, names }))
      : ok(undefined);
    if (!saved.ok) return saved;
    await release?.(dir);
    await git.removeWorktree(dir);
    const forgotten = await files(run).remove(n);
    if (!forgotten.ok) return forgotten;
    this.#records.delete(idOf(run, n));
    return saved;
  }
}

function freed({ key: _key, ...record }: OwnerRecord): OwnerRecord {
  return record;
}

const notMade = (cause: string) => fail({ kind: 'worktree-failed', cause } as const);

function causeOf(failure: Failure): string {
  if (failure.kind === 'git-failed') return failure.stderr;
  return ('cause' in failure ? failure.cause : undefined) ?? failure.kind;
}
