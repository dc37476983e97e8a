// The adapter, the built client and the scripted agent behind it, through the real supervisor.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientEvent } from '../../src/agent/acp/event.ts';
import { type AcpAgentOptions, acpAgent } from '../../src/agent/acp.ts';
import type { TurnResult } from '../../src/model/turn.ts';
import type { Agent, Turn } from '../../src/port/agent.ts';
import type { ProcessEnd, Processes, ProcessLimits } from '../../src/port/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { turn } from '../agent/turn.ts';
import { build } from '../process/scratch.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import type { Script } from './player.ts';

export interface Programs {
  readonly client: string;
  readonly player: string;
}

export async function programs(): Promise<Programs> {
  const dir = tempFolder();
  return {
    client: await build('src/agent/acp/main.ts', join(dir, 'client')),
    player: await build('test/acp/player.ts', join(dir, 'player')),
  };
}

/** The adapter for an agent that plays this. */
export function playing(
  { client, player }: Pick<Programs, 'client' | 'player'>,
  place: string,
  script: Script,
  more: Partial<Pick<AcpAgentOptions, 'sandbox' | 'startMs' | 'command' | 'auth'>> = {},
): Agent {
  const file = join(place, 'script.json');
  writeFileSync(file, JSON.stringify(script));
  return acpAgent({
    name: 'mine',
    command: [process.execPath, player],
    args: [file],
    program: client,
    sandbox: 'auto',
    root: place,
    base: { PATH: process.env.PATH },
    ...more,
  });
}

export interface Played {
  readonly result: TurnResult;
  readonly end: ProcessEnd;
  /** What the client printed. */
  readonly events: readonly ClientEvent[];
}

type PidFile = 'player.pid' | 'child.pid';

/** A folder with a worktree, in which turns are played. */
export class Stage {
  readonly #processes: Processes;
  readonly #programs: Programs;
  readonly dir = tempFolder();
  readonly worktree = join(this.dir, 'worktree');
  #turns = 0;

  constructor(given: Programs, killGraceMs = 8_000) {
    this.#programs = given;
    this.#processes = supervisor({ killGraceMs, followMs: 20 });
    mkdirSync(this.worktree);
    execFileSync('git', ['init', '--quiet', this.worktree]);
  }

  agent(script: Script, more: Parameters<typeof playing>[3] = {}): Agent {
    return playing(this.#programs, this.dir, script, more);
  }

  async play(
    script: Script,
    more: {
      readonly turn?: Partial<Turn>;
      readonly limits?: Partial<ProcessLimits>;
      readonly agent?: Parameters<typeof playing>[3];
    } = {},
  ): Promise<Played> {
    const agent = this.agent(script, more.agent);
    const given = turn({ worktree: this.worktree, ...more.turn });
    this.#turns += 1;
    const dir = join(this.dir, `turn-${this.#turns}`);
    const stdin = await this.#processes.write(dir, 'prompt.md', given.prompt);
    const { argv, env, endSignal } = agent.launch(given);
    const listener = agent.listen(given);
    const end = await this.#processes.run({
      dir,
      name: 'agent',
      argv,
      cwd: given.worktree,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdin,
      limits: { wallMs: 60_000, outputBytes: 1_000_000, lineBytes: 500_000, ...more.limits },
      listener,
      endSignal,
    });
    const result = listener.conclude(end, await this.#processes.tail(dir, 'agent', 4096));
    const printed = readFileSync(join(dir, 'agent.out'), 'utf8').split('\n').filter(Boolean);
    return { result, end, events: printed.map((line) => JSON.parse(line) as ClientEvent) };
  }

  interrupt(): void {
    this.#processes.interruptAll();
  }

  /** What the agent was told by this method, in order; all of it where none is named. */
  heard(method?: string): Record<string, unknown>[] {
    const all = this.#noted('heard.jsonl');
    return method === undefined ? all : all.filter((message) => message.method === method);
  }

  /** What the client answered to what the agent asked. */
  answers(): Record<string, unknown>[] {
    return this.#noted('answers.jsonl');
  }

  pid(file: PidFile): number {
    return Number(readFileSync(join(this.dir, file), 'utf8'));
  }

  /** Whether the process that noted itself there has gone; remains that nobody has looked at yet do not count. */
  isGone(file: PidFile): boolean {
    if (!existsSync(join(this.dir, file))) return true;
    const stat = `/proc/${this.pid(file)}/stat`;
    return !existsSync(stat) || /\) [ZX]/.test(readFileSync(stat, 'utf8'));
  }

  /** Makes sure that nothing is left running. */
  async close(): Promise<void> {
    const files = ['player.pid', 'child.pid'] as const;
    await until(() => files.every((file) => this.isGone(file)), 'nothing is left', 5_000);
  }

  #noted(name: string): Record<string, unknown>[] {
    const file = join(this.dir, name);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}
