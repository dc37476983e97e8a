import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { limits } from '../model/limits.ts';
import type { CommandEnd, Outside } from '../port/outside.ts';
import { exec } from './exec.ts';

interface Place {
  /** The user's checkout. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly wallMs?: number;
}

export function outsideOf({ root, env, wallMs = limits.waitCommandMs }: Place): Outside {
  const end = new AbortController();
  return {
    interrupt: () => end.abort(),
    exists: (path) =>
      stat(resolve(root, path)).then(
        () => true,
        () => false,
      ),
    run: async (command): Promise<CommandEnd> => {
      if (end.signal.aborted) return { ok: false, note: 'the run ended' };
      const done = await exec(['/bin/sh', '-c', command], {
        cwd: root,
        env,
        wallMs,
        outputBytes: limits.forgeOutputBytes,
        signal: end.signal,
      });
      if (done.id === 'not-started') return { ok: false, note: `it did not start: ${done.cause}` };
      if (done.over === 'wall') return { ok: false, note: `it ran longer than ${wallMs / 1000} s` };
      if (done.over === 'output') return { ok: false, note: 'it printed too much' };
      if (done.exit === 0) return { ok: true };
      const status = done.signal === undefined ? `exit status ${done.exit}` : done.signal;
      const output = lastLine(done.stderr) ?? lastLine(done.stdout.toString('utf8'));
      return { ok: false, note: output === undefined ? status : `${status}: ${output}` };
    },
  };
}

function lastLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
}
