/**
 * How shells and tools say that there is no such command: dash, bash, zsh and busybox, make, env, and the package
 * managers that have a shell of their own. The name is the first group.
 */
const patterns: readonly RegExp[] = [
  /^(?:\S*\/)?(?:yarn|bun|pnpm)?:? ?command not found: (\S+)$/,
  /^\S+: ?(?:line )?(?:\d+: ?)?command not found: (\S+)$/,
  /^\S+: (?:line )?(?:\d+: )?([^\s:]+): (?:command )?not found$/,
  /^\S+: (?:line \d+: )?([^\s:]*\/[^\s:]+): No such file or directory$/,
  /^make(?:\[\d+\])?: ([^\s:]+): (?:No such file or directory|Command not found)$/,
  /^(?:\S*\/)?env: [‘'"]?([^\s‘’'":]+)[’'"]?: No such file or directory$/,
  /^spawn (\S+) ENOENT$/,
];

/** The command that a line says is missing. */
export function missingCommand(line: string): string | undefined {
  if (!/not found|No such file|ENOENT/.test(line)) return undefined;
  for (const wording of patterns) {
    const found = wording.exec(line.trim())?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** make ends with a status of its own when a command of it was not found. */
export function isMakesNotFound(line: string): boolean {
  return /^make(?:\[\d+\])?: \*\*\* .* Error 127$/.test(line);
}
