import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Follower } from '../app/follower.ts';
import { shortStatus } from '../app/status.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { oneLine } from '../report/explain/explain.ts';
import { openQuick } from '../wire/quick.ts';
import { Dashboard } from './dashboard.ts';
import type { Call } from './parse.ts';
import { complain, isFullScreen, type Screen, screenOf } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/**
 * Bytes of bytecode that a function executes before V8 optimizes it, fifteen times the default: with the default, the
 * dashboard takes a third more processor time, most of it for optimizing. Set when all is loaded, because V8 takes
 * compiled code from the build only with the same flags.
 */
const optimizeAfter = 2_000_000;
const loadedMs = 2_000;
const causeChars = 300;

/** The full-screen dashboard of a run that another process drives, or that has ended. */
export async function run(call: Call): Promise<number> {
  const screen = screenOf(call);
  if (!isFullScreen(screen)) {
    const remedy = 'Type it in a terminal, or print the state once with `ym status`.';
    return refused(usage('`ym watch` needs a terminal that can show a full screen', remedy));
  }
  const dashboard = await firstFrame(call, screen);
  const interrupted = interruptedBySignals();
  interrupted.signal.addEventListener('abort', dashboard.close);
  try {
    // Loaded after the first frame, because it is most of the program.
    const { withStore } = await import('./open.ts');
    return await withStore(call, 'read', async (opened) => {
      const { Follower } = await import('../app/follower.ts');
      const follower = await Follower.open(opened, call.options.text('run'));
      if (!follower.ok) {
        dashboard.close();
        return follower;
      }
      dashboard.follow(follower.value, opened);
      setTimeout(() => setFlagsFromString(`--interrupt-budget=${optimizeAfter}`), loadedMs).unref();
      const left = new AbortController();
      const filled = fillEvents(dashboard, follower.value, left.signal);
      await dashboard.ended;
      dashboard.close();
      left.abort();
      // It reads the store, which is closed next.
      await filled;
      return ok(interrupted.signal.aborted ? 4 : 0);
    });
  } finally {
    dashboard.close();
    interrupted.release();
  }
}

/** Shows the last steps of the run, which take longer to read than the first frame may. */
async function fillEvents(
  dashboard: Dashboard,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  const steps = await follower.earlierSteps(signal);
  if (steps.ok) dashboard.precede(steps.value);
  else dashboard.say(oneLine(steps.failure, causeChars));
}

async function refused(result: Result<never>): Promise<number> {
  return result.ok ? 0 : complain([result.failure]);
}

/** Draws what can be read quickly, before the rest of the program is loaded. */
async function firstFrame(call: Call, { style }: Screen): Promise<Dashboard> {
  const folder = resolve(call.global.cwd ?? '.');
  const run = call.options.text('run');
  const quick = run === undefined ? openQuick(folder) : undefined;
  // What the agents print follows: it is shown without secrets, and reading the config for that takes longer than all else.
  const lastActions = async () => () => undefined;
  const status = quick && (await shortStatus({ ...quick, lastActions }));
  const dashboard = new Dashboard({ folder, style, drives: false, run });
  if (status?.ok && status.value !== undefined) dashboard.open(status.value);
  return dashboard;
}
