import type { Stack } from './stack.ts';

/** Where the command that looks at the target after a run may come from. */
export interface VerifySources {
  readonly config?: string;
  /** Commands of the gate. */
  readonly gate: readonly string[];
  readonly stack?: Stack;
}

export type VerifyCommand =
  /** `from` is for people. */
  { readonly command: string; readonly from: string } | { readonly reason: string };

/**
 * The command to run: the config's, flags included, else the last and so the most thorough one of the gate, else what
 * the stack usually has. It is run without a shell, so a command of the gate that needs one does not count.
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
      ? 'there is no gate, and no file at the top of the tree shows how it is tested'
      : 'the gate needs a shell, and no file at the top of the tree shows how it is tested';
  return { reason };
}

/** The words of a command that is run as it is. */
export function wordsOf(command: string): readonly string[] {
  return command.split(/\s+/).filter((word) => word !== '');
}

/** Quotes, variables, pipes and the like, an assignment in front, or a word that only a shell knows. */
function needsShell(command: string): boolean {
  const [first = ''] = wordsOf(command);
  return (
    /["'`$&|;<>()*?[\]{}~\\#!\n]/.test(command.trim()) ||
    /^[A-Za-z_]\w*=/.test(first) ||
    /^(?:cd|source|\.|export|set|exit|exec|eval|if|for|while|case)$/.test(first)
  );
}
