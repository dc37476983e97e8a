import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../model/limits.ts';
import {
  boot,
  hasProc,
  type Identity,
  isRemains,
  procStat,
  readText,
  seemsRunning,
  signalProcess,
  stamp,
} from './identity.ts';

/** Variable in the environment of every descendant of a child, so that it is found after it left the group. */
export const tagVariable = 'YARD_ATTEMPT_KEY';

/** Poll interval for processes that were told to end. */
const pollMs = 20;

/** Tag of one child; stable, so that a later engine finds its descendants. */
export function tagOf(dir: string, name: string): string {
  return createHash('sha256').update(`${dir}\0${name}`).digest('hex').slice(0, 24);
}

/** Value to pass on: a nested child carries both tags, and ending the outer one finds it. */
export function tagValue(tag: string, outer: string | undefined): string {
  return outer === undefined || outer === '' ? tag : `${outer}/${tag}`;
}

/**
 * Running descendants of the child wrapped by `leader`: members of its group and processes with its tag. Without
 * `/proc` only the group is found.
 */
export function descendants(tag: string, leader: Identity): Identity[] {
  if (!hasProc) return groupMembers(leader);
  if (!leader.startedAt.endsWith(`@${boot}`)) return [];
  const since = Number.parseInt(leader.startedAt, 10);
  // A group id stays taken while it has members. If another process has the leader's pid now, the group belongs to that
  // process.
  const groupIsOurs = procStat(leader.pid) === undefined || isOf(leader);
  const found: Identity[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = procStat(pid);
    if (stat === undefined || isRemains(stat.state) || stat.ticks < since) continue;
    // Kernel threads are children of process 2 and have no environment.
    if (stat.parent === 2 || pid === 2) continue;
    if ((groupIsOurs && stat.group === leader.pid) || carries(pid, tag)) {
      found.push({ pid, startedAt: stamp(stat.ticks) });
    }
  }
  return found;
}

export function groupMembers(leader: Identity): Identity[] {
  const asked = spawnSync('ps', ['-axo', 'pid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC0' },
  });
  return (asked.stdout ?? '').split('\n').flatMap((line) => {
    const [pid, group, state = '', ...date] = line.trim().split(/\s+/);
    if (Number(group) !== leader.pid || isRemains(state)) return [];
    return [{ pid: Number(pid), startedAt: `${date.join(' ')}@` }];
  });
}

function isOf(leader: Identity): boolean {
  const stat = procStat(leader.pid);
  return stat !== undefined && stamp(stat.ticks) === leader.startedAt;
}

function carries(pid: number, tag: string): boolean {
  const environment = readText(`/proc/${pid}/environ`);
  if (environment === undefined || !environment.includes(tag)) return false;
  const entry = environment.split('\0').find((line) => line.startsWith(`${tagVariable}=`));
  return (
    entry
      ?.slice(tagVariable.length + 1)
      .split('/')
      .includes(tag) ?? false
  );
}

/**
 * Ends the descendants of a child that is gone: SIGTERM, after `graceMs` SIGKILL, repeated until none is found, since a
 * dying process may start another. Returns their number.
 */
export async function endDescendants(
  tag: string,
  leader: Identity,
  graceMs: number,
): Promise<number> {
  const ended = new Set<string>();
  const polite = performance.now() + graceMs;
  const stuck = polite + limits.killedMs;
  for (;;) {
    const left = descendants(tag, leader);
    if (left.length === 0 || performance.now() > stuck) return ended.size;
    const final = performance.now() >= polite;
    for (const identity of left) {
      const key = `${identity.pid} ${identity.startedAt}`;
      if (final) signalProcess(identity, 'SIGKILL');
      else if (!ended.has(key)) signalProcess(identity, 'SIGTERM');
      ended.add(key);
    }
    await untilGone(left, final ? pollMs : Math.max(pollMs, polite - performance.now()));
  }
}

/** Resolves when all are gone, or after `ms`. */
export async function untilGone(identities: readonly Identity[], ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (identities.some(seemsRunning) && performance.now() < until) await delay(pollMs / 2);
}
