import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventBody } from '../model/event.ts';
import type { TaskId } from '../model/task.ts';
import type { Verdict } from '../model/verdict.ts';
import type { State } from '../plan/state.ts';
import type { Ports, RunContext } from './context.ts';

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

/** Reports a stored green verdict without a valid seal, for every task whose work it covers. */
export async function forgedVerdict(
  { store }: Pick<Ports, 'store'>,
  context: RunContext,
  state: State,
  { tree, gate, tasks }: { tree: string; gate: string; tasks: readonly TaskId[] },
): Promise<readonly EventBody[]> {
  const found = await store.verdict(tree, gate);
  const verdict = found.ok ? found.value : undefined;
  if (verdict?.id !== 'passed' || isSealed(context, tree, gate, verdict)) return [];
  return reportForged(context, state, tree, tasks);
}

/** One `tampering-seen` event for every task whose work a forged verdict covers. */
export function reportForged(
  context: RunContext,
  state: State,
  tree: string,
  tasks: readonly TaskId[],
): readonly EventBody[] {
  return tasks.flatMap((id) => {
    const attempt = state.task(id)?.attempt;
    if (attempt === undefined) return [];
    const of = { run: context.run, id, attempt: attempt.number, turn: attempt.turns };
    return [{ type: 'tampering-seen', ...of, found: [{ kind: 'verdict-forged', tree }] }];
  });
}
