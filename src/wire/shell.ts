import { childEnv } from '../git/env.ts';
import type { Result } from '../model/failure.ts';
import { openShell } from '../process/shell.ts';

/** The person's own shell in a folder. What a hook or an agent around us said about git does not reach it. */
export function personsShell(cwd: string): Promise<Result<void>> {
  const { SHELL } = process.env;
  return openShell({ shell: SHELL || '/bin/sh', cwd, env: childEnv(process.env) });
}
