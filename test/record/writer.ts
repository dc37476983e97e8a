// A process that uses a store: it appends events and prints each stored number, or claims a task.

import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { storeAddress } from '../../src/model/store-address.ts';
import type { Store } from '../../src/port/store.ts';
import { openPostgres } from '../../src/record/postgres/store.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { need } from '../rig/need.ts';
import { added, wish } from './life.ts';

const [what = '', file = '', name = ''] = process.argv.slice(2);
const address = storeAddress(file);
const store = need(
  address?.kind === 'postgres'
    ? await openPostgres(address, { mode: 'write' })
    : await openSqlite(file, { mode: 'write', busyMs: 20_000 }),
);
console.log('open');
await (what === 'claim' ? claimAll(store) : appendForEver(store));
await store.close();

async function appendForEver(into: Store): Promise<void> {
  for (let number = 0; ; number += 1) {
    const id = `${name}-${number}`;
    // Two in one call: after a kill there must be both of them or none.
    need(await into.append(number, [added(id), added(`${id}-next`, [id])]));
    console.log(id);
    // A store that answers at once never lets the event loop run, and a line that did not fit into the pipe stays here.
    await turnOfLoop();
  }
}

/** Waits for the start signal, so that all claimers start together. */
async function claimAll(from: Store): Promise<void> {
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const ids = need(await from.ids('tasks'));
  for (const id of ids) {
    const result = await from.claim(5, wish(name, id));
    console.log(result.ok ? `won ${id}` : result.failure.kind);
  }
  process.stdin.destroy();
}
