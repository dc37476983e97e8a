import type { Actor } from '../../model/actor.ts';
import type { Event, EventBody } from '../../model/event.ts';
import { fail, ok, type Result } from '../../model/failure.ts';
import { isSameOwner, lockOf, mayTake, projectLock, sharedLease } from '../../model/lease.ts';
import { limits } from '../../model/limits.ts';
import type { Owner, RunId } from '../../model/run.ts';
import type { PostgresAddress } from '../../model/store-address.ts';
import { Trouble } from '../../model/trouble.ts';
import type { AdoptRequest, ClaimRequest, Holder, Store } from '../../port/store.ts';
import { type Draft, firstKeys, foldLater, type Loaded } from '../draft.ts';
import type { Keys } from '../keys.ts';
import { adopt, append, take, takenOver } from '../ledger.ts';
import { Claims, wasCommitted } from './claim.ts';
import { Connection } from './connection.ts';
import { aheadOf, holderOf, queries } from './queries.ts';
import { channelOf, Reader } from './reader.ts';
import { refold } from './refold.ts';
import { conditionOf, lockKeys, migrate, schemaVersion, unfitness } from './schema.ts';
import { type Call, Session } from './session.ts';
import { type Beginning, beginningOf, counters, loading, writing } from './tables.ts';
import { troubleFrom } from './trouble.ts';

/** A repository as its store knows it: by the first commits of its history, which all clones have. */
interface StoreRepository {
  roots(): Promise<readonly string[]>;
  hasAny(roots: readonly string[]): Promise<boolean>;
}

export interface PostgresOptions {
  /** A reader stores no events. */
  readonly mode: 'write' | 'read';
  /** The person on whose behalf this process writes. */
  readonly actor?: Actor;
  /** Time that a call waits for a server that has gone away. */
  readonly reconnectMs?: number;
  /** Interval at which it renews the locks that were taken through it. */
  readonly beatMs?: number;
  /** The repository that it is opened for; without one, nothing is compared. */
  readonly repository?: StoreRepository;
}

/** Opens the store at an address, and creates its schema and tables if they are missing. */
export async function openPostgres(
  address: PostgresAddress,
  options: PostgresOptions,
): Promise<Result<Store>> {
  const { repository } = options;
  const session = await openSession(address, { repository, mode: options.mode });
  if (!session.ok) return session;
  const { reconnectMs = limits.storeReconnectMs } = options;
  return ok(new PostgresStore(new Connection(address, session.value, reconnectMs), options));
}

/** A connection to a store whose tables are up to date and, unless a copy is allowed, in use. */
export async function openSession(
  address: PostgresAddress,
  {
    moved = 'refused',
    repository,
    mode = 'read',
  }: { readonly moved?: 'allowed' | 'refused' } & Partial<
    Pick<PostgresOptions, 'repository' | 'mode'>
  > = {},
): Promise<Result<Session>> {
  let session: Session | undefined;
  try {
    session = await Session.connect(address);
    const found = await conditionOf(session);
    const detail = unfitness(found);
    const file = address.shown;
    const isInUse = found.movedTo === undefined || moved === 'allowed';
    if (detail === undefined && found.version <= schemaVersion && isInUse) {
      if (found.version < schemaVersion) await migrate(session, address, refold);
      const own = await ownRoots(session, found.roots, { repository, mode });
      if (own) return ok(session);
      await session.close();
      const detail = `its history begins with ${found.roots.join(', ')}`;
      return fail({ kind: 'store-unavailable', store: file, problem: 'foreign', detail });
    }
    await session.close();
    if (detail !== undefined) {
      return fail({ kind: 'store-unavailable', store: file, problem: 'unfit', detail });
    }
    if (found.movedTo !== undefined) return fail({ kind: 'store-moved', file, to: found.movedTo });
    return fail({ kind: 'store-newer', file, found: found.version, known: schemaVersion });
  } catch (error) {
    session?.abandon();
    if (error instanceof Trouble) return fail(error.failure);
    return fail(troubleFrom(error, address.shown, 0));
  }
}

/** Fails if the records at an address were moved away, or if the server does not answer. Changes nothing there. */
export async function checkInUse(address: PostgresAddress): Promise<Result<void>> {
  let session: Session | undefined;
  try {
    session = await Session.connect(address);
    const { movedTo } = await conditionOf(session);
    await session.close();
    if (movedTo === undefined) return ok(undefined);
    return fail({ kind: 'store-moved', file: address.shown, to: movedTo });
  } catch (error) {
    session?.abandon();
    return fail(troubleFrom(error, address.shown, 0));
  }
}

/** True if a store is about this repository. One that no repository has used is from now on. */
async function ownRoots(
  session: Session,
  known: readonly string[],
  {
    repository,
    mode,
  }: Pick<PostgresOptions, 'mode'> & {
    readonly repository: StoreRepository | undefined;
  },
): Promise<boolean> {
  if (repository === undefined) return true;
  if (known.length > 0) return repository.hasAny(known);
  if (mode === 'read') return true;
  const roots = await repository.roots();
  if (roots.length > 0) await session.batch([[queries.set_roots, roots.join(' ')]]);
  return true;
}

class PostgresStore extends Reader implements Store {
  readonly isShared = true;
  readonly #options: PostgresOptions;
  readonly #lock: Call;
  readonly #channel: string;
  readonly #claims: Claims;
  /** Locks that were taken through this store. */
  readonly #held = new Map<string, Holder>();
  #beats: NodeJS.Timeout | undefined;
  #isBeating = false;
  #aheadMs = 0;

  constructor(connection: Connection, options: PostgresOptions) {
    super(connection);
    this.#options = options;
    const { schema, shown } = connection.address;
    this.#lock = [queries.write_lock, ...lockKeys(schema, 'write')];
    this.#channel = channelOf(connection.address);
    const context = { lock: this.#lock, channel: this.#channel, shown };
    this.#claims = new Claims(context, (work) => this.#write(work));
  }

  append(
    at: number,
    events: readonly EventBody[],
    writer?: RunId,
  ): Promise<Result<readonly Event[]>> {
    const rules = (draft: Draft) => append(draft, at, events, writer, this.#options.actor);
    return this.#write(this.#transaction(writer, rules));
  }

  async claim(at: number, request: ClaimRequest): Promise<Result<Event>> {
    const { run } = request;
    const rules = (draft: Draft) => take(draft, at, request);
    const held = () => this.#held.get(lockOf(run));
    const locked = this.#transaction(run, rules, { claims: true });
    const claimed = await this.#claims.make({ request, rules, held }, locked);
    if (claimed.ok) this.tell(claimed.value.seq);
    return claimed;
  }

  adopt(at: number, request: AdoptRequest): Promise<Result<Event>> {
    const rules = (draft: Draft) => adopt(draft, at, request);
    return this.#write(this.#transaction(request.run, rules, { claims: true }));
  }

  renew(run: RunId, leaseUntil: number): Promise<Result<void>> {
    return this.#write(async (session) => {
      const names = [lockOf(run), projectLock];
      const [, , driverRow = [], projectRow = []] = await session.batch([
        'BEGIN',
        this.#lock,
        ...names.map((name): Call => [queries.holder, name]),
      ]);
      const driver = holderOf(lockOf(run), driverRow);
      const lost = takenOver(run, this.#held.get(lockOf(run)), driver);
      if (lost !== undefined) return this.#rolledBack(session, lost);
      this.#aheadMs = driverRow.map(aheadOf)[0] ?? 0;
      const renewed = [driver, holderOf(projectLock, projectRow)].flatMap((holder, at) =>
        holder === undefined || !isSameOwner(holder, driver)
          ? []
          : [[names[at] ?? '', this.#leased(holder, leaseUntil)] as const],
      );
      await session.batch([
        [queries.renew_claims, leaseUntil, run],
        ...renewed.map(
          ([name, holder]): Call => [queries.set_holder, name, JSON.stringify(holder)],
        ),
        'COMMIT',
      ]);
      for (const name of this.#held.keys()) await this.connection.take(session, name);
      return ok(undefined);
    });
  }

  lock(name: string, holder: Holder, dead?: Holder): Promise<Result<Holder | undefined>> {
    return this.#write(async (session) => {
      const [, , row = []] = await session.batch(['BEGIN', this.#lock, [queries.holder, name]]);
      const before = holderOf(name, row);
      // A holder whose connection is alive keeps the lock, whatever the clocks of the two machines say.
      if (
        !mayTake(before, holder, dead) ||
        !(await this.#takeSession(session, name, before, holder))
      ) {
        await session.batch(['ROLLBACK']);
        return ok(before);
      }
      this.#aheadMs = row.map(aheadOf)[0] ?? 0;
      const stored = this.#leased(holder, holder.until);
      await session.batch([[queries.set_holder, name, JSON.stringify(stored)], 'COMMIT']);
      this.#held.set(name, holder);
      const { beatMs = sharedLease.beatMs } = this.#options;
      this.#beats ??= setInterval(() => void this.#beat(), beatMs).unref();
      return ok(undefined);
    });
  }

  /** A holder as it is stored: by the clock of the server, and for a short time, since the store renews it. */
  #leased({ pid, startedAt, host }: Owner, until: number): Holder {
    const end = Math.min(until, Date.now() + sharedLease.ms) + this.#aheadMs;
    return { pid, startedAt, host, until: end };
  }

  /**
   * Renews all locks, whatever else this process is busy with. One that was taken over is left alone. Trouble is
   * reported by the next call that needs the store.
   */
  async #beat(): Promise<void> {
    if (this.#isBeating || this.#held.size === 0) return;
    this.#isBeating = true;
    await this.#write(async (session) => {
      for (const [name, holder] of this.#held) {
        const { until, ...owner } = this.#leased(holder, Number.POSITIVE_INFINITY);
        const text = JSON.stringify(owner).replace(/}$/, ',');
        const [[kept] = []] = await session.batch([
          [queries.beat, name, text, `"until":${until}}`],
        ]);
        if (kept !== undefined) await this.connection.take(session, name);
      }
      return ok(undefined);
    });
    this.#isBeating = false;
  }

  override close(): Promise<void> {
    clearInterval(this.#beats);
    return super.close();
  }

  async #takeSession(
    session: Session,
    name: string,
    before: Holder | undefined,
    holder: Holder,
  ): Promise<boolean> {
    const isTaken = await this.connection.take(session, name);
    return isTaken || before === undefined || isSameOwner(before, holder);
  }

  unlock(name: string, owner: Owner): Promise<Result<void>> {
    return this.#write(async (session) => {
      const [, , row = []] = await session.batch(['BEGIN', this.#lock, [queries.holder, name]]);
      const isOurs = isSameOwner(holderOf(name, row), owner);
      const drop: readonly Call[] = isOurs ? [[queries.drop_holder, name]] : [];
      await session.batch([...drop, 'COMMIT']);
      if (!isOurs) return ok(undefined);
      this.#held.delete(name);
      await this.connection.release(session, name);
      return ok(undefined);
    });
  }

  async #write<T>(work: (session: Session) => Promise<Result<T>>): Promise<Result<T>> {
    if (this.#options.mode === 'write') return this.connection.use(work);
    const detail = 'It was opened for reading';
    return fail({ kind: 'store-failed', file: this.connection.address.shown, detail });
  }

  /**
   * A transaction of `ledger.ts`, in two round trips if the events name all records that their fold reads. If the
   * answer to the commit is lost, the database is asked what became of the transaction.
   */
  #transaction<T extends Event | readonly Event[]>(
    writer: RunId | undefined,
    rules: (draft: Draft) => Result<T>,
    { claims = false }: { readonly claims?: boolean } = {},
  ): (session: Session) => Promise<Result<T>> {
    let sent: { readonly transaction: string; readonly result: Result<T> } | undefined;
    return async (session) => {
      if (sent !== undefined && (await wasCommitted(session, sent.transaction))) return sent.result;
      const first = firstKeys(rules);
      const found = await this.#begin(session, [counters(claims)], first, writer);
      if (!found.ok) return this.#rolledBack(session, found);
      const { beginning, loaded } = found.value;
      const load = async (keys: Keys) => {
        const { calls, read } = loading(keys);
        return read(await session.batch(calls));
      };
      const [result, draft] = await foldLater(beginning, load, rules, [[first, loaded]]);
      if (!result.ok) return this.#rolledBack(session, result);
      const changes = draft.changes();
      sent = { transaction: beginning.transaction, result };
      const seq = draft.lastSeq;
      const tell = changes.events.length === 0 ? [] : [`NOTIFY ${this.#channel}, '${seq}'`];
      await session.batch([...writing(changes), ...tell, 'COMMIT']);
      this.tell(seq);
      return result;
    };
  }

  async #rolledBack(session: Session, result: Result<never>): Promise<Result<never>> {
    await session.batch(['ROLLBACK']);
    return result;
  }

  /** Begins a transaction, waits for the lock of all writers, and loads what is needed. */
  async #begin(
    session: Session,
    begin: readonly Call[],
    keys: Keys,
    writer: RunId | undefined,
  ): Promise<Result<{ readonly beginning: Beginning; readonly loaded: Loaded }>> {
    const { calls, read } = loading(keys);
    const guard: readonly Call[] =
      writer !== undefined && this.#held.has(lockOf(writer))
        ? [[queries.holder, lockOf(writer)]]
        : [];
    const answers = await session.batch(['BEGIN', this.#lock, ...begin, ...calls, ...guard]);
    const [, , counted = [], ...rest] = answers;
    const beginning = beginningOf(counted);
    const file = this.connection.address.shown;
    if (beginning.movedTo !== undefined) {
      return fail({ kind: 'store-moved', file, to: beginning.movedTo });
    }
    if (writer !== undefined) {
      const holder = holderOf(lockOf(writer), rest.slice(calls.length).flat());
      const lost = takenOver(writer, this.#held.get(lockOf(writer)), holder);
      if (lost !== undefined) return lost;
    }
    return ok({ beginning, loaded: read(rest) });
  }
}
