import { setImmediate } from 'node:timers/promises';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { type Replay, Replayer } from '../plan/replay.ts';
import { existingRun } from './lookup.ts';
import type { Opened } from './ports.ts';

export type { Replay };

/** Decides a run again from its log, without any effect, and compares the decisions with those of the log. */
export async function replayRun(
  { store }: Pick<Opened, 'store'>,
  name: string | undefined,
): Promise<Result<Replay>> {
  const run = await existingRun(store, name);
  if (!run.ok) return run;
  const replayer = new Replayer(run.value.id, run.value.settings.scope);
  for (let after = 0; ; ) {
    const page = await store.events({ after, limit: limits.eventPage });
    if (!page.ok) return page;
    for (const event of page.value) replayer.take(event);
    after = page.value.at(-1)?.seq ?? after;
    // Whoever shows how long it takes gets a turn.
    await setImmediate();
    if (page.value.length < limits.eventPage) return ok(replayer.result());
  }
}
