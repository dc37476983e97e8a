/**
 * Messages for a missing command: dash, bash, zsh, busybox, make, env, and package managers with their own shell. The
 * first group is the name.
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

export function missingCommand(line: string): string | undefined {
  if (!/not found|No such file|ENOENT/.test(line)) return undefined;
  for (const wording of patterns) {
    const found = wording.exec(line.trim())?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** make exits with its own status if a command was not found. */
export function isMakesNotFound(line: string): boolean {
  return /^make(?:\[\d+\])?: \*\*\* .* Error 127$/.test(line);
}
