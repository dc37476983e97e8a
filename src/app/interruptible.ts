import type { ProcessEnd, Processes } from '../port/processes.ts';

/** Children that are ended when `signal` aborts, so that a command can still clean up. None is started after it. */
export function interruptible(children: Processes, signal: AbortSignal): Processes {
  signal.addEventListener('abort', () => children.interruptAll(), { once: true });
  return {
    ...children,
    run: (spec) => (signal.aborted ? Promise.resolve(neverStarted) : children.run(spec)),
  };
}

const neverStarted: ProcessEnd = {
  how: { id: 'interrupted' },
  startedAt: 0,
  endedAt: 0,
  stragglers: 0,
};
