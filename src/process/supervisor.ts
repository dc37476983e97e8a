import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { limits } from '../model/limits.ts';
import { redactor } from '../model/redact.ts';
import type { ProcessEnd, Processes, ProcessSpec } from '../port/processes.ts';
import { Child, type ChildSettings } from './child.ts';
import { filesOf, readEnd, readStatus } from './child-files.ts';
import { isAlive, self } from './identity.ts';
import { linesOf, tailOf } from './output.ts';
import { writeWholeNow } from './whole-file.ts';

interface SupervisorOptions {
  /** Time from SIGTERM to SIGKILL. */
  readonly killGraceMs?: number;
  /** Poll interval for running children. */
  readonly followMs?: number;
  /** False lets this process exit while children run; the next process takes over. */
  readonly keepAlive?: boolean;
  readonly confine?: ChildSettings['confine'];
  /** Values to redact, see `secretsOf`. */
  readonly secrets?: readonly string[];
  /** Leaves the output of children as they wrote it. */
  readonly keepRaw?: boolean;
}

const settingsOf = ({
  killGraceMs,
  followMs,
  keepAlive,
  confine,
}: SupervisorOptions): ChildSettings => ({
  killGraceMs: killGraceMs ?? limits.killGraceMs,
  followMs: followMs ?? limits.followMs,
  keepAlive: keepAlive ?? true,
  confine,
});

/** Limits for a child that is only followed to be ended. */
const endless = { wallMs: 3600_000, outputBytes: Number.MAX_SAFE_INTEGER };

/** Runs children as real processes. Their whole state is in files, so any later process can take over. */
export function supervisor(options: SupervisorOptions = {}): Processes {
  const redact = redactor(options.secrets);
  const settings = {
    ...settingsOf(options),
    ...(options.keepRaw === true ? {} : { redact }),
  };
  const followed = new Map<string, { end: Promise<ProcessEnd>; interrupt: AbortController }>();
  function run(asked: ProcessSpec): Promise<ProcessEnd> {
    const spec = { ...asked, dir: resolve(asked.dir) };
    const key = join(spec.dir, spec.name);
    const known = followed.get(key);
    if (known !== undefined)
      return spec.listener === undefined ? known.end : after(known.end, spec);
    const interrupt = new AbortController();
    const end = new Child(spec, settings, interrupt.signal)
      .run()
      .finally(() => followed.delete(key));
    followed.set(key, { end, interrupt });
    return end;
  }
  /** A second listener receives the output after the first one is done. */
  async function after(first: Promise<ProcessEnd>, spec: ProcessSpec): Promise<ProcessEnd> {
    const end = await first;
    return end.how.id === 'not-started' ? end : run(spec);
  }
  return {
    run,
    interrupt(dir, name) {
      const folder = resolve(dir);
      for (const [key, { interrupt }] of followed) {
        const isIt = name === undefined ? dirname(key) === folder : key === join(folder, name);
        if (isIt) interrupt.abort();
      }
    },
    interruptAll() {
      for (const { interrupt } of followed.values()) interrupt.abort();
    },
    async endIn(dir) {
      const folder = resolve(dir);
      const names = existsSync(folder) ? readdirSync(folder) : [];
      const ends = names
        .filter((file) => file.endsWith('.pid'))
        .map((file) => file.slice(0, -'.pid'.length))
        .map((name) => {
          // Already started, so this only follows it.
          const spec = { dir: folder, name, argv: ['true'], cwd: folder, env: {} };
          const end = run({ ...spec, limits: endless });
          followed.get(join(folder, name))?.interrupt.abort();
          return end;
        });
      await Promise.all(ends);
    },
    // The output file is created before the start.
    hasBegun: (dir, name) => existsSync(filesOf(dir, name).out),
    hasEnded(dir, name) {
      const files = filesOf(dir, name);
      return readEnd(files)?.endedAt !== undefined || readStatus(files) !== undefined;
    },
    tail: (dir, name, bytes) => tailOf(filesOf(dir, name), bytes, redact),
    lines: (dir, name, onLine) => linesOf(filesOf(dir, name), redact, onLine),
    async write(dir, file, text) {
      const path = join(dir, file);
      writeWholeNow(path, text, { durable: true });
      return path;
    },
    self,
    isAlive,
  };
}
