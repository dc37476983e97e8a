// One turn of a real agent, as the engine has it: supervisor, adapter and a repository, but no engine.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import { harnesses } from '../../src/agent/harnesses.ts';
import type { TurnResult } from '../../src/model/turn.ts';
import type { Agent, Turn } from '../../src/port/agent.ts';
import type { Confine, ProcessEnd, Processes, ProcessLimits } from '../../src/port/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { confineWith } from '../../src/sandbox/sandbox.ts';
import type { Script } from '../model-server/script.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { need } from '../rig/need.ts';
import { bwrap } from '../rig/sandbox.ts';
import { processesWith } from '../rig/screen.ts';
import { binaryOf, type CliName } from './clis.ts';
import { models, type Surroundings, surroundings, type Wishes } from './surroundings.ts';

export interface Played {
  readonly result: TurnResult;
  readonly end: ProcessEnd;
  /** Everything that was printed. */
  readonly out: string;
}

export interface Stage {
  readonly server: ModelServer;
  readonly agent: Agent;
  readonly worktree: string;
  readonly processes: Processes;
  readonly around: Surroundings;
  /** Plays one turn; each call is the next turn of the attempt. */
  play(turn?: Partial<Turn>, limits?: Partial<ProcessLimits>): Promise<Played>;
  /** Whether a file is in the worktree. */
  has(path: string): boolean;
  /** Processes of this stage that are alive, as pid and command line. */
  alive(): readonly string[];
}

interface Place {
  readonly around: Surroundings;
  readonly worktree: string;
  readonly sandbox: 'auto' | 'none';
}

export interface StageWishes extends Omit<Wishes, 'bases'> {
  /** What the agent may do; whatever the user may where absent. */
  readonly sandbox?: 'auto' | 'none';
  /** Puts it into our sandbox. */
  readonly inSandbox?: boolean;
  /** Another adapter than the one made for the agent. */
  readonly agentFor?: (name: CliName, place: Place) => Agent;
  /** The agent takes the model that its own settings name. */
  readonly ownModel?: boolean;
}

/** The key under which the agent of a stage asks the server. */
export const key = 'stage';

/** A stage that ends with its test; to be called inside of a test. */
export async function stage(
  name: CliName,
  script: Script,
  {
    agentFor = agentOf,
    ownModel = false,
    sandbox = 'none',
    inSandbox = false,
    ...wishes
  }: StageWishes = {},
): Promise<Stage> {
  const server = await startModelServer({ scripts: { play: script } });
  const around = surroundings({ ...wishes, bases: { [name]: server.base('play', key) } });
  const tag = `YM_TEST_TAG=${randomUUID()}`;
  const worktree = join(around.dir, 'worktree');
  mkdirSync(worktree);
  execFileSync('git', ['init', '--quiet', worktree]);
  const confinement = inSandbox ? { confine: sandboxAround(around, worktree) } : {};
  const processes = supervisor({ killGraceMs: 2000, followMs: 50, ...confinement });
  const alive = (): readonly string[] => processesWith(tag);
  onTestFinished(async () => {
    const left = alive();
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await server.close();
    around.remove();
    if (left.length > 0) throw new Error(`Still running: ${left.join('\n')}`);
  });
  const agent = agentFor(name, { around, worktree, sandbox });
  need(await agent.check());
  let turns = 0;
  return {
    server,
    agent,
    worktree,
    processes,
    around,
    has: (path) => existsSync(join(worktree, path)),
    alive,
    async play(given = {}, limits = {}) {
      turns += 1;
      const model = ownModel ? {} : { model: models[name] };
      const turn = { ...turnOf(worktree, turns), ...model, ...given };
      return playTurn({ agent, processes, around, tag }, turn, limits);
    },
  };
}

function sandboxAround({ env }: Surroundings, worktree: string): Confine {
  return confineWith({
    mode: 'write',
    bwrap,
    home: env.HOME ?? '',
    repository: worktree,
    root: worktree,
    hidden: [],
    writable: [],
    variables: [],
    gateNetwork: true,
    gateUserns: false,
    hosts: [],
    proxy: [],
    programs: [process.execPath],
    agents: Object.values(harnesses).map((harness) => harness.state(env)),
  });
}

function agentOf(name: CliName, { around, worktree, sandbox }: Place): Agent {
  return cliAgent(harnesses[name], {
    name,
    args: [],
    sandbox,
    root: worktree,
    binary: binaryOf(name),
    base: around.env,
  });
}

function turnOf(worktree: string, turn: number): Turn {
  return {
    subject: 'T-1',
    run: 'run-1',
    attempt: 1,
    turn,
    prompt: 'Do the task.\n',
    worktree,
    newSession: randomUUID(),
  };
}

async function playTurn(
  {
    agent,
    processes,
    around,
    tag,
  }: {
    readonly agent: Agent;
    readonly processes: Processes;
    readonly around: Surroundings;
    readonly tag: string;
  },
  turn: Turn,
  limits: Partial<ProcessLimits>,
): Promise<Played> {
  const dir = join(around.dir, 'turns');
  const name = `turn-${turn.turn}`;
  const stdin = await processes.write(dir, `${name}.prompt.md`, turn.prompt);
  const { argv, env, state, endSignal } = agent.launch(turn);
  const listener = agent.listen(turn);
  const [variable = '', value = ''] = tag.split('=');
  const end = await processes.run({
    dir,
    name,
    argv,
    cwd: turn.worktree,
    env: { ...around.env, ...env, [variable]: value },
    stdin,
    confined: { role: 'agent', state, variables: [] },
    limits: { wallMs: 110_000, outputBytes: 64_000_000, lingerMs: 10_000, ...limits },
    listener,
    endSignal,
  });
  const result = listener.conclude(end, await processes.tail(dir, name, 8192));
  const files = [`${name}.out`, `${name}.err`].map((file) => join(dir, file));
  const out = files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('');
  return { result, end, out };
}
