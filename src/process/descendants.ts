import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../model/limits.ts';
import type { Survivor } from '../port/processes.ts';
import {
  era,
  hasProc,
  type Identity,
  isRemains,
  procStat,
  readText,
  seemsRunning,
  signalProcess,
  stamp,
} from './identity.ts';
import { commandOf, isInside, realFolder, whoseIs } from './occupants.ts';

/** Variable in the environment of every descendant of a child, so that it is found after it left the group. */
export const tagVariable = 'YARD_ATTEMPT_KEY';

/** Poll interval for processes that were told to end. */
const pollMs = 20;
/** Time in which processes may end by themselves after the child. */
const settleMs = 250;

/** Tag of one child; stable, so that a later engine finds its descendants. */
export function tagOf(dir: string, name: string): string {
  return createHash('sha256').update(`${dir}\0${name}`).digest('hex').slice(0, 24);
}

/** Value to pass on: a nested child carries both tags, and ending the outer one finds it. */
export function tagValue(tag: string, outer: string | undefined): string {
  return outer === undefined || outer === '' ? tag : `${outer}/${tag}`;
}

/**
 * Running descendants of the child wrapped by `leader`: members of its group, processes with its tag, and those in its
 * `folder` that belong to neither a person nor another child. Without `/proc` only the group is found.
 */
export function descendants(tag: string, leader: Identity, folder?: string): Found {
  if (!hasProc) return { ours: groupMembers(leader), others: [] };
  if (!leader.startedAt.endsWith(`@${era()}`)) return { ours: [], others: [] };
  const since = Number.parseInt(leader.startedAt, 10);
  // A group id stays taken while it has members. If another process has the leader's pid now, the group belongs to that
  // process.
  const groupIsOurs = procStat(leader.pid) === undefined || isOf(leader);
  const place = folder === undefined ? undefined : realFolder(folder);
  const ours: Identity[] = [];
  const others: Identity[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = procStat(pid);
    if (stat === undefined || isRemains(stat.state) || stat.ticks < since) continue;
    // Kernel threads are children of process 2 and have no environment.
    if (stat.parent === 2 || pid === 2) continue;
    const identity = { pid, startedAt: stamp(stat.ticks) };
    const tags = tagsOf(pid);
    if ((groupIsOurs && stat.group === leader.pid) || tags?.includes(tag)) ours.push(identity);
    // Another child may share the folder.
    else if (tags === undefined && place !== undefined && isInside(pid, place)) {
      const whose = whoseIs(pid, since);
      if (whose === 'child') ours.push(identity);
      else if (whose === 'person') others.push(identity);
    }
  }
  return { ours, others };
}

interface Found {
  readonly ours: readonly Identity[];
  /** Processes of people in the folder. */
  readonly others: readonly Identity[];
}

export function groupMembers(leader: Identity): Identity[] {
  const asked = spawnSync('ps', ['-axo', 'pid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC0' },
  });
  return (asked.stdout ?? '').split('\n').flatMap((line) => {
    const [pid, group, state = '', ...date] = line.trim().split(/\s+/);
    if (Number(group) !== leader.pid || isRemains(state)) return [];
    return [{ pid: Number(pid), startedAt: `${date.join(' ')}@${era()}` }];
  });
}

function isOf(leader: Identity): boolean {
  const stat = procStat(leader.pid);
  return stat !== undefined && stamp(stat.ticks) === leader.startedAt;
}

/** Tags that a process carries; undefined for one without. */
function tagsOf(pid: number): readonly string[] | undefined {
  const environment = readText(`/proc/${pid}/environ`) ?? '';
  if (!environment.includes(tagVariable)) return undefined;
  const entry = environment.split('\0').find((line) => line.startsWith(`${tagVariable}=`));
  return entry?.slice(tagVariable.length + 1).split('/');
}

/**
 * Ends the descendants of a child that is gone: SIGTERM, after `graceMs` SIGKILL, repeated until none is found, since a
 * dying process may start another. Returns them, and processes of people in its folder, which it leaves alone.
 */
export async function endDescendants(
  { tag, folder, graceMs }: Sweep,
  leader: Identity,
): Promise<readonly Survivor[]> {
  const survivors = new Map<string, Survivor>();
  const polite = performance.now() + graceMs;
  const stuck = polite + limits.killedMs;
  for (let isFirst = true; ; isFirst = false) {
    const { ours: left, others } = descendants(tag, leader, folder);
    if (isFirst && left.length > 0) {
      // Processes of a sandbox are about to vanish with it.
      await untilGone(left, settleMs);
      continue;
    }
    for (const one of others) note(survivors, one, 'left');
    if (left.length === 0 || performance.now() > stuck) return [...survivors.values()];
    const final = performance.now() >= polite;
    for (const identity of left) {
      const isNew = note(survivors, identity, 'ended');
      if (final) signalProcess(identity, 'SIGKILL');
      else if (isNew) signalProcess(identity, 'SIGTERM');
    }
    await untilGone(left, final ? pollMs : Math.max(pollMs, polite - performance.now()));
  }
}

interface Sweep {
  readonly tag: string;
  /** Folder that belongs to the child alone; absent if others may work there. */
  readonly folder?: string;
  readonly graceMs: number;
}

/** True if the process was not known yet. */
function note(
  survivors: Map<string, Survivor>,
  { pid, startedAt }: Identity,
  fate: Survivor['fate'],
): boolean {
  const key = `${pid} ${startedAt}`;
  if (survivors.has(key)) return false;
  survivors.set(key, { pid, command: hasProc ? commandOf(pid) : '', fate });
  return true;
}

/** Resolves when all are gone, or after `ms`. Looks often at first: most are about to end. */
export async function untilGone(identities: readonly Identity[], ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let wait = 1; identities.some(seemsRunning) && performance.now() < until; wait *= 2) {
    await delay(Math.min(wait, pollMs / 2));
  }
}
