import type { Run } from '../app/run.ts';

/**
 * First Ctrl-C: starts nothing new and lets running agents finish. Second Ctrl-C, SIGTERM or a closed terminal: stops
 * now and keeps the work. Returns a function that removes the handlers.
 */
export function onSignals(run: Run, say: (line: string) => void): () => void {
  let asked = 0;
  const stop = (how: 'finish' | 'now', by: string): void => {
    run.stop(how, by).then(
      (result) => {
        if (!result.ok) say(`The request to stop could not be stored (${result.failure.kind}).`);
      },
      (error: unknown) => say(`The request to stop could not be stored (${String(error)}).`),
    );
  };
  const interrupt = (): void => {
    asked += 1;
    if (asked === 1) {
      say('Finishing: nothing new is started. Press Ctrl-C again to end the agents now.');
      stop('finish', 'Ctrl-C');
    } else if (asked === 2) {
      say(
        'Ending the agents now; their work is kept on branches. `ym resume` begins their tasks afresh.',
      );
      stop('now', 'Ctrl-C');
    }
  };
  const terminate = (): void => stop('now', 'a signal');
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', terminate);
  process.on('SIGHUP', terminate);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', terminate);
    process.off('SIGHUP', terminate);
  };
}

/** Any signal that asks this process to end stops following the run. Returns a function that removes the handlers. */
export function onLeaving(leave: () => void): () => void {
  const { signal, release } = interruptedBySignals();
  signal.addEventListener('abort', leave);
  return release;
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts on the first signal that asks this process to end, with the name of the signal as the reason. */
export function interruptedBySignals(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = (name: string): void => controller.abort(name);
  for (const ending of endings) process.on(ending, abort);
  return {
    signal: controller.signal,
    release() {
      for (const ending of endings) process.off(ending, abort);
    },
  };
}
