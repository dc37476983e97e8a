// The status of a test project, as `ym status --json --all` prints it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Opened } from '../../src/app/ports.ts';
import { fullStatus } from '../../src/app/status.ts';
import { openWithStore } from '../../src/wire/project.ts';
import { until } from './until.ts';

export interface StatusTask {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly commit?: string;
  readonly waitsFor?: readonly string[];
  readonly failure?: {
    kind: string;
    what: string;
    why: string;
    do: string;
    because?: string;
    details?: readonly string[];
  };
}

export interface Status {
  readonly run?: {
    readonly id: string;
    readonly state: string;
    readonly stop?: { readonly reason: string };
  };
  readonly counts: Readonly<Record<string, number>>;
  readonly tasks: readonly StatusTask[];
  readonly slots: readonly {
    readonly slot: number;
    readonly worker?: string;
    readonly task?: string;
  }[];
  readonly train: readonly {
    readonly task: string;
    readonly state: string;
    readonly failure?: { readonly kind: string };
  }[];
  readonly pausedSteps?: readonly {
    readonly step: string;
    readonly times: number;
    readonly what: string;
  }[];
  readonly spend: { readonly starts: number; readonly landed: number };
}

/** Waits until the status satisfies a condition. */
export async function untilStatus(
  repoRoot: string,
  holds: (status: Status) => boolean,
  what: string,
): Promise<void> {
  // A store that is opened before its file exists stays empty for good.
  const open = async (): Promise<Opened | undefined> => {
    if (!existsSync(join(repoRoot, '.git', 'yardmaster', 'yard.db'))) return undefined;
    const opened = await openWithStore(repoRoot, 'read');
    return opened.ok ? opened.value : undefined;
  };
  let ports: Opened | undefined;
  try {
    await until(async () => {
      ports ??= await open();
      const status = ports && (await fullStatus(ports, undefined));
      return status?.ok === true && holds(JSON.parse(JSON.stringify(status.value)));
    }, what);
  } finally {
    await ports?.store.close();
    await ports?.git.close();
  }
}
