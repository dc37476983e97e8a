import { describe, expect, test } from 'vitest';
import { daemonLimits } from '../model/daemon.ts';
import { tried } from '../model/trouble.ts';
import { daemonPlace } from './place.ts';

function placeOf(state: string) {
  const place = daemonPlace({ YARDMASTER_STATE_DIR: state });
  return place;
}

describe('the files of the daemon', () => {
  test('are in the state folder', () => {
    expect(placeOf('/state')).toEqual({
      dir: '/state/daemon',
      socket: '/state/daemon/socket',
      socketDir: '/state/daemon',
      lockFile: '/state/daemon/lock.db',
      stateFile: '/state/daemon/state.json',
      log: '/state/daemon/daemon.log',
      startLog: '/state/daemon/start.log',
    });
    expect(tried(() => daemonPlace({ XDG_STATE_HOME: '/x' }))).toMatchObject({
      value: { dir: '/x/yardmaster/daemon' },
    });
    expect(tried(() => daemonPlace({ HOME: '/places/ada' }))).toMatchObject({
      value: { dir: '/places/ada/.local/state/yardmaster/daemon' },
    });
  });

  test('have a socket whose path the system accepts, each state folder its own', () => {
    const long = `/${'x'.repeat(daemonLimits.socketPathBytes)}`;
    const wide = `/${'ä'.repeat(daemonLimits.socketPathBytes / 2)}`;
    const sockets = [placeOf(long), placeOf(`${long}y`), placeOf(wide)].map(({ socket }) => socket);
    expect(new Set(sockets).size).toBe(3);
    for (const socket of sockets) {
      expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(daemonLimits.socketPathBytes);
    }
    expect(placeOf(long).dir).toBe(`${long}/daemon`);
  });
});
