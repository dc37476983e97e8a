/** Finds the version in a `--version` output such as `2.1.325 (Claude Code)` or `codex-cli 0.166.0`. */
export function versionIn(text: string): string | undefined {
  return /(?<![\d.])\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(text)?.[0];
}

/** True if a version is in a range: from the first, below the second. */
export function fits(version: string, [from, below]: readonly [string, string]): boolean {
  return compare(version, from) >= 0 && compare(version, below) < 0;
}

/** Compares the numbers alone; a suffix such as `-beta.1` does not count. */
function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  const at = [0, 1, 2].find((index) => left[index] !== right[index]);
  return at === undefined ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function numbers(version: string): number[] {
  const [core = ''] = version.split('-');
  return core.split('.').map(Number);
}
