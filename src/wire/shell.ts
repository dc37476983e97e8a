import { childEnv } from '../git/env.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { runForeground } from '../process/shell.ts';

/**
 * The person's own shell in a folder. What a hook or an agent around us said about git does not reach it. Its exit
 * status says nothing: it is that of the last thing they typed.
 */
export async function personsShell(cwd: string): Promise<Result<void>> {
  const { SHELL } = process.env;
  const left = await runForeground({
    argv: [SHELL || '/bin/sh'],
    cwd,
    env: childEnv(process.env),
  });
  if (left.ok) return ok(undefined);
  const { failure } = left;
  return fail(
    failure.kind === 'usage'
      ? { ...failure, remedy: 'Set SHELL, or do without: `--no-shell`.' }
      : failure,
  );
}

/** The person's editor on a file. An editor that fails has changed nothing that counts. */
export async function personsEditor(file: string, cwd: string): Promise<Result<void>> {
  const { VISUAL, EDITOR } = process.env;
  const editor = VISUAL || EDITOR || 'vi';
  // As git does it: the variable may hold options, and the name of the file may hold anything.
  const ran = await runForeground({
    argv: ['/bin/sh', '-c', `${editor} "$@"`, editor, file],
    cwd,
    env: childEnv(process.env),
  });
  if (!ran.ok) return ran;
  if (ran.value === 0) return ok(undefined);
  return fail({
    kind: 'usage',
    problem: `the editor \`${editor}\` ended with exit status ${ran.value}`,
    remedy: 'Set VISUAL or EDITOR to an editor that works.',
  });
}
