import { ok, type Result, usage } from '../model/failure.ts';
import { comparisonOf, type RunComparison } from '../report/compare/run-comparison.ts';
import { existingRun } from './lookup.ts';
import { type SummaryPorts, summaryOfRun } from './summary.ts';

/** Two runs side by side, in the order given. */
export async function compareRuns(
  ports: SummaryPorts,
  names: readonly [string, string],
): Promise<Result<RunComparison>> {
  const [left, right] = [
    await existingRun(ports.store, names[0]),
    await existingRun(ports.store, names[1]),
  ];
  if (!left.ok) return left;
  if (!right.ok) return right;
  if (left.value.id === right.value.id) {
    return usage(`both names mean run ${left.value.id}`, 'Name two runs; `ym runs` lists them.');
  }
  const a = await summaryOfRun(ports, left.value);
  if (!a.ok) return a;
  const b = await summaryOfRun(ports, right.value);
  return b.ok ? ok(comparisonOf(a.value, b.value)) : b;
}
