// One turn of a real agent, by hand and as the engine has it. Bundled by bench/turns.mjs.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { cliAgent } from '../src/agent/cli-agent.ts';
import { harnesses } from '../src/agent/harnesses.ts';
import type { Agent, Turn } from '../src/port/agent.ts';
import { supervisor } from '../src/process/supervisor.ts';
import { surroundings } from '../test/agents/surroundings.ts';
import { startModelServer } from '../test/model-server/server.ts';

export interface Contest {
  /** Each gives the wall time in milliseconds of one turn that went well. */
  byHand(round: number): Promise<number>;
  asTurn(round: number): Promise<number>;
  close(): Promise<void>;
}

/** The scripted server answers at once: a tool call, then a last word. */
const script = {
  turns: [[{ run: 'echo hello' }, { say: 'All done.\nCOMPLETE_AND_READY_FOR_MERGE' }]],
};

export async function contest(
  name: 'claude' | 'codex',
  binary: string,
  dir: string,
  worktree: string,
): Promise<Contest> {
  const server = await startModelServer({ scripts: { play: script } });
  const around = surroundings({ bases: { [name]: server.base('play') } }, dir);
  const agent = cliAgent(harnesses[name], {
    name,
    binary,
    args: [],
    sandbox: 'none',
    root: worktree,
    base: around.env,
  });
  await agent.check();
  const processes = supervisor();
  const prompt = 'Do the task.\n';
  const turnFor = (round: number): Turn => ({
    subject: 'T-1',
    run: 'run-1',
    attempt: 1,
    turn: round,
    prompt,
    worktree,
    newSession: randomUUID(),
  });
  const stdinFile = await processes.write(dir, 'prompt.md', prompt);

  return {
    byHand: (round) => handMs(agent, turnFor(round), around.env, stdinFile, join(dir, 'by-hand')),
    async asTurn(round) {
      const began = performance.now();
      const turn = turnFor(round);
      const child = `turn-${round}`;
      const stdin = await processes.write(dir, `${child}.prompt.md`, turn.prompt);
      const { argv, env, endSignal } = agent.launch(turn);
      const listener = agent.listen(turn);
      const end = await processes.run({
        dir,
        name: child,
        argv,
        cwd: worktree,
        env: { ...around.env, ...env },
        stdin,
        limits: { wallMs: 60_000, outputBytes: 64_000_000, lingerMs: 30_000 },
        listener,
        endSignal,
      });
      const result = listener.conclude(end, await processes.tail(dir, child, 8192));
      const ms = performance.now() - began;
      if (!result.ok) throw new Error(JSON.stringify(result.failure));
      return ms;
    },
    close: () => server.close(),
  };
}

/** The same words, environment and input, started by nobody but us; it prints into files as well. */
async function handMs(
  agent: Agent,
  turn: Turn,
  base: Readonly<Record<string, string>>,
  stdinFile: string,
  file: string,
): Promise<number> {
  const began = performance.now();
  const { argv, env } = agent.launch(turn);
  const [program = '', ...words] = argv;
  const stdio = [
    openSync(stdinFile, 'r'),
    openSync(`${file}.out`, 'w'),
    openSync(`${file}.err`, 'w'),
  ];
  const child = spawn(program, words, { cwd: turn.worktree, env: { ...base, ...env }, stdio });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const ms = performance.now() - began;
  for (const descriptor of stdio) closeSync(descriptor);
  if (code !== 0) throw new Error(`${program} ended with ${code} by hand`);
  return ms;
}
