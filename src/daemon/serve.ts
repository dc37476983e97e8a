import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { basename } from 'node:path';
import { projectConfig } from '../app/config.ts';
import { takeLock } from '../app/run.ts';
import { checkWriting } from '../files/state-file.ts';
import { type DaemonAnswer, type DaemonRequest, daemonLimits, Envelope } from '../model/daemon.ts';
import { type Failure, fail, ok, type Result, unwritable, usage } from '../model/failure.ts';
import { readJson } from '../model/shape.ts';
import { internal } from '../model/trouble.ts';
import { openSqlite } from '../record/sqlite.ts';
import { fullText } from '../report/explain/explain.ts';
import { here } from '../wire/place.ts';
import { Daemon } from './daemon.ts';
import type { DaemonPlace } from './place.ts';
import { logWriter, StateFile } from './state-file.ts';

interface Server {
  close(): void;
}

interface ServerOptions {
  readonly place: DaemonPlace;
  readonly version: string;
  answer(request: DaemonRequest): Promise<Result<DaemonAnswer>>;
}

/**
 * Listens on the socket of the daemon. A connection carries one request and one answer, each a line of JSON. The caller
 * holds the lock of the daemon, so a socket that is already there was left by a dead one.
 */
export async function listen(options: ServerOptions): Promise<Result<Server>> {
  const { socket, socketDir } = options.place;
  const safe = ownFolder(socketDir);
  if (!safe.ok) return safe;
  const server = createServer((connection) => serve(connection, options));
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(fail(unwritable(socketDir, error))));
    try {
      rmSync(socket, { force: true });
    } catch (error) {
      resolve(fail(unwritable(socketDir, error)));
      return;
    }
    server.listen(socket, () => {
      chmodSync(socket, 0o600);
      resolve(ok({ close: () => server.close() }));
    });
  });
}

/** A folder that another user made, such as one in `/tmp`, is not used. */
function ownFolder(dir: string): Result<void> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const { uid } = lstatSync(dir);
    if (uid === process.getuid?.()) {
      chmodSync(dir, 0o700);
      return ok(undefined);
    }
    return fail({ kind: 'state-unwritable', dir, cause: 'it belongs to another user' });
  } catch (error) {
    return fail(unwritable(dir, error));
  }
}

function serve(connection: Socket, options: ServerOptions): void {
  let read = '';
  connection.setEncoding('utf8');
  connection.setTimeout(daemonLimits.answerMs, () => connection.destroy());
  // The other side has gone; it gets no answer.
  connection.on('error', () => connection.destroy());
  connection.on('data', (piece) => {
    read += String(piece);
    if (read.length > daemonLimits.requestBytes) connection.destroy();
    const end = read.indexOf('\n');
    if (end < 0) return;
    connection.removeAllListeners('data');
    void answered(read.slice(0, end), options).then((answer) =>
      connection.end(`${JSON.stringify(answer)}\n`),
    );
  });
}

async function answered(line: string, options: ServerOptions): Promise<DaemonAnswer> {
  const refused = (failure: Failure): DaemonAnswer => ({ answer: 'refused', failure });
  const envelope = readJson(Envelope, line);
  const allowed = envelope === undefined ? notUnderstood : isServed(envelope, options.version);
  if (!allowed.ok || envelope === undefined) return refused(allowed.ok ? unread : allowed.failure);
  try {
    const answer = await options.answer(envelope.request);
    return answer.ok ? answer.value : refused(answer.failure);
  } catch (error) {
    return refused(internal(error));
  }
}

const unread: Failure = {
  kind: 'usage',
  problem: 'the daemon does not know this request',
  remedy: 'Restart it with `ym daemon stop` and `ym daemon start`.',
};
const notUnderstood = fail(unread);

/** A daemon of another version can be asked for its state and be stopped, nothing else. */
function isServed(
  { version, request }: { readonly version: string; readonly request: DaemonRequest },
  own: string,
): Result<void> {
  if (version === own || request.ask === 'status' || request.ask === 'stop') return ok(undefined);
  return usage(
    `this is ym ${version}, and the daemon is ym ${own}`,
    'Restart the daemon with `ym daemon stop` and `ym daemon start`.',
  );
}

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
