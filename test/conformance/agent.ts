// What every agent adapter does, through the real supervisor in a real repository.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent, Turn } from '../../src/agent/agent.ts';
import type { TurnResult } from '../../src/model/attempt.ts';
import type { ProcessEnd, ProcessLimits } from '../../src/process/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { type Scratch, scratch, until } from '../process/scratch.ts';

/** What an agent is made to do. `told` writes its working directory, its YARD_ variables and the size of its prompt. */
export type Deed = 'edits' | 'fails' | 'crashes' | 'hangs' | 'prints' | 'told';

export interface AgentRig {
  /** The adapter, set up so that the agent does this. */
  agent(deed: Deed, place: string): Agent;
  /** The same agent with its binary or program missing. */
  missing(place: string): Agent;
}

export interface Told {
  readonly cwd: string;
  readonly promptBytes: number;
  readonly env: Readonly<Record<string, string>>;
}

export function agentConformance(title: string, rig: AgentRig): void {
  describe(`${title} as an agent`, () => {
    let place: Scratch;
    let worktree: string;
    beforeEach(() => {
      place = scratch();
      worktree = join(place.dir, 'worktree');
      execFileSync('git', ['init', '--quiet', worktree]);
    });
    afterEach(() => place.remove());

    const turn = (prompt = 'Do it.\n'): Turn => ({
      task: {
        id: 'T-1',
        title: 'A task',
        body: '',
        after: [],
        priority: 2,
        type: 'task',
        labels: [],
        paths: [],
        scope: 'predicted',
        checks: [],
      },
      run: 'run-1',
      attempt: 2,
      turn: 3,
      prompt,
      worktree,
    });

    const processes = supervisor({ killGraceMs: 500, followMs: 50 });

    /** What the engine does with an agent, in short. */
    async function play(
      agent: Agent,
      given: Turn = turn(),
      limits: Partial<ProcessLimits> = {},
    ): Promise<{ result: TurnResult; end: ProcessEnd }> {
      const checked = await agent.check();
      if (checked.ok) expect(isAbsolute(checked.value.binary)).toBe(true);
      const dir = join(place.dir, 'turn');
      const stdin = await processes.write(dir, 'prompt.md', given.prompt);
      const launch = agent.launch(given);
      const end = await processes.run({
        dir,
        name: 'agent',
        argv: launch.argv,
        cwd: worktree,
        env: { PATH: process.env.PATH ?? '', ...launch.env },
        stdin,
        limits: { wallMs: 30_000, outputBytes: 1_000_000, ...limits },
      });
      const tail = await processes.tail(dir, 'agent', 4096);
      return { result: agent.conclude(given, end, tail), end };
    }

    it('has a name, and finds what it starts', async () => {
      const agent = rig.agent('edits', place.dir);
      const checked = await agent.check();
      expect(checked).toMatchObject({ ok: true, value: { name: agent.name } });
    });

    it('says what is missing', async () => {
      const checked = await rig.missing(place.dir).check();
      expect(checked).toMatchObject({ ok: false, failure: { kind: 'agent-missing' } });
    });

    it('works in the worktree, and nowhere else', async () => {
      const { result } = await play(rig.agent('edits', place.dir));
      expect(result.ok).toBe(true);
      expect(readFileSync(join(worktree, 'work.txt'), 'utf8')).toBe('done\n');
    });

    it('is told by its environment what it works on, and gets a prompt of any size', async () => {
      const prompt = `${'x'.repeat(1024 * 1024)}\n`;
      const { result } = await play(rig.agent('told', place.dir), turn(prompt));
      expect(result.ok).toBe(true);
      const told = JSON.parse(readFileSync(join(place.dir, 'told.json'), 'utf8')) as Told;
      expect(told.cwd).toBe(worktree);
      expect(told.promptBytes).toBe(prompt.length);
      expect(told.env).toMatchObject({
        YARD_TASK: 'T-1',
        YARD_RUN: 'run-1',
        YARD_ATTEMPT: '2',
        YARD_TURN: '3',
        YARD_WORKTREE: worktree,
      });
    });

    it('never has the prompt or an unreplaced placeholder among its arguments', () => {
      const { argv } = rig.agent('edits', place.dir).launch(turn('SECRET-PROMPT'));
      expect(argv.join(' ')).not.toMatch(/SECRET-PROMPT|\{prompt_file\}/);
    });

    it('that exits with a code has failed with it, and with the end of its output', async () => {
      const { result } = await play(rig.agent('fails', place.dir));
      expect(result).toMatchObject({ ok: false, failure: { kind: 'agent-exited', exit: 3 } });
      expect(JSON.stringify(result)).toMatch(/no luck/);
    });

    it('that a signal ended has failed with the signal', async () => {
      const { result } = await play(rig.agent('crashes', place.dir));
      expect(result).toMatchObject({
        ok: false,
        failure: { kind: 'agent-exited', signal: 'SIGKILL', exit: 137 },
      });
    });

    it('that hangs crosses its limit', async () => {
      const { result } = await play(rig.agent('hangs', place.dir), turn(), { wallMs: 700 });
      expect(result).toMatchObject({
        ok: false,
        failure: { kind: 'limit-crossed', phase: 'agent', limit: 'wall', value: 700 },
      });
    });

    it('that is interrupted says so', async () => {
      const running = play(rig.agent('hangs', place.dir));
      await until('it runs', () => existsSync(join(place.dir, 'turn', 'agent.pid')));
      processes.interrupt(join(place.dir, 'turn'), 'agent');
      expect((await running).result).toMatchObject({
        ok: false,
        failure: { kind: 'interrupted' },
      });
    });

    it('that was lost, or never started, says which', () => {
      const agent = rig.agent('edits', place.dir);
      const ended = { startedAt: 0, endedAt: 0, stragglers: 0 };
      expect(agent.conclude(turn(), { how: { id: 'lost' }, ...ended }, '')).toEqual({
        ok: false,
        failure: { kind: 'agent-lost', turn: 3 },
      });
      const never = { how: { id: 'not-started', cause: 'no room' }, ...ended } as const;
      expect(agent.conclude(turn(), never, '')).toMatchObject({
        ok: false,
        failure: { kind: 'agent-not-started', cause: 'no room' },
      });
    });

    it('gives the end of what it printed', async () => {
      const { result } = await play(rig.agent('prints', place.dir));
      expect(result.ok && result.tail).toBe('all good\n');
    });
  });
}
