import { replayRun } from '../app/replay.ts';
import { ok } from '../model/failure.ts';
import { replayLines } from '../report/run/replay.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const replay = await replayRun(opened, call.args[0]);
    if (!replay.ok) return replay;
    print(call, replay.value, ({ style, width, textWidth }) =>
      replayLines(replay.value, { style, width, textWidth, offsetMin: clockOffset() }),
    );
    return ok(replay.value.differences.length === 0 ? 0 : 1);
  });
}
