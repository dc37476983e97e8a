import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TurnReason } from '../model/attempt.ts';
import { parseName } from '../model/branch.ts';
import type { CommandOf, Work } from '../model/command.ts';
import { defined } from '../model/defined.ts';
import { ok, type Result } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { AgentRole } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { TurnResult } from '../model/turn.ts';
import { notesFor } from '../plan/project-notes.ts';
import { costOf } from '../plan/spend.ts';
import type { Agent, Launch, Turn } from '../port/agent.ts';
import type { Confined } from '../port/sandbox.ts';
import { type PrefixInput, type PromptInput, prefixHash, promptFor } from '../prompt/prompt.ts';
import { followUpLabel, followUpTask } from '../protocol/follow-up.ts';
import { tokenFor } from '../protocol/token.ts';
import { notedIn } from './agent-notes.ts';
import { answerFor } from './agent-request.ts';
import { envOf, of, taskFileName } from './attempt.ts';
import { attemptDir, type Events, type Ports, type RunContext } from './context.ts';
import { earlyAgent } from './early-agent.ts';
import { restoreWorktree, tamperingSeen, watched } from './watch.ts';

/** Hash of the prompt part that is the same for all tasks of an agent; undefined for an unknown agent. */
export function prefixFor(
  { agent }: Ports,
  context: RunContext,
  name: string,
  role: AgentRole | undefined,
): string | undefined {
  const found = agent(name);
  return found === undefined ? undefined : prefixHash(sharedInput(context, found, role));
}

/** Runs the agent of a turn to its end, or follows the process that is already running. */
export async function runTurn(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'run-turn'>,
): Promise<Result<Events>> {
  const { work, turn, turnReason } = command;
  const { task, attempt } = work;
  const { processes } = ports;
  const ended = async (result: TurnResult, found: Events = []): Promise<Result<Events>> => {
    const filed = await followUpsOf(ports, command, result);
    const event = { type: 'turn-ended', ...of(context, work), turn, result } as const;
    if (!filed.ok) return filed;
    const known = result.notes === undefined ? ok([]) : await ports.store.notes();
    if (!known.ok) return known;
    const noted = notedIn(context, work, result.notes ?? [], known.value);
    return ok([...found, event, ...filed.value, ...noted]);
  };
  const agent = ports.agent(attempt.agent);
  if (agent === undefined || attempt.worktree === undefined) {
    return ended({
      ok: false,
      failure: { kind: 'agent-unknown', agent: attempt.agent, known: [] },
    });
  }
  const dir = attemptDir(context, task.id, attempt);
  const hasBegun = processes.hasBegun(dir, `turn-${turn}`);
  const early = hasBegun ? undefined : await earlyAgent(ports, context, turn);
  if (early !== undefined) return ended(early);
  const previous = await previousWork(ports, context, work);
  const known = await ports.store.notes();
  if (!known.ok) return known;
  const notes = notesFor(task, known.value, context.notes);
  const text = promptText(context, command, agent, { notes, previous });
  const prompt = await processes.write(dir, `turn-${turn}.prompt.md`, text);
  await processes.write(dir, taskFileName, `${JSON.stringify(task, null, 2)}\n`);
  const mailbox = join(dir, 'mailbox');
  const token = tokenOf(context, work);
  const files = { prompt: text, promptFile: prompt, mailbox };
  const input = turnOf(context, work, turn, turnReason, files);
  const launch = agent.launch(input);
  const listener = agent.listen(input);
  const { dir: worktree } = attempt.worktree;
  const isNew = isAfterWork(turnReason) && !isMerging(work) && !hasBegun;
  const touched = isNew ? await restoreWorktree(ports, context, work) : [];
  const { root } = context.project;
  const calls = { YARD_TOKEN: token, YARD_MAILBOX: mailbox, YARD_PROJECT: root };
  const opened = await ports.mailboxes.open(mailbox, token, answerFor(ports, context, work, turn));
  const run = () =>
    processes.run({
      dir,
      name: `turn-${turn}`,
      argv: launch.argv,
      cwd: worktree,
      env: { ...envOf(context, work, worktree, turn), ...calls, ...launch.env },
      stdin: prompt,
      limits: context.limits.agent,
      confined: confinedAgent(launch, mailbox),
      ...(listener.ignoresOutput ? {} : { listener }),
      endSignal: launch.endSignal,
    });
  const { value: end, found, moved } = await watched(ports, context, work, run);
  // A request that was written just before the agent ended still counts for this turn.
  await opened.close();
  const tail = await processes.tail(dir, `turn-${turn}`, limits.tailBytes);
  const survivors = end.survivors?.map(({ pid, command, fate }) => `${pid} ${command} (${fate})`);
  const concluded = priced(context, attempt.conversation.model, listener.conclude(end, tail));
  const result = await withoutSpace(ports, { ...concluded, ...defined({ survivors }) });
  return ended(result, [...touched, ...tamperingSeen(context, work, turn, found), ...moved]);
}

/** Rights in the sandbox of the agent of a turn, or of a one-shot call, which has no mailbox. */
export function confinedAgent({ state, env }: Launch, mailbox?: string): Confined {
  return { role: 'agent', state, variables: Object.keys(env), mailbox };
}

/** An agent that failed on a full disk is not to blame. */
export async function withoutSpace({ space }: Ports, result: TurnResult): Promise<TurnResult> {
  if (result.ok || troubleOf(result.failure) !== 'error') return result;
  const failure = await space();
  return failure === undefined ? result : { ...result, failure };
}

/** True if the work was captured before this turn, so that all of it is in a commit. */
function isAfterWork(turnReason: TurnReason | undefined): boolean {
  return ['returned', 'review', 'rejected', 'tests-red'].includes(turnReason?.id ?? '');
}

/** True while the worktree contains a merge that the agent has to finish. */
function isMerging({ attempt }: Work): boolean {
  const turnReason = attempt.state.id === 'working' ? attempt.state.turnReason : undefined;
  return turnReason?.id === 'returned' && attempt.returns.merged?.id === 'conflicts';
}

function promptText(
  context: RunContext,
  { work: { task, attempt }, turn, turnReason, role, messages, coClaims }: CommandOf<'run-turn'>,
  agent: Agent,
  { previous, notes }: Pick<PromptInput, 'previous' | 'notes'>,
): string {
  return promptFor({
    ...sharedInput(context, agent, role),
    task,
    attempt: attempt.number,
    turn,
    worktree: attempt.worktree?.dir ?? '',
    resumed: attempt.conversation.session !== undefined,
    writesTests: attempt.testsFirst?.id === 'writing',
    coClaims,
    messages,
    notes,
    turnReason,
    body: attempt.critique.body,
    merged: attempt.returns.merged,
    previous,
  });
}

/** The given-up attempt before this one, with the beginning of its diff. */
async function previousWork(
  { git }: Ports,
  { target }: RunContext,
  { attempt: { previous } }: Work,
): Promise<PromptInput['previous']> {
  if (previous?.branch === undefined) return previous && { ...previous, diff: '' };
  const branch = `refs/heads/${previous.branch}`;
  const from = await outcomeOf(git.mergeBase(`refs/heads/${target}`, branch));
  const diff =
    from.ok && from.value !== undefined ? await outcomeOf(git.diff(from.value, branch)) : undefined;
  const text = diff?.ok ? diff.value : '';
  const most = limits.previousDiffChars;
  return { ...previous, diff: text.length > most ? `${text.slice(0, most)}\n[…]` : text };
}

/** Prompt input that is the same for all tasks of an agent. */
function sharedInput(
  context: RunContext,
  { name, signals }: Agent,
  role: AgentRole | undefined,
): PrefixInput {
  return {
    run: context.run,
    agent: name,
    project: context.project.name,
    templates: context.templates(name),
    target: context.target,
    gate: context.gate.commands,
    program: context.program,
    projectNotes: context.notes,
    signals,
    role,
  };
}

function turnOf(
  context: RunContext,
  { task, attempt }: Work,
  turn: number,
  turnReason: TurnReason | undefined,
  files: Pick<Turn, 'prompt' | 'promptFile' | 'mailbox'>,
): Turn {
  const { session, model, reasoning } = attempt.conversation;
  return {
    ...files,
    subject: task.id,
    run: context.run,
    attempt: attempt.number,
    turn,
    worktree: attempt.worktree?.dir ?? '',
    newSession: uuidFor(`${context.run}/${task.id}/${attempt.number}/${turn}`),
    turnReason,
    session: session?.id,
    sessionUsage: session?.usage,
    model,
    reasoning,
  };
}

/** Proves that a request comes from this attempt, also after another run has taken it over. */
function tokenOf({ run, secret }: RunContext, { task, attempt: { branch, number } }: Work): string {
  return tokenFor(secret, { run: parseName(branch)?.run ?? run, task: task.id, attempt: number });
}

/** Files tasks for the agent's follow-ups, if it may file any. */
async function followUpsOf(
  { store }: Ports,
  { work: { task }, role }: CommandOf<'run-turn'>,
  { followUps = [] }: TurnResult,
): Promise<Result<Events>> {
  if (followUps.length === 0 || role === 'executor') return ok([]);
  const all = await store.tasks();
  if (!all.ok) return all;
  const before = filedBy(task, all.value);
  // Follow-ups already filed with `ym agent` are not filed again.
  const known = new Set(before.map(({ title }) => title));
  const fresh = followUps.filter(({ title }) => !known.has(title));
  const taken = new Set(all.value.map((record) => record.task.id.toLowerCase()));
  const tasks: Task[] = [];
  for (const found of fresh.slice(0, Math.max(0, limits.followUpsPerTask - before.length))) {
    const made = followUpTask(found, task, taken);
    taken.add(made.id.toLowerCase());
    tasks.push(made);
  }
  return ok(tasks.map((made) => ({ type: 'task-added', task: made })));
}

/** Tasks filed so far by the agent of a task. */
export function filedBy(task: Task, all: readonly TaskRecord[]): readonly Task[] {
  const label = followUpLabel(task);
  return all.map((record) => record.task).filter(({ labels }) => labels.includes(label));
}

/** Adds the cost from the price table, unless the agent reported one. */
export function priced(
  { prices }: Pick<RunContext, 'prices'>,
  asked: string | undefined,
  result: TurnResult,
): TurnResult {
  const { usage } = result;
  if (usage === undefined || usage.costUsd !== undefined) return result;
  const costUsd = costOf(usage, result.model ?? asked, prices);
  return costUsd === undefined ? result : { ...result, usage: { ...usage, costUsd } };
}

/** Derives a UUID from a name, so that what is repeated is found again without storing it. */
export function uuidFor(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
