import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';

/** Default if the environment has no PATH. */
const usualPath = ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

export type Found =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly cause: string };

/**
 * Resolves a command to an absolute path, so that a later change of directory does not change what is started. A name
 * with a slash is relative to `cwd`, others are looked up on `path`.
 */
export function which(command: string, path: string | undefined, cwd: string): Found {
  if (command === '') return { ok: false, cause: 'the command is empty' };
  if (isAbsolute(command) || command.includes('/')) {
    const file = resolve(cwd, command);
    const trouble = whyNotExecutable(file);
    return trouble === undefined ? { ok: true, file } : { ok: false, cause: `${file} ${trouble}` };
  }
  let almost: string | undefined;
  for (const folder of (path ?? usualPath).split(delimiter)) {
    const file = resolve(cwd, folder, command);
    const trouble = whyNotExecutable(file);
    if (trouble === undefined) return { ok: true, file };
    // A file that lacks the executable bit is probably the one that was meant.
    if (trouble.startsWith(forbidden)) almost ??= `${file} ${trouble}`;
  }
  return { ok: false, cause: almost ?? `${command} is not on PATH` };
}

const forbidden = 'is not executable';

function whyNotExecutable(file: string): string | undefined {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return 'does not exist';
    if (!stat.isFile()) return 'is not a file';
  } catch (error) {
    // A folder of the PATH may be unreadable, or a file.
    return `cannot be read (${textOf(error)})`;
  }
  try {
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return `${forbidden} (${textOf(error)})`;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
