import { readText } from './identity.ts';
import { openerOf } from './opener.ts';

/** The two ports of a connection between processes of this machine, as the server sees them. */
export interface Connection {
  readonly localPort: number;
  readonly remotePort: number;
}

/** Pid of the process at the other end of a connection; undefined if it is not of this user, machine or system. */
export function peerOf(connection: Connection): number | undefined {
  const inode = ['/proc/net/tcp', '/proc/net/tcp6']
    .map((table) => inodeIn(readText(table) ?? '', connection))
    .find((found) => found !== undefined);
  return inode === undefined ? undefined : openerOf(`socket:[${inode}]`);
}

/** Inode of the other end's socket in a table of connections of the kernel. */
export function inodeIn(table: string, { localPort, remotePort }: Connection): string | undefined {
  for (const line of table.split('\n')) {
    const [, own = '', other = '', , , , , , , inode] = line.trim().split(/\s+/);
    if (portIn(own) === remotePort && portIn(other) === localPort) return inode;
  }
  return undefined;
}

/** `0100007F:1F90` ends with the port. */
function portIn(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}
