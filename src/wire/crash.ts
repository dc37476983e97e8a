import type { Ports } from '../engine/yard.ts';

/**
 * For the proof that a run survives being killed anywhere: with `YARDMASTER_CRASH_AT=N` this process kills itself, as
 * `kill -9` would, when the Nth call that leaves the core returns; with 0 before the first. Between the return of one
 * call and the start of the next nothing happens outside, so that this is every moment that differs. Without the
 * variable the ports are returned as they are.
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
  const guard = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
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
    git: guard(git),
    processes: guard(processes),
    store: guard(store),
    pool: guard(pool),
    prepared: guard(prepared),
  };
}
