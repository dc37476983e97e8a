import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { projectConfig } from '../app/config.ts';
import { takeLock } from '../app/run.ts';
import { checkWriting } from '../files/state-file.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { openSqlite } from '../record/sqlite.ts';
import { fullText } from '../report/explain/explain.ts';
import { here } from '../wire/place.ts';
import { Daemon } from './daemon.ts';
import type { DaemonPlace } from './place.ts';
import { listen } from './server.ts';
import { logWriter, StateFile } from './state-file.ts';

const lockName = 'daemon';
const lostRuns = 'its runs are not known. Continue each with `ym resume` in its project.';

interface Serving {
  readonly daemon: Daemon;
  /** Releases everything, after the daemon has ended. */
  close(): Promise<void>;
}

/** Becomes the daemon of this state folder. Fails if another process is, and takes over from one that is dead. */
export async function serveDaemon(
  place: DaemonPlace,
  version: string,
  print: (line: string) => void,
): Promise<Result<Serving, readonly Failure[]>> {
  const config = projectConfig({ root: place.dir, env: here.env });
  if (!config.ok) return config;
  await checkWriting(place.dir);
  const locked = await lockDaemon(place);
  if (!locked.ok) return fail([locked.failure]);
  const write = logWriter(place.log, here.clock.now);
  const log = (line: string): void => print(write(line));
  const opened = StateFile.open(place.stateFile);
  if (!opened.ok) {
    await locked.value();
    return fail([opened.failure]);
  }
  const { state, putAside } = opened.value;
  if (putAside !== undefined) {
    log(`${place.stateFile} is unreadable and was renamed to ${basename(putAside)}: ${lostRuns}`);
  }
  const daemon = new Daemon({
    here,
    dir: place.dir,
    version,
    state,
    config: config.value.daemon,
    log,
    sentence: fullText,
  });
  const server = await listen({ place, version, answer: (request) => daemon.answer(request) });
  if (!server.ok) {
    await locked.value();
    return fail([server.failure]);
  }
  log(`the daemon has started (process ${here.self().pid}, ym ${version})`);
  return ok({
    daemon,
    async close() {
      server.value.close();
      rmSync(place.socket, { force: true });
      await locked.value();
      log('the daemon has stopped');
    },
  });
}

/** Takes the lock; the returned function releases it. */
async function lockDaemon({ lockFile }: DaemonPlace): Promise<Result<() => Promise<void>>> {
  const store = await openSqlite(lockFile, { mode: 'write' });
  if (!store.ok) return store;
  const owner = here.self();
  const holder = await takeLock(here, store.value, lockName, owner);
  if (holder.ok && holder.value === undefined) {
    return ok(async () => {
      await store.value.unlock(lockName, owner);
      await store.value.close();
    });
  }
  await store.value.close();
  if (!holder.ok) return holder;
  return usage(
    `a daemon is already running (process ${holder.value?.pid})`,
    'See `ym daemon status`, or end it with `ym daemon stop`.',
  );
}
