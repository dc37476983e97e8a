import { createHash } from 'node:crypto';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { type StoreAddress, storeAddress } from '../model/store-address.ts';
import { settledAll } from '../model/trouble.ts';
import type { StoreCopy, StoreFacts } from '../port/store-copy.ts';
import { projectConfig, setConfig } from './config.ts';
import { activeRun, reading } from './lookup.ts';
import { type Here, type Project, storeName } from './ports.ts';

type Ports = Here &
  Pick<Project, 'root' | 'storeFile' | 'storeSetting' | 'storeCopy' | 'openStore'>;

export interface StoreInfo extends Omit<StoreFacts, 'movedTo'> {
  readonly store: string;
}

export async function storeInfo(project: Ports): Promise<Result<StoreInfo>> {
  const { storeSetting } = project;
  if (!storeSetting.ok) return storeSetting;
  return withCopy(project, storeSetting.value, async (copy) => {
    const facts = await copy.facts();
    if (!facts.ok) return facts;
    const { movedTo, ...rest } = facts.value;
    const file = storeName(project);
    return movedTo === undefined
      ? ok({ store: file, ...rest })
      : fail({ kind: 'store-moved', file, to: movedTo });
  });
}

/** Result of a move. `hash` is that of the log, which is the same in both stores. */
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly events: number;
  readonly hash: string;
  /** True if a variable names a store, which counts more than the config that was written. */
  readonly isOverridden: boolean;
  /** True if the address had a password, which the config does not get. */
  readonly hasPassword: boolean;
}

/**
 * Moves the records of a project to another store. Until the last step the old store is the one that counts: a move that
 * is interrupted loses nothing, and the same command completes it. The old store is kept, and refused from then on.
 */
export async function migrateStore(project: Ports, wanted: string): Promise<Result<Moved>> {
  const { storeSetting } = project;
  if (!storeSetting.ok) return storeSetting;
  const to = storeAddress(wanted);
  if (to === undefined) {
    const remedy = 'Write sqlite, or postgres://USER@HOST/DATABASE.';
    return usage('`--to` names no store', remedy);
  }
  const from = storeSetting.value;
  if (nameOf(from) === nameOf(to)) {
    return usage(`the records are in ${nameOf(to)} already`, '`ym store` shows the store.');
  }
  const config = projectConfig(project);
  if (to.kind === 'sqlite' && config.ok && config.value.workers.remote !== undefined) {
    return usage(
      '`workers.remote` is set, and workers need records in Postgres',
      'Remove `workers.remote` from yardmaster.yaml first.',
    );
  }
  const moved = await withCopy(project, from, (source) =>
    withCopy(project, to, async (target) => {
      const log = await move(project, source, target);
      if (!log.ok) return log;
      const active = await target.mark(undefined, log.value.events);
      return active.ok ? ok({ ...log.value, from: source.name, to: target.name }) : active;
    }),
  );
  if (!moved.ok) return moved;
  const set = await settledAll(setConfig(project, [{ key: 'store', value: nameOf(to) }]));
  const [problem] = set.ok ? [] : set.failure;
  if (problem !== undefined) return fail(problem);
  const hasPassword = to.kind === 'postgres' && new URL(to.url).password !== '';
  const isOverridden = Boolean(project.env.YARDMASTER_STORE);
  return ok({ ...moved.value, isOverridden, hasPassword });
}

const nameOf = (address: StoreAddress): string =>
  address.kind === 'sqlite' ? 'sqlite' : address.shown;

async function withCopy<T>(
  project: Pick<Project, 'storeCopy'>,
  address: StoreAddress,
  work: (copy: StoreCopy) => Promise<Result<T>>,
): Promise<Result<T>> {
  const copy = await project.storeCopy(address);
  if (!copy.ok) return copy;
  try {
    return await work(copy.value);
  } finally {
    await copy.value.close();
  }
}

interface Log {
  readonly events: number;
  readonly hash: string;
}

/** A process may write while the records are copied; then they are copied again. */
const triesMax = 5;

/** Copies the records and marks the old store, or finds that this was done before. */
async function move(project: Ports, source: StoreCopy, target: StoreCopy): Promise<Result<Log>> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await source.facts();
    if (!before.ok) return before;
    const { movedTo, events } = before.value;
    if (movedTo !== undefined && movedTo !== target.name) {
      return fail({ kind: 'store-moved', file: storeName(project), to: movedTo });
    }
    if (movedTo === undefined) {
      const copied = await copyAll(project, source, target);
      if (!copied.ok) return copied;
    }
    const checked = await compare(source, target, events);
    if (!checked.ok || movedTo !== undefined) return checked;
    const marked = await source.mark(target.name, events);
    if (!marked.ok) return marked;
    if (marked.value) return checked;
  }
  return fail({ kind: 'store-busy', file: storeName(project), waitedMs: 0 });
}

async function copyAll(
  project: Ports,
  source: StoreCopy,
  target: StoreCopy,
): Promise<Result<void>> {
  const active = await reading(project, (store) => activeRun({ ...project, store }));
  if (!active.ok) return active;
  if (active.value !== undefined) {
    const { id: run, owner } = active.value;
    return fail({ kind: 'run-writes', run, pid: owner.pid, host: owner.host });
  }
  const there = await target.facts();
  if (!there.ok) return there;
  const known = await logOf(target, there.value.events);
  if (!known.ok) return known;
  const same = await logOf(source, there.value.events);
  if (!same.ok) return same;
  if (known.value.hash !== same.value.hash) {
    return usage(
      `${target.name} has other records`,
      'Name an empty database, or another schema: postgres://…?schema=NAME.',
    );
  }
  return target.replace(source);
}

/** Refuses a copy that differs from the log it was made of. */
async function compare(source: StoreCopy, target: StoreCopy, events: number): Promise<Result<Log>> {
  const [ours, copied] = [await logOf(source, events), await logOf(target, events)];
  if (!ours.ok || !copied.ok) return ours.ok ? copied : ours;
  const differences = await target.differences();
  if (!differences.ok) return differences;
  const [first] = differences.value;
  if (ours.value.hash === copied.value.hash && first === undefined) return ours;
  const detail = first ?? 'its log differs from the one that it was copied from';
  return fail({ kind: 'store-corrupt', file: target.name, detail });
}

/** The first events of a log, as a hash. */
async function logOf(copy: StoreCopy, events: number): Promise<Result<Log>> {
  const hash = createHash('sha256');
  let last = 0;
  while (last < events) {
    const page = await copy.rows(last);
    if (!page.ok) return page;
    for (const { seq, at, version, body } of page.value) {
      if (seq <= events) hash.update(`${seq} ${at} ${version} ${body}\n`);
    }
    if (page.value.length === 0) break;
    last = page.value.at(-1)?.seq ?? events;
  }
  return ok({ events, hash: hash.digest('hex') });
}
