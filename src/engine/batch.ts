import { touchedIn } from '../inspection/touches.ts';
import { type BatchPlan, batchLimits } from '../model/batch.ts';
import type { CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { rangeOf } from '../model/history.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { TurnResult } from '../model/turn.ts';
import { type BatchPromptInput, batchPrompt, estimatedTokens } from '../prompt/batch.ts';
import { nextIn } from '../protocol/follow-up.ts';
import { type Events, type Ports, plannerDir, type RunContext } from './context.ts';
import { askInRun } from './one-shot.ts';

type Skip = Extract<BatchPlan, { source: 'skipped' }>;

const skipped = (reason: Skip['reason'], failure?: Failure): Skip => ({
  source: 'skipped',
  reason,
  failure,
});

/**
 * Asks the planner for the next tasks, or follows the process that is already running. Whatever goes wrong, the answer
 * is a plan without tasks and the reason: a run never fails because of its planner.
 */
export async function planBatch(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'plan-batch'>,
): Promise<Result<Events>> {
  const { call, budgetTokens, ready, wanted } = command;
  const { processes } = ports;
  const dir = plannerDir(context);
  const name = `call-${call}`;
  const planned = (plan: BatchPlan, result?: TurnResult): Result<Events> => {
    const of = { usage: result?.usage, model: result?.model };
    const event: EventBody = { type: 'batch-planned', run: context.run, call, plan, ...of };
    return ok([event]);
  };
  const hasBegun = processes.hasBegun(dir, name);
  if (!wanted && !hasBegun) return planned(skipped('runtime_error', interrupted));
  // The agent works in a folder of its own, which holds only its prompt.
  const folder = `${dir}/${name}`;
  let prompt = '';
  if (!hasBegun) {
    const touches = await recentTouches(ports, context);
    prompt = batchPrompt({ run: context.run, ready, touches });
    if (estimatedTokens(prompt) > budgetTokens) return planned(skipped('budget_exceeded'));
    await processes.write(folder, promptName, prompt);
  }
  const of = { step: 'batch', subject: 'batch', dir, name, cwd: folder, call } as const;
  const file = { prompt, promptFile: `${folder}/${promptName}` };
  const { plannerWallMs: wallMs } = batchLimits;
  const result = await askInRun(ports, context, { ...command, ...of, ...file, wallMs });
  return planned(planIn(result, ready), result);
}

const promptName = 'prompt.md';
const interrupted: Failure = {
  kind: 'interrupted',
  by: 'the engine, because its answer is no longer needed',
};

/** Reads the tasks that the planner chose. Ids that were not offered are dropped. */
function planIn(result: TurnResult, ready: readonly { readonly id: string }[]): BatchPlan {
  if (!result.ok) return skipped('runtime_error', result.failure);
  const named = nextIn(result.answer ?? '');
  if (named === undefined) return skipped('parse_error');
  const offered = new Set(ready.map(({ id }) => id));
  const ids = named.filter((id) => offered.has(id)).slice(0, batchLimits.batchTasks);
  if (ids.length === 0 && named.length > 0) return skipped('unknown_tasks');
  return { source: 'planner', ids };
}

/** Changes of the newest work of the run, by file. Work that git cannot diff is left out. */
async function recentTouches(
  { store, git }: Ports,
  { run }: RunContext,
): Promise<BatchPromptInput['touches']> {
  const attempts = await store.attempts({ run });
  if (!attempts.ok) return [];
  const newest = attempts.value
    .filter(({ captures }) => captures.length > 0)
    .sort((a, b) => (b.captures.at(-1)?.at ?? 0) - (a.captures.at(-1)?.at ?? 0))
    .slice(0, batchLimits.touchedAttempts);
  const touches = new Map<string, { tasks: Set<string>; symbols: Set<string> }>();
  for (const record of newest) {
    const range = rangeOf(record);
    const diff = range === undefined ? undefined : await outcomeOf(git.diff(range.from, range.to));
    if (diff === undefined || !diff.ok) continue;
    for (const { path, symbols } of touchedIn(diff.value)) {
      const known = touches.get(path) ?? { tasks: new Set(), symbols: new Set() };
      touches.set(path, known);
      known.tasks.add(record.task);
      for (const symbol of symbols) known.symbols.add(symbol);
    }
  }
  return [...touches].slice(0, batchLimits.touchedFiles).map(([path, { tasks, symbols }]) => ({
    path,
    tasks: [...tasks],
    symbols: [...symbols].slice(0, batchLimits.touchedSymbols),
  }));
}
