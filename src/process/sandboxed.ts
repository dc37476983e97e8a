import { readdirSync } from 'node:fs';
import { hasProc, type Identity, isRunning, procStat, readText, signalGroup } from './identity.ts';

/** Names that the kernel shows for the sandbox program, and for the proxy that starts it where hosts are listed. */
const sandboxes = ['bwrap', 'yard-proxy'];

/**
 * Sends a signal to the group of a child. In a sandbox it reaches only the processes inside: the sandbox itself would
 * end at once and take the child with it. False if the leader is gone.
 */
export function askToEnd(leader: Identity, signal: NodeJS.Signals): boolean {
  if (!isRunning(leader)) return false;
  const inside = hasProc ? insideOf(leader.pid) : undefined;
  if (inside === undefined) return signalGroup(leader, signal);
  for (const pid of inside) sendTo(pid, signal);
  return true;
}

/** Processes of the group inside its sandbox, without its first one, which is the sandbox. Undefined without one. */
function insideOf(group: number): readonly number[] | undefined {
  const members = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
    .flatMap((pid) => {
      const stat = procStat(pid);
      return stat?.group === group ? [{ pid, ...stat }] : [];
    });
  const isInSandbox = members.some(
    ({ parent, name }) => parent === group && sandboxes.includes(name),
  );
  if (!isInSandbox) return undefined;
  const here = namespaceIds(group)?.length ?? 1;
  return members
    .map(({ pid }) => ({ pid, ids: namespaceIds(pid) ?? [] }))
    .filter(({ ids }) => ids.length > here && ids.at(-1) !== '1')
    .map(({ pid }) => pid);
}

/** The ids of a process, one for each pid namespace from ours to its own. */
function namespaceIds(pid: number): readonly string[] | undefined {
  const line = /^NSpid:\s+(.+)$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return line?.trim().split(/\s+/);
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
