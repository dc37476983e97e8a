import type { Ports } from '../engine/context.ts';

type Guarded = Pick<Ports, 'git' | 'processes' | 'store' | 'pool' | 'prepared'>;

/** Calls that only read. Whoever dies after one leaves what was there before it. */
const reads: { readonly [Port in keyof Guarded]: readonly (keyof Guarded[Port])[] } = {
  git: [
    'inspect',
    'identity',
    'resolve',
    'commit',
    'isAncestor',
    'wasMadeOn',
    'refs',
    'checkoutOf',
    'worktrees',
    'status',
    'differing',
    'untracked',
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
  store: ['holder', 'events', 'lastSeq', 'task', 'tasks', 'run', 'runs', 'verdict', 'flakes'],
  pool: ['held'],
  prepared: ['kept'],
};

/**
 * For the proof that a run survives being killed anywhere: with `YARDMASTER_CRASH_AT=N` this process kills itself, as
 * `kill -9` would, when the Nth call that may change something outside of the core returns; with 0 before the first.
 * Between two of them nothing changes outside, so that this is every moment that differs. Without the variable the
 * ports are returned as they are.
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
