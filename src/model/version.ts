/** Finds the version in a `--version` output such as `2.1.325 (Claude Code)` or `codex-cli 0.166.0`. */
export function versionIn(text: string): string | undefined {
  return /(?<![\d.])\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(text)?.[0];
}

/** True if a version is the wanted one or later. Only numbers count: a suffix such as `-beta.1` is ignored. */
export function atLeast(version: string, wanted: string): boolean {
  const found = numbers(version);
  for (const [index, part] of numbers(wanted).entries()) {
    const other = found[index] ?? 0;
    if (other !== part) return other > part;
  }
  return true;
}

/** True if a version is in a range: from the first, below the second. */
export function inRange(version: string, [from, below]: readonly [string, string]): boolean {
  return atLeast(version, from) && !atLeast(version, below);
}

function numbers(version: string): number[] {
  const [core = ''] = version.split('-');
  return core.split('.').map(Number);
}
