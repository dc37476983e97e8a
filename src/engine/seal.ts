import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verdict } from '../model/verdict.ts';
import type { RunContext } from './context.ts';

/**
 * Marks a green verdict as one that a gate of this project gave. What merely stands in the store, because some program
 * wrote it there, has no such mark and is judged again. Like the tokens of agents it keeps out whoever does not read the
 * secret itself.
 */
export function sealed(
  context: Pick<RunContext, 'secret'>,
  tree: string,
  gate: string,
  verdict: Verdict,
): Verdict {
  return verdict.id === 'passed' ? { ...verdict, seal: markOf(context, tree, gate) } : verdict;
}

export function isSealed(
  context: Pick<RunContext, 'secret'>,
  tree: string,
  gate: string,
  verdict: Verdict,
): boolean {
  if (verdict.id !== 'passed' || verdict.seal === undefined) return false;
  const mark = Buffer.from(markOf(context, tree, gate));
  const found = Buffer.from(verdict.seal);
  return mark.length === found.length && timingSafeEqual(mark, found);
}

function markOf({ secret }: Pick<RunContext, 'secret'>, tree: string, gate: string): string {
  return createHmac('sha256', secret).update(`verdict\n${tree}\n${gate}`).digest('hex');
}
