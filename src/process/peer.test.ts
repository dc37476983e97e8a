import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { hasProc } from './identity.ts';
import { inodeIn, peerOf } from './peer.ts';

describe('the process at the other end of a connection', () => {
  it.runIf(hasProc)('is found by the ports', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const localPort = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const client = connect(localPort, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    expect(peerOf({ localPort, remotePort: accepted.remotePort ?? 0 })).toBe(process.pid);
    client.destroy();
    accepted.destroy();
    server.close();
    await once(server, 'close');
  });

  it('is not found in a table without the connection', () => {
    const table =
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n' +
      '   0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1';
    expect(inodeIn(table, { localPort: 50_000, remotePort: 8080 })).toBe('4711');
    expect(inodeIn(table, { localPort: 8080, remotePort: 50_000 })).toBeUndefined();
    expect(inodeIn('', { localPort: 1, remotePort: 2 })).toBeUndefined();
  });
});
