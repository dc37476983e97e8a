import { resolve } from 'node:path';
import { shortStatus } from '../app/status.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { openQuick } from '../wire/quick.ts';
import { Dashboard } from './dashboard.ts';
import type { Call } from './parse.ts';
import { complain, isFullScreen, type Screen, screenOf } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

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
      await dashboard.ended;
      dashboard.close();
      return ok(interrupted.signal.aborted ? 4 : 0);
    });
  } finally {
    dashboard.close();
    interrupted.release();
  }
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
  const dashboard = new Dashboard({ folder, style, drives: false, ...given({ run }) });
  if (status?.ok && status.value !== undefined) dashboard.open(status.value);
  return dashboard;
}
