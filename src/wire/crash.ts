import type { Ports } from '../engine/context.ts';

type Guarded = Pick<Ports, 'git' | 'processes' | 'store' | 'pool' | 'prepared'>;

/** Calls that only read: a crash after one leaves nothing changed. */
const reads: { readonly [Port in keyof Guarded]: readonly (keyof Guarded[Port])[] } = {
  git: [
    'inspect',
    'identity',
    'resolve',
    'commit',
    'isAncestor',
    'wasMadeIn',
    'missingObject',
    'refs',
    'checkoutOf',
    'hasWorktree',
    'headOf',
    'status',
    'differing',
    'untracked',
    'uncaptured',
    'workSize',
    'leftOut',
    'unmarked',
    'listing',
    'diff',
    'changes',
    'blob',
    'file',
    'mergeBase',
    'log',
    'stat',
  ],
  processes: ['hasBegun', 'hasEnded', 'tail', 'self', 'isAlive'],
  store: [
    'holder',
    'events',
    'lastSeq',
    'task',
    'tasks',
    'live',
    'run',
    'runs',
    'verdict',
    'attempts',
    'flakes',
    'notes',
  ],
  pool: ['held', 'removal'],
  prepared: ['kept'],
};

/**
 * For tests that kill a run at every step: with `YARDMASTER_CRASH_AT=N` this process kills itself with SIGKILL when the
 * Nth port call that may change something returns; with 0 before the first. Nothing changes between two such calls, so
 * all distinct moments are covered. Without the variable the ports are returned unchanged.
 */
export function crashing(ports: Ports, at = process.env.YARDMASTER_CRASH_AT): Ports {
  if (at === undefined) return ports;
  let left = Number(at);
  const killAtZero = (): void => {
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const step = (): void => {
    left -= 1;
    killAtZero();
  };
  const guard = <T extends object>(port: T, reading: readonly (keyof T)[]): T =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (reading.some((other) => other === name)) return member.bind(target);
        return (...args: unknown[]) => {
          killAtZero();
          const result: unknown = member.apply(target, args);
          if (result instanceof Promise) return result.finally(step);
          step();
          return result;
        };
      },
    });
  const { git, processes, store, pool, prepared } = ports;
  return {
    ...ports,
    git: guard(git, reads.git),
    processes: guard(processes, reads.processes),
    store: guard(store, reads.store),
    pool: guard(pool, reads.pool),
    prepared: guard(prepared, reads.prepared),
  };
}
