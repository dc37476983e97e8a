import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkWriting } from '../files/state-file.ts';
import { daemonLimits } from '../model/daemon.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { startDetached } from '../process/detached.ts';
import { readText } from '../process/identity.ts';
import type { DaemonPlace } from './place.ts';

export async function startDaemon(
  place: DaemonPlace,
  answers: () => Promise<Result<unknown>>,
): Promise<Result<void>> {
  const { dir, startLog } = place;
  await checkWriting(dir);
  rmSync(startLog, { force: true });
  // The log has all lines; only an error is printed.
  const program = [process.execPath, process.argv[1] ?? 'ym'] as const;
  const argv = [...program, 'daemon', 'serve', '--quiet'] as const;
  const started = await startDetached({ argv, cwd: dir, env: process.env, output: startLog });
  let exit: number | undefined;
  void started.ended.then((code) => {
    exit = code;
  });
  for (let waited = 0; waited < daemonLimits.startMs; waited += limits.followMs) {
    const answer = await answers();
    if (!answer.ok) return answer;
    if (answer.value !== undefined) return ok(undefined);
    if (exit !== undefined) break;
    await sleep(limits.followMs);
  }
  const said = (readText(startLog) ?? '').trim().split('\n').at(-1) ?? '';
  const why = said === '' ? 'it does not answer' : said.replace(/^ym: /, '');
  return usage(`the daemon did not start: ${why}`, `Its output is in ${startLog}.`);
}
