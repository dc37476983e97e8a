import type { Stack } from './stack.ts';

/** Sources of the end-of-run verify command. */
export interface VerifySources {
  readonly config?: string;
  readonly gate: readonly string[];
  readonly stack?: Stack;
}

export type VerifyCommand =
  /** `from` is for display. */
  { readonly command: string; readonly from: string } | { readonly reason: string };

/**
 * Verify command: the configured one, else the last (most thorough) gate command, else the usual one of the stack. It
 * runs without a shell, so gate commands that need one are skipped.
 */
export function verifyCommand({ config, gate, stack }: VerifySources): VerifyCommand {
  const given = config?.trim() ?? '';
  if (given !== '') return { command: given, from: 'the config' };
  const plain = gate.filter((command) => wordsOf(command).length > 0 && !needsShell(command));
  const last = plain.at(-1);
  if (last !== undefined) return { command: last.trim(), from: 'the gate' };
  if (stack !== undefined) return { command: stack.command, from: stack.from };
  const reason =
    gate.length === 0
      ? 'there is no gate, and no file at the repository root shows how to run the tests'
      : 'the gate needs a shell, and no file at the repository root shows how to run the tests';
  return { reason };
}

/** Arguments of a command that runs without a shell. */
export function wordsOf(command: string): readonly string[] {
  return command.split(/\s+/).filter((word) => word !== '');
}

/** True for quotes, variables, pipes, assignments and shell keywords. */
function needsShell(command: string): boolean {
  const [first = ''] = wordsOf(command);
  return (
    /["'`$&|;<>()*?[\]{}~\\#!\n]/.test(command.trim()) ||
    /^[A-Za-z_]\w*=/.test(first) ||
    /^(?:cd|source|\.|export|set|exit|exec|eval|if|for|while|case)$/.test(first)
  );
}
