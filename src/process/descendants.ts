import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../plan/limits.ts';
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

/** The variable every descendant of a child carries, so that it is found even after it left the group. */
export const tagVariable = 'YARD_ATTEMPT_KEY';

/** Between two looks at processes that were told to end. */
const lookMs = 20;

/** The part of the tag that belongs to one child. The same for ever, so that a later engine finds what is left. */
export function tagOf(dir: string, name: string): string {
  return createHash('sha256').update(`${dir}\0${name}`).digest('hex').slice(0, 24);
}

/** The tag to pass on: a child of a child belongs to both, and ending the outer one must find it. */
export function tagValue(tag: string, outer: string | undefined): string {
  return outer === undefined || outer === '' ? tag : `${outer}/${tag}`;
}

/**
 * Running processes that stem from the child which `leader` wraps: members of its group, and whoever carries its tag.
 * Without `/proc` environments cannot be read, and only the group is found.
 */
export function descendants(tag: string, leader: Identity): Identity[] {
  if (!hasProc) return groupMembers(leader);
  if (!leader.startedAt.endsWith(`@${boot}`)) return [];
  const since = Number.parseInt(leader.startedAt, 10);
  // The group's number stays taken while it has members. Where the leader's pid belongs to another
  // process by now, a group of that number is that one's.
  const groupIsOurs = procStat(leader.pid) === undefined || isOf(leader);
  const found: Identity[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = procStat(pid);
    if (stat === undefined || isRemains(stat.state) || stat.ticks < since) continue;
    // Threads of the kernel are children of process 2 and have no environment.
    if (stat.parent === 2 || pid === 2) continue;
    if ((groupIsOurs && stat.group === leader.pid) || carries(pid, tag)) {
      found.push({ pid, startedAt: stamp(stat.ticks) });
    }
  }
  return found;
}

/** Members of a group according to `ps`. */
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
 * Ends whatever is left of a child that is gone: politely, after `graceMs` for good, and again until a look finds
 * nobody, since a dying process may still have started another. Returns how many there were.
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
    await untilGone(left, final ? lookMs : Math.max(lookMs, polite - performance.now()));
  }
}

/** Resolves when all of them are gone, or after `ms`. */
export async function untilGone(identities: readonly Identity[], ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (identities.some(seemsRunning) && performance.now() < until) await delay(lookMs / 2);
}
