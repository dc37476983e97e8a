import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { askOnce } from '../engine/one-shot.ts';
import { priced } from '../engine/turn.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Usage } from '../model/turn.ts';
import { parseModel } from '../plan/model.ts';
import type { Turn } from '../port/agent.ts';
import type { Processes } from '../port/processes.ts';
import { removeAnyway } from '../worktree/owner.ts';
import { checkAgents } from './agents.ts';
import type { Agents, Project } from './ports.ts';
import { usableSandbox } from './sandbox.ts';
import { findTarget } from './target.ts';
import { interruptible } from './verify.ts';

const answerMs = 10 * 60_000;

export interface Question {
  readonly config: Config;
  readonly agent: string;
  /** Subject of the question; the agent gets it as the id of its task. */
  readonly subject: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** Answer of an agent. Also a call without an answer may have used tokens. */
export interface Asked {
  readonly answer: Result<string>;
  /** Absent if the agent does not report it. */
  readonly usage?: Usage;
}

/**
 * Asks an agent once, outside of any run, in a throw-away worktree at the target, and returns its answer. Whatever it
 * changes there is discarded. An agent that cannot read files gets an empty folder.
 */
export async function askAgent(project: Project, question: Question): Promise<Asked> {
  const { config, agent, subject, prompt } = question;
  const asked = await settled(
    withTemporaryWorktree(project, { ...question, agents: [agent] }, (place) =>
      askAt(place, {
        name: 'answer',
        agent,
        subject,
        prompt,
        wallMs: answerMs,
        ...modelOf(config, agent),
      }),
    ),
  );
  return asked.ok ? asked.value : { answer: asked };
}

/** A throw-away worktree, with all that is needed to ask agents there. */
interface TemporaryWorktree extends Pick<Question, 'config' | 'signal'> {
  readonly agents: Agents;
  readonly processes: Processes;
  readonly env: Project['childEnv'];
  readonly dir: string;
  readonly worktree: string;
}

/** Makes a worktree for questions to these agents, and removes it afterwards. */
export async function withTemporaryWorktree<T>(
  project: Project,
  wanted: Pick<Question, 'config' | 'signal'> & { readonly agents: readonly string[] },
  use: (place: TemporaryWorktree) => Promise<T>,
): Promise<Result<T>> {
  const { config, signal } = wanted;
  const sandbox = await usableSandbox(project, config);
  if (!sandbox.ok) return sandbox;
  const agents = await project.agents(config, sandbox.value);
  const processes = interruptible(await project.children(config, sandbox.value), signal);
  const dir = mkdtempSync(join(tmpdir(), 'ym-ask-'));
  const worktree = join(dir, 'tree');
  try {
    const isEmpty = wanted.agents.every((name) => agents.get(name)?.oneShotOnly === true);
    const made = await makeFolder(project, config, worktree, isEmpty);
    if (!made.ok) return made;
    const env = project.childEnv;
    return ok(await use({ config, signal, agents, processes, env, dir, worktree }));
  } finally {
    await outcomeOf(project.git.removeWorktree(worktree));
    removeAnyway(dir);
  }
}

interface DeskQuestion extends Pick<Question, 'agent' | 'subject' | 'prompt'> {
  /** Name of its files, different for each question at the place. */
  readonly name: string;
  readonly wallMs: number;
  readonly step?: Turn['step'];
  readonly model?: string;
  readonly reasoning?: string;
}

export async function askAt(place: TemporaryWorktree, question: DeskQuestion): Promise<Asked> {
  const { config, agents, processes, dir, worktree, env, signal } = place;
  const { name, subject, prompt, wallMs, step, model, reasoning } = question;
  const checked = await checkAgents(agents, [question.agent]);
  if (!checked.ok) return { answer: checked };
  const agent = agents.get(question.agent);
  if (agent === undefined) throw new Error('A checked agent exists');
  const promptFile = await processes.write(dir, `${name}.prompt.md`, prompt);
  const once = { run: subject, attempt: 1, turn: 1, round: 1, again: 1 };
  const turn = {
    purpose: 'review',
    subject,
    ...once,
    prompt,
    promptFile,
    worktree,
    newSession: randomUUID(),
    step,
    model,
    reasoning,
  } as const;
  const { agentWallMs, agentIdleMs, agentLingerMs, outputBytes } = config.limits;
  const done = await askOnce(processes, agent, turn, {
    dir,
    name,
    cwd: worktree,
    env,
    stdin: promptFile,
    limits: {
      wallMs: Math.min(agentWallMs, wallMs),
      idleMs: agentIdleMs,
      lingerMs: agentLingerMs,
      outputBytes,
      lineBytes: limits.agentLineBytes,
    },
  });
  const result = priced(config, model, done);
  const { usage } = result;
  if (signal.aborted) return { answer: fail({ kind: 'interrupted', by: String(signal.reason) }) };
  const answer = result.ok ? ok(result.answer ?? '') : fail(result.failure);
  return { answer, usage };
}

async function makeFolder(
  project: Project,
  config: Config,
  folder: string,
  isEmpty: boolean,
): Promise<Result<void>> {
  if (isEmpty) {
    mkdirSync(folder);
    return ok(undefined);
  }
  const target = await findTarget(project, config);
  return target.ok ? ok(await project.git.addWorktree(folder, target.value.commit)) : target;
}

function modelOf(config: Config, name: string) {
  const profiles = profilesOf(config);
  const own = profiles.get(name)?.model ?? '';
  const { model, reasoning } = parseModel(own, (one) => profiles.has(one));
  return { model, reasoning };
}
