import type { Event, EventBody } from '../model/event.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Tampering } from '../model/violation.ts';
import { limits } from '../plan/limits.ts';
import type { State } from '../plan/state.ts';
import type { Ports, RunContext } from './context.ts';
import { isSealed } from './seal.ts';

/** A green verdict that stands in the store and that no gate of ours gave, told of everybody whose work it is for. */
export async function forgedVerdict(
  ports: Ports,
  context: RunContext,
  state: State,
  {
    tree,
    gate,
    tasks,
  }: { readonly tree: string; readonly gate: string; readonly tasks: readonly string[] },
): Promise<readonly EventBody[]> {
  const found = await ports.store.verdict(tree, gate);
  const verdict = found.ok ? found.value : undefined;
  if (verdict?.id !== 'passed' || isSealed(context, tree, gate, verdict)) return [];
  if (await isOld(ports, tree, gate)) return [];
  return toldOf(context, state, tree, tasks);
}

/** Tells everybody whose work a verdict of nobody was for. */
export function toldOf(
  context: RunContext,
  state: State,
  tree: string,
  tasks: readonly string[],
): readonly EventBody[] {
  return tell(context, state, tasks, { kind: 'verdict-forged', tree });
}

function tell(
  context: RunContext,
  state: State,
  tasks: readonly string[],
  found: Tampering,
): readonly EventBody[] {
  return tasks.flatMap((id) => {
    const attempt = state.task(id)?.attempt;
    if (attempt === undefined) return [];
    const of = { run: context.run, id, attempt: attempt.number, turn: attempt.turns };
    return [{ type: 'tampering-seen', ...of, found: [found] }];
  });
}

/** Gates of versions that knew no seals gave verdicts without one; their runs say nothing of a train. */
async function isOld({ store }: Ports, tree: string, gate: string): Promise<boolean> {
  for (let after = 0; ; ) {
    const page = await store.events({ after, limit: limits.eventPage });
    if (!page.ok || page.value.length === 0) return false;
    for (const event of page.value) {
      if (verdictOf(event, tree, gate)?.id !== 'passed') continue;
      const run = 'run' in event ? await store.run(event.run) : undefined;
      if (run?.ok && run.value !== undefined && run.value.settings.train === undefined) return true;
    }
    after = page.value.at(-1)?.seq ?? after + limits.eventPage;
  }
}

function verdictOf(event: Event, tree: string, gate: string): Verdict | undefined {
  switch (event.type) {
    case 'candidate-judged':
    case 'target-judged':
    case 'branch-judged':
      return event.tree === tree && event.gate === gate ? event.verdict : undefined;
    default:
      return undefined;
  }
}
