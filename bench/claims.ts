// One process with claimers of a store, each with a connection of its own: `claims.mjs ADDRESS CLAIMERS FIRST ALL`.
// They claim the tasks that `ALL` claimers in all processes share. Neighbors also want each other's every tenth task.
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

/** Claims until nothing is left, and returns the tasks that it got. */
async function claimer(store: Store, number: number, all: number): Promise<readonly string[]> {
  const ids = await store.ids('tasks');
  if (!ids.ok) throw new Error(JSON.stringify(ids.failure));
  const isMine = (at: number): boolean => {
    if (at % all === number) return true;
    return at % all === (number + 1) % all && Math.floor(at / all) % 10 === 0;
  };
  const won: string[] = [];
  for (const id of ids.value.filter((_, at) => isMine(at))) {
    const now = Date.now();
    const claimed = await store.claim(now, {
      run: `r${number}`,
      id,
      attempt: 1,
      slot: 1,
      agent: 'scripted',
      branch: `yard/r${number}/${id}-1`,
      leaseUntil: now + 60_000,
    });
    if (claimed.ok) won.push(id);
    else if (claimed.failure.kind !== 'claim-lost')
      throw new Error(JSON.stringify(claimed.failure));
  }
  return won;
}

/** Waits for a line on standard input, so that all processes start together; prints the tasks that it got. */
export async function claimAll(place: string, first: number, count: number, all: number) {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(place)));
  process.stdout.write('open\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const won = await Promise.all(stores.map((store, at) => claimer(store, first + at, all)));
  for (const store of stores) await store.close();
  process.stdout.write(`${won.flat().join(' ')}\n`);
  process.stdin.destroy();
}
