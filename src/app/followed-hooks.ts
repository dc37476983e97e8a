import type { Config } from '../config/config.ts';
import { readHookFile } from '../files/hook-file.ts';
import { runsDir } from '../files/layout.ts';
import type { RunId } from '../model/run.ts';
import type { Happened } from '../report/hook/occasion.ts';
import { failedText, leftText, openBells, type Senders } from './hooks.ts';

/** Hooks of a run that another process drives. */
export interface FollowedHooks {
  /** Rings the bells that report an event of the run: the process that drives it has no terminal. */
  on(happened: Happened): void;
  /** Returns messages about what was not delivered; `run` is absent if it goes on. */
  end(run?: RunId): Promise<readonly string[]>;
}

/** Called before the run starts or is resumed. */
export async function followHooks(
  ports: Senders & { readonly dir: string },
  config: Config,
  resumed: RunId | undefined,
): Promise<FollowedHooks> {
  const dir = runsDir(ports);
  const before = resumed === undefined ? undefined : readHookFile(dir, resumed);
  const bells = await openBells(ports, config);
  return {
    on: bells.on,
    async end(run) {
      const silent = await bells.end();
      const file = run === undefined ? undefined : readHookFile(dir, run);
      const failed = Object.entries(file?.hooks ?? {}).flatMap(([name, { failed, recent }]) => {
        const events = failed - (before?.hooks[name]?.failed ?? 0);
        const cause = recent.findLast((one) => one.cause !== undefined)?.cause ?? '';
        return events > 0 ? [failedText(name, events, cause)] : [];
      });
      const left = file?.settled === false ? [`Hooks have not delivered all yet: ${leftText}`] : [];
      return [...silent, ...failed, ...left];
    },
  };
}
