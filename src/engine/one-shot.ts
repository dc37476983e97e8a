import type { Work } from '../model/command.ts';
import type { Failure, Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { TurnFacts, TurnResult } from '../model/turn.ts';
import type { Tampering } from '../model/violation.ts';
import type { Agent, Turn } from '../port/agent.ts';
import type { ProcessSpec } from '../port/processes.ts';
import { templateTexts } from '../prompt/prompt.ts';
import { envOf, poolKey } from './attempt.ts';
import { attemptDir, type Ports, type RunContext } from './context.ts';
import { priced, sessionFor } from './turn.ts';
import { watched } from './watch.ts';

/** A one-shot agent call: the agent answers with text and must change nothing. */
export interface OneShotCall {
  readonly agent: string;
  /** Name of its files in the attempt's folder; must not change between tries of the engine. */
  readonly name: string;
  readonly round: number;
  readonly again: number;
  readonly step?: 'critique' | 'improve';
  readonly prompt: string;
  readonly model?: string;
  readonly reasoning?: string;
}

export type OneShotAnswer = (
  | { readonly ok: true; readonly answer: string; readonly facts: TurnResult }
  | { readonly ok: false; readonly failure: Failure; readonly facts: TurnResult }
) & {
  /** Changes outside the worktree during the call. */
  readonly found: readonly Tampering[];
};

/**
 * Runs a one-shot call, or follows the process that is already running. It has no conversation, and the caller resets
 * the worktree afterwards.
 */
export async function callOnce(
  ports: Ports,
  context: RunContext,
  work: Work,
  call: OneShotCall,
): Promise<OneShotAnswer> {
  const { task, attempt } = work;
  const { agent: name, round, again, step, prompt, model, reasoning } = call;
  const agent = ports.agent(name);
  const worktree = attempt.worktree?.dir;
  if (agent === undefined || worktree === undefined) {
    const failure = { kind: 'agent-unknown', agent: name, known: [] } as const;
    return { ok: false, failure, facts: { ok: false, failure }, found: [] };
  }
  const dir = attemptDir(context, task.id, attempt);
  const promptFile = await ports.processes.write(dir, `${call.name}.prompt.md`, prompt);
  const turn: Turn = {
    purpose: 'review',
    round,
    again,
    ...given({ step }),
    task,
    run: context.run,
    attempt: attempt.number,
    turn: round,
    prompt,
    promptFile,
    worktree,
    newSession: sessionFor(`${context.run}/${task.id}/${attempt.number}/${call.name}`),
    ...given({ model, reasoning }),
  };
  const spec = {
    dir,
    name: call.name,
    cwd: worktree,
    env: envOf(context, work, worktree, attempt.turns),
    stdin: promptFile,
    limits: context.limits.agent,
  };
  const run = () => runOnce(ports, agent, turn, spec);
  const { value, found } = await watched(ports, context, work, run);
  const tail = await ports.processes.tail(dir, value.name, limits.tailBytes);
  const facts = priced(context, model, value.listener.conclude(value.end, tail));
  if (!facts.ok) return { ok: false, failure: facts.failure, facts, found };
  return { ok: true, answer: facts.answer ?? '', facts, found };
}

/** The user's prompt files for one-shot calls. */
export function ownPrompts(
  context: RunContext,
  { task, attempt }: Work,
  agent: string,
): { readonly own?: readonly string[] } {
  const body = attempt.critique?.body;
  const own = templateTexts({
    templates: context.templates(agent, 'review'),
    project: context.project.name,
    target: context.target,
    gate: context.gate.commands,
    agent,
    run: context.run,
    task,
    attempt: attempt.number,
    worktree: attempt.worktree?.dir ?? '',
    ...given({ body }),
  });
  return own.length === 0 ? {} : { own };
}

/** Resets the worktree to a commit after a one-shot call. */
export async function resetWorktree(
  { git, pool }: Ports,
  work: Work,
  commit: string,
): Promise<Result<void>> {
  const taken = await pool.take(poolKey(work), commit);
  return taken.ok ? git.point(taken.value.dir, commit, work.attempt.branch) : taken;
}

/** Runs the process. A run interrupted by a stop has no result: it is repeated under a new name with a new listener. */
async function runOnce(
  { processes }: Ports,
  agent: Agent,
  turn: Turn,
  spec: Omit<ProcessSpec, 'argv' | 'listener' | 'endSignal'>,
) {
  const { argv, env, endSignal } = agent.launch(turn);
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-run${again + 1}`;
    const before = processes.hasEnded(spec.dir, name);
    const listener = agent.listen(turn);
    const end = await processes.run({
      ...spec,
      name,
      argv,
      env: { ...spec.env, ...env },
      ...(listener.ignoresOutput ? {} : { listener }),
      ...given({ endSignal }),
    });
    if (end.how.id !== 'interrupted' || !before) return { end, listener, name };
  }
}

/** Facts that are stored besides the answer. */
export function factsOf({ usage, model }: TurnResult): TurnFacts {
  return {
    ...given({ usage, model }),
  };
}
