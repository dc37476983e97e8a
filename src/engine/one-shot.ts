import { limits } from '../model/limits.ts';
import type { TurnResult } from '../model/turn.ts';
import type { Agent, Turn } from '../port/agent.ts';
import type { Processes, ProcessSpec } from '../port/processes.ts';
import type { Ports, RunContext } from './context.ts';
import { earlyAgent } from './early-agent.ts';
import { confinedAgent, priced, uuidFor } from './turn.ts';

/** The process of a one-shot call, but for what the agent itself decides. */
type CallProcess = Omit<ProcessSpec, 'argv' | 'listener' | 'endSignal'>;

/**
 * Asks an agent once, without a conversation, or follows the process that is already running under this name. A process
 * that was interrupted by a stop has no result: it is repeated under a new name with a new listener. `early` returns the
 * result of an agent that must not start now; one that runs is followed in any case.
 */
export async function askOnce(
  processes: Processes,
  agent: Agent,
  turn: Turn,
  spec: CallProcess,
  early: () => Promise<TurnResult | undefined> = async () => undefined,
): Promise<TurnResult> {
  const launch = agent.launch(turn);
  const { argv, env, endSignal } = launch;
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-run${again + 1}`;
    const before = processes.hasEnded(spec.dir, name);
    const held = processes.hasBegun(spec.dir, name) ? undefined : await early();
    if (held !== undefined) return held;
    const listener = agent.listen(turn);
    const end = await processes.run({
      ...spec,
      name,
      argv,
      env: { ...spec.env, ...env },
      ...(launch.unconfined === true ? {} : { confined: confinedAgent(launch) }),
      ...(listener.ignoresOutput ? {} : { listener }),
      endSignal,
    });
    if (end.how.id === 'interrupted' && before) continue;
    return listener.conclude(end, await processes.tail(spec.dir, name, limits.tailBytes));
  }
}

/** A question about a run. Its process has a name, by which it is found again after a crash. */
interface RunQuestion extends Pick<Turn, 'model' | 'reasoning' | 'prompt' | 'subject'> {
  readonly promptFile: string;
  readonly step: NonNullable<Turn['step']>;
  readonly agent: string;
  /** Counts the questions of this kind. */
  readonly call: number;
  readonly dir: string;
  readonly name: string;
  readonly cwd: string;
  readonly wallMs: number;
}

/** Asks an agent about a run, outside of any attempt. An unknown agent is a failed turn. */
export async function askInRun(
  ports: Pick<Ports, 'agent' | 'processes' | 'store'>,
  context: RunContext,
  question: RunQuestion,
): Promise<TurnResult> {
  const { agent: name, call, dir, cwd, prompt, promptFile, model, reasoning } = question;
  const agent = ports.agent(name);
  if (agent === undefined) {
    return { ok: false, failure: { kind: 'agent-unknown', agent: name, known: [] } };
  }
  const turn: Turn = {
    purpose: 'review',
    step: question.step,
    subject: question.subject,
    run: context.run,
    attempt: 1,
    turn: call,
    round: call,
    again: 1,
    prompt,
    promptFile,
    worktree: cwd,
    newSession: uuidFor(`${context.run}/${question.step}/${question.name}`),
    model,
    reasoning,
  };
  const { agent: most } = context.limits;
  const wallMs = Math.min(most.wallMs ?? question.wallMs, question.wallMs);
  const at = { dir, name: question.name, cwd, env: context.env, stdin: promptFile };
  const spec = { ...at, limits: { ...most, wallMs } };
  const early = () => earlyAgent(ports, context, call);
  const answered = await askOnce(ports.processes, agent, turn, spec, early);
  return priced(context, model, answered);
}
