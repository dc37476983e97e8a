import { spawn } from 'node:child_process';
import { fail, ok, type Result } from '../model/failure.ts';

export interface ForegroundOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a program in the user's terminal and returns its exit status; -1 if a signal ended it. Ignores Ctrl-C meanwhile,
 * since it is meant for that program.
 */
export function runForeground({ argv, cwd, env }: ForegroundOptions): Promise<Result<number>> {
  const [program, ...args] = argv;
  const pass = (): void => undefined;
  process.on('SIGINT', pass);
  process.on('SIGQUIT', pass);
  return new Promise<Result<number>>((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: 'inherit' });
    child.once('error', (error) => {
      const problem = `${program} cannot be started (${error.message})`;
      resolve(fail({ kind: 'usage', problem, remedy: 'Check that it is installed.' }));
    });
    child.once('close', (code) => resolve(ok(code ?? -1)));
  }).finally(() => {
    process.off('SIGINT', pass);
    process.off('SIGQUIT', pass);
  });
}
