import type { CritiqueResult } from '../model/review.ts';
import type { RunRecord } from '../model/run-record.ts';
import { troubleOf } from '../model/trouble.ts';
import { pauseAccount, unpauseAccount } from './accounts.ts';
import { spend } from './spend.ts';

/** What the run learns from the end of a look: money, and whether the account may be used. */
export function accountOneShot(
  run: RunRecord,
  agent: string,
  result: CritiqueResult,
  at: number,
): RunRecord {
  const spent = spend(run, result.usage);
  if (result.ok) return unpauseAccount(spent, agent, at);
  const trouble = troubleOf(result.failure);
  if (trouble !== 'pause' && trouble !== 'hold') return spent;
  // A start that was refused is not one that was used.
  return { ...pauseAccount(spent, agent, result.failure, at), starts: spent.starts - 1 };
}
