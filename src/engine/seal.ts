import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventBody } from '../model/event.ts';
import type { TaskId } from '../model/task.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Store } from '../port/store.ts';
import type { Ports, RunContext } from './context.ts';

/**
 * Seals a passed verdict with the project's secret, to prove that a gate of this project gave it. A verdict that
 * another program wrote into the store has no seal and is judged again.
 */
export function sealed(
  { secret }: Pick<RunContext, 'secret'>,
  tree: string,
  gate: string,
  verdict: Verdict,
): Verdict {
  return verdict.id === 'passed' ? { ...verdict, seal: sealOf(secret, tree, gate) } : verdict;
}

/** Seals the verdicts that a worker reports: its own secret means nothing here. */
export function resealed(context: Pick<RunContext, 'secret'>, event: EventBody): EventBody {
  switch (event.type) {
    case 'branch-judged':
    case 'candidate-judged': {
      const verdict = sealed(context, event.tree, event.gate, event.verdict);
      return { ...event, verdict };
    }
    default:
      return event;
  }
}

/** `elsewhere`: sealed with the key of another machine that shares the project, so it proves nothing here. */
export function sealState(
  { secret, isShared }: Pick<RunContext, 'secret' | 'isShared'>,
  tree: string,
  gate: string,
  verdict: Verdict,
): 'valid' | 'elsewhere' | 'none' {
  if (verdict.id !== 'passed' || verdict.seal === undefined) return 'none';
  const found = Buffer.from(verdict.seal);
  const expected = Buffer.from(sealOf(secret, tree, gate));
  if (expected.length === found.length && timingSafeEqual(expected, found)) return 'valid';
  return isShared ? 'elsewhere' : 'none';
}

function sealOf(key: Uint8Array, tree: string, gate: string): string {
  return createHmac('sha256', key).update(`verdict\n${tree}\n${gate}`).digest('hex');
}

/** Reports a stored green verdict without a valid seal, for every task whose work it covers. */
export async function forgedVerdict(
  { store }: Pick<Ports, 'store'>,
  context: RunContext,
  { tree, gate, tasks }: { tree: string; gate: string; tasks: readonly TaskId[] },
): Promise<readonly EventBody[]> {
  const found = await store.verdict(tree, gate);
  const verdict = found.ok ? found.value : undefined;
  if (verdict?.id !== 'passed' || sealState(context, tree, gate, verdict) !== 'none') return [];
  return reportForged(store, context, tree, tasks);
}

/** One `tampering-seen` event for every task whose work a forged verdict covers. */
export async function reportForged(
  store: Store,
  { run }: RunContext,
  tree: string,
  tasks: readonly TaskId[],
): Promise<readonly EventBody[]> {
  const events: EventBody[] = [];
  for (const id of tasks) {
    const record = await store.task(id);
    const attempt = record.ok ? record.value?.attempt : undefined;
    if (attempt === undefined) continue;
    const of = { run, id, attempt: attempt.number, turn: attempt.conversation.turns };
    events.push({ type: 'tampering-seen', ...of, found: [{ kind: 'verdict-forged', tree }] });
  }
  return events;
}
