// One process with claimers of a store, each with a connection of its own. They claim
// the tasks that the claimers of all processes share. Each claimer also tries every tenth task of the next one, so that some claims collide.
import { storeAddress } from '../src/model/store-address.ts';
import type { Store } from '../src/port/store.ts';
import { openPostgres } from '../src/record/postgres/store.ts';
import { openSqlite } from '../src/record/sqlite.ts';
import { task } from '../test/story.ts';

export async function openStore(place: string): Promise<Store> {
  const address = storeAddress(place);
  const store =
    address?.kind === 'postgres'
      ? await openPostgres(address, { mode: 'write' })
      : await openSqlite(place, { mode: 'write', busyMs: 60_000 });
  if (!store.ok) throw new Error(JSON.stringify(store.failure));
  return store.value;
}

/** Adds tasks that are ready. */
export async function fill(place: string, tasks: number): Promise<void> {
  const store = await openStore(place);
  const events = Array.from({ length: tasks }, (_, at) => ({
    type: 'task-added' as const,
    task: task(`t${at}`),
  }));
  const stored = await store.append(Date.now(), events);
  if (!stored.ok) throw new Error(JSON.stringify(stored.failure));
  await store.close();
}

/** Claims that each claimer makes before the clock starts, so that its code is compiled. */
export const warmUp = 250;

/** Tasks that a claimer wants. The first ones are wanted by no other. */
async function wantedBy(store: Store, number: number, all: number): Promise<readonly string[]> {
  const ids = await store.ids('tasks');
  if (!ids.ok) throw new Error(JSON.stringify(ids.failure));
  return ids.value.filter((_, at) => {
    if (at % all === number) return true;
    const round = Math.floor(at / all);
    return at % all === (number + 1) % all && round % 10 === 0 && round >= warmUp;
  });
}

/** Claims tasks for `slots` slots at once, and returns those that it got. */
async function claim(store: Store, number: number, slots: number, ids: readonly string[]) {
  const won: string[] = [];
  for (let from = 0; from < ids.length; from += slots) {
    const now = Date.now();
    const claims = ids.slice(from, from + slots).map(async (id, nth) => {
      const claimed = await store.claim(now, {
        run: `r${number}`,
        id,
        attempt: 1,
        slot: nth + 1,
        agent: 'scripted',
        branch: `yard/r${number}/${id}-1`,
        leaseUntil: now + 60_000,
      });
      if (claimed.ok) won.push(id);
      else if (claimed.failure.kind !== 'claim-lost')
        throw new Error(JSON.stringify(claimed.failure));
    });
    await Promise.all(claims);
  }
  return won;
}

interface Claimers {
  readonly place: string;
  /** Number of the first claimer of this process, and how many it has. */
  readonly first: number;
  readonly count: number;
  /** Claimers in all processes. */
  readonly all: number;
  /** Tasks that each claims at once. */
  readonly slots: number;
}

/** Waits for a line on standard input, so that all processes start together; prints the tasks that it got. */
export async function claimAll({ place, first, count, all, slots }: Claimers) {
  const claimers = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const store = await openStore(place);
      return { store, number: first + at, ids: await wantedBy(store, first + at, all) };
    }),
  );
  const round = (from: number, to?: number) =>
    Promise.all(
      claimers.map(({ store, number, ids }) => claim(store, number, slots, ids.slice(from, to))),
    );
  const before = await round(0, warmUp);
  process.stdout.write('open\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const won = [...before, ...(await round(warmUp))];
  for (const { store } of claimers) await store.close();
  process.stdout.write(`${won.flat().join(' ')}\n`);
  process.stdin.destroy();
}
