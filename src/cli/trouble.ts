import type { Failure } from '../model/failure.ts';
import { explain } from '../report/explain/explain.ts';

/** Says each failure in sentences on standard error, and returns the exit status of the first. */
export function complain(failures: readonly Failure[]): number {
  for (const failure of failures) {
    const { what, why, do: remedy } = explain(failure);
    process.stderr.write(`ym: ${[what, why, remedy].filter((part) => part !== '').join(' ')}\n`);
  }
  const [first] = failures;
  return first === undefined ? 0 : explain(first).exit;
}
