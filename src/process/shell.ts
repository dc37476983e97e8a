import { spawn } from 'node:child_process';
import { fail, ok, type Result } from '../model/failure.ts';

export interface ShellOptions {
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A shell for a person, with the terminal of this process, until they leave it. How it ends says nothing: it is the
 * status of the last thing they typed. Ctrl-C is meant for what runs in there, so this process lets it pass meanwhile.
 */
export function openShell({ shell, cwd, env }: ShellOptions): Promise<Result<void>> {
  const pass = (): void => undefined;
  process.on('SIGINT', pass);
  process.on('SIGQUIT', pass);
  return new Promise<Result<void>>((resolve) => {
    const child = spawn(shell, [], { cwd, env: { ...env }, stdio: 'inherit' });
    child.once('error', (error) => {
      const problem = `the shell ${shell} cannot be started (${error.message})`;
      resolve(fail({ kind: 'usage', problem, remedy: 'Set SHELL, or do without: `--no-shell`.' }));
    });
    child.once('close', () => resolve(ok(undefined)));
  }).finally(() => {
    process.off('SIGINT', pass);
    process.off('SIGQUIT', pass);
  });
}
