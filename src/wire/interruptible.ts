import type { ProcessEnd, Processes } from '../port/processes.ts';
import { type SupervisorOptions, supervisor } from '../process/supervisor.ts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Child processes of a command that is not a run. Signals stop them, and the command can still clean up. */
export interface Interruptible {
  readonly processes: Processes;
  /** The signal that interrupted the command, if any. No child is started after it. */
  asked(): string | undefined;
  /** Removes the signal handlers. */
  release(): void;
}

export function interruptible(options: SupervisorOptions = {}): Interruptible {
  const children = supervisor(options);
  let by: string | undefined;
  const interrupt = (signal: string): void => {
    by ??= signal;
    children.interruptAll();
  };
  for (const signal of endings) process.on(signal, interrupt);
  return {
    processes: {
      ...children,
      run: (spec) => (by === undefined ? children.run(spec) : Promise.resolve(neverStarted())),
    },
    asked: () => by,
    release() {
      for (const signal of endings) process.off(signal, interrupt);
    },
  };
}

function neverStarted(): ProcessEnd {
  const now = Date.now();
  return { how: { id: 'interrupted' }, startedAt: now, endedAt: now, stragglers: 0 };
}
