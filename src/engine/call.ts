import { type Call, callName } from '../model/call.ts';
import type { CommandOf, Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { CallResult } from '../model/review.ts';
import { settled } from '../model/trouble.ts';
import type { TurnResult } from '../model/turn.ts';
import type { Tampering } from '../model/violation.ts';
import type { Turn } from '../port/agent.ts';
import { envOf, failed, of, poolKey } from './attempt.ts';
import { callKinds } from './call-kinds.ts';
import { attemptDir, type Events, type Ports, type RunContext } from './context.ts';
import { earlyAgent } from './early-agent.ts';
import { askOnce } from './one-shot.ts';
import { priced, uuidFor, withoutSpace } from './turn.ts';
import { tamperingSeen, watched } from './watch.ts';

/**
 * Runs a one-shot call, or follows the process that is already running. It has no conversation, and its changes are
 * discarded.
 */
export async function runCall(
  ports: Ports,
  context: RunContext,
  { work, call }: CommandOf<'run-call'>,
): Promise<Result<Events>> {
  const { attempt } = work;
  const { promptFor, answerOf, commitOf } = callKinds[call.kind];
  const prompt = await promptFor(ports, context, work, call);
  const ended = (result: CallResult): EventBody => ({
    type: 'call-ended',
    ...of(context, work),
    call,
    result,
  });
  if (!prompt.ok) return prompt;
  const { facts, found, moved } = await answerTo(ports, context, work, call, prompt.value);
  const result = resultOf(call, facts, answerOf);
  await writeResult(ports, context, work, call, result, facts);
  const back = await settled(resetWorktree(ports, work, commitOf(attempt)));
  if (!back.ok) return failed(context, work, back.failure);
  const { turns } = attempt.conversation;
  return ok([...tamperingSeen(context, work, turns, found), ...moved, ended(result)]);
}

interface Answered {
  readonly facts: TurnResult;
  /** Changes outside the worktree during the call. */
  readonly found: readonly Tampering[];
  readonly moved: Events;
}

async function answerTo(
  ports: Ports,
  context: RunContext,
  work: Work,
  call: Call,
  prompt: string,
): Promise<Answered> {
  const { task, attempt } = work;
  const { kind, round, again } = call;
  const agent = ports.agent(call.agent);
  const worktree = attempt.worktree?.dir;
  if (agent === undefined || worktree === undefined) {
    const failure = { kind: 'agent-unknown', agent: call.agent, known: [] } as const;
    return { facts: { ok: false, failure }, found: [], moved: [] };
  }
  const name = callName(call);
  const dir = attemptDir(context, task.id, attempt);
  const promptFile = await ports.processes.write(dir, `${name}.prompt.md`, prompt);
  const { model, reasoning } =
    attempt.state.id === 'calling' ? attempt.state : attempt.conversation;
  const turn: Turn = {
    purpose: 'review',
    round,
    again,
    ...(kind === 'review' ? {} : { step: kind }),
    subject: task.id,
    run: context.run,
    attempt: attempt.number,
    turn: round,
    prompt,
    promptFile,
    worktree,
    newSession: uuidFor(`${context.run}/${task.id}/${attempt.number}/${name}`),
    model,
    reasoning,
  };
  const spec = {
    dir,
    name,
    cwd: worktree,
    env: envOf(context, work, worktree, attempt.conversation.turns),
    stdin: promptFile,
    limits: context.limits.agent,
  };
  const early = () => earlyAgent(ports, context, round);
  const ask = () => askOnce(ports.processes, agent, turn, spec, early);
  const { value, ...seen } = await watched(ports, context, work, ask);
  return { facts: await withoutSpace(ports, priced(context, model, value)), ...seen };
}

function resultOf(
  { agent }: Call,
  facts: TurnResult,
  answerOf: (typeof callKinds)[Call['kind']]['answerOf'],
): CallResult {
  const { usage, model } = facts;
  const stored = { usage, model };
  if (!facts.ok) return { ...stored, ok: false, failure: facts.failure };
  const parsed = answerOf(facts.answer ?? '');
  if (parsed.ok) return { ...stored, ...parsed };
  const failure = { kind: 'review-failed', reviewer: agent, cause: parsed.problem } as const;
  return { ...stored, ok: false, failure };
}

/** Writes one file per call, for people. */
async function writeResult(
  { processes }: Ports,
  context: RunContext,
  { task, attempt }: Work,
  call: Call,
  result: CallResult,
  facts: TurnResult,
): Promise<void> {
  const answer = facts.ok ? (facts.answer ?? '') : '';
  const of = { schema: 1, task: task.id, attempt: attempt.number };
  const text = { ...of, ...call, result, answer, files: attempt.captured?.changes?.files };
  const dir = attemptDir(context, task.id, attempt);
  await processes.write(dir, `${callName(call)}.json`, `${JSON.stringify(text, null, 2)}\n`);
}

/** Resets the worktree to a commit after a call. */
async function resetWorktree(
  { git, pool }: Ports,
  work: Work,
  commit: string,
): Promise<Result<void>> {
  const taken = await pool.take(poolKey(work), commit);
  return taken.ok ? ok(await git.point(taken.value.dir, commit, work.attempt.branch)) : taken;
}
