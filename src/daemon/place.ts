import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { daemonLimits } from '../model/daemon.ts';
import { stateDir } from '../process/stored-machine.ts';

/** Files of the daemon of a user: one daemon for each state folder. */
export interface DaemonPlace {
  readonly dir: string;
  readonly socket: string;
  /** Folder of the socket, for which only this user may have rights. */
  readonly socketDir: string;
  /** Store that holds the lock of the daemon. */
  readonly lockFile: string;
  readonly stateFile: string;
  readonly log: string;
  /** Output of a daemon that `ym daemon start` started. */
  readonly startLog: string;
}

/** Both sides compute the same path; a state folder with a long path has its socket elsewhere. */
export function daemonPlace(env: Parameters<typeof stateDir>[0]): DaemonPlace {
  const state = stateDir(env);
  const dir = join(state, 'daemon');
  const own = join(dir, 'socket');
  const isLong = Buffer.byteLength(own) > daemonLimits.socketPathBytes;
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  const socketDir = isLong ? `/tmp/ym-${process.getuid?.() ?? 0}-${name}` : dir;
  return {
    dir,
    socket: join(socketDir, 'socket'),
    socketDir,
    lockFile: join(dir, 'lock.db'),
    stateFile: join(dir, 'state.json'),
    log: join(dir, 'daemon.log'),
    startLog: join(dir, 'start.log'),
  };
}
