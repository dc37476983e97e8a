import type { ProcessEnd, Processes } from '../process/processes.ts';
import { type SupervisorOptions, supervisor } from '../process/supervisor.ts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Children of a command that is not a run: whoever ends the command ends them, and it still tidies up after itself. */
export interface Interruptible {
  readonly processes: Processes;
  /** The signal that asked for the end, once there was one. From then on no child is started. */
  asked(): string | undefined;
  /** Signals have their usual meaning again. */
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
