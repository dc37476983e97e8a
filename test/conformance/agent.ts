// Conformance suite for agent adapters, with the real supervisor in a real repository.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnResult } from '../../src/model/turn.ts';
import type { Agent, Turn } from '../../src/port/agent.ts';
import type { ProcessEnd, ProcessLimits } from '../../src/port/processes.ts';
import { startOf } from '../../src/process/identity.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { turn } from '../agent/turn.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';

/** Script of an agent. A successful one prints the agreed end signal. */
export type Deed =
  /** Writes `done` into `work.txt`. */
  | 'edits'
  /** Prints `no luck` as an error and ends with 3, or with a failure of its own. */
  | 'fails'
  /** Is ended by a signal that is not ours. */
  | 'crashes'
  /** Prints nothing and does not end; has a child of its own, with its pid in `child.pid`, where it can. */
  | 'hangs'
  /** The same, after it has begun to talk. */
  | 'hangs-midway'
  /** Ends well, but its process stays. */
  | 'lingers'
  /** Says `all good` as its last word. */
  | 'prints'
  /** Notes its working directory, its YARD_ variables and the size of its prompt; see `Told`. */
  | 'told';

export interface AgentRig {
  /** The adapter, set up so that the agent does this. */
  agent(deed: Deed, place: string): Agent;
  /** The same agent with its binary or program missing. */
  missing(place: string): Agent;
  /** Deeds that the agent cannot be made to do, and why. */
  readonly cannot?: Partial<Record<Deed, string>>;
  /** Result of `fails`; default exit code 3 with its output. */
  readonly failed?: object;
  /** File with the agent's notes; default `told.json`. */
  told?(place: string): Told;
  /** The environment of every child, beside PATH. */
  env?(place: string): Readonly<Record<string, string>>;
  /** Time limit for an agent that has to start first. */
  readonly patienceMs?: number;
}

export interface Told {
  readonly cwd: string;
  readonly promptBytes: number;
  readonly env: Readonly<Record<string, string>>;
}

const processes = supervisor({ killGraceMs: 1000, followMs: 50 });

/** Short version of the engine's calls to an agent. */
export async function playTurn(
  agent: Agent,
  given: Turn,
  dir: string,
  more: { env?: Readonly<Record<string, string>>; limits?: Partial<ProcessLimits> } = {},
): Promise<{ result: TurnResult; end: ProcessEnd }> {
  const checked = await agent.check();
  if (checked.ok) expect(isAbsolute(checked.value.binary)).toBe(true);
  const stdin = await processes.write(dir, 'prompt.md', given.prompt);
  const launch = agent.launch(given);
  const listener = agent.listen(given);
  const end = await processes.run({
    dir,
    name: 'agent',
    argv: launch.argv,
    cwd: given.worktree,
    env: { PATH: process.env.PATH ?? '', ...more.env, ...launch.env },
    stdin,
    limits: { wallMs: 60_000, outputBytes: 16_000_000, lineBytes: 8_000_000, ...more.limits },
    listener,
    ...(launch.endSignal === undefined ? {} : { endSignal: launch.endSignal }),
  });
  return { result: listener.conclude(end, await processes.tail(dir, 'agent', 4096)), end };
}

export function agentConformance(title: string, rig: AgentRig): void {
  describe(`${title} as an agent`, () => {
    let place: string;
    let worktree: string;
    beforeEach(() => {
      place = tempFolder();
      worktree = join(place, 'worktree');
      execFileSync('git', ['init', '--quiet', worktree]);
    });

    const agentFor = (deed: Deed): Agent => rig.agent(deed, place);
    const given = (more: Partial<Turn> = {}): Turn => turn({ worktree, ...more });
    const play = (agent: Agent, of: Turn = given(), limits: Partial<ProcessLimits> = {}) =>
      playTurn(agent, of, join(place, `turn-${of.turn}`), {
        env: rig.env?.(place) ?? {},
        limits,
      });
    const told = (): Told =>
      rig.told?.(place) ?? (JSON.parse(readFileSync(join(place, 'told.json'), 'utf8')) as Told);
    const patienceMs = rig.patienceMs ?? 700;

    /** A test that needs a deed; it shows with the reason where the agent cannot be made to do it. */
    const itCan = (deed: Deed, what: string, test: () => Promise<void>): void => {
      const why = rig.cannot?.[deed];
      if (why === undefined) it(what, test);
      // reason: the rig says why, and the title repeats it
      else it.skip(`${what} (${why})`, test);
    };

    it('has a name, and finds what it starts', async () => {
      const agent = agentFor('edits');
      const checked = await agent.check();
      expect(checked).toMatchObject({ ok: true, value: { name: agent.name } });
    });

    it('says what is missing', async () => {
      const checked = await rig.missing(place).check();
      expect(checked).toMatchObject({ ok: false, failure: { kind: 'agent-missing' } });
    });

    it('says how it is without asking a model', async () => {
      const agent = agentFor('hangs');
      await agent.check();
      const health = await agent.probe();
      expect(['yes', 'no', 'unknown']).toContain(health.signedIn);
      if (health.version !== undefined) expect(health.version).toMatch(/^\d+\.\d+\.\d+/);
    });

    itCan('edits', 'works in the worktree, and nowhere else', async () => {
      const agent = agentFor('edits');
      const { result } = await play(agent);
      expect(result).toMatchObject({ ok: true });
      expect(readFileSync(join(worktree, 'work.txt'), 'utf8')).toBe('done\n');
      const said = agent.signals === undefined ? undefined : { id: 'complete' };
      expect(result.ok && result.signal).toEqual(said);
    });

    itCan('edits', 'names its conversation, and goes on with it', async () => {
      const agent = agentFor('edits');
      const { sessions } = agent.capabilities;
      const first = (await play(agent)).result;
      if (sessions === 'none') return expect(first.session).toBeUndefined();
      if (sessions === 'ours') expect(first.session).toBe(given().newSession);
      expect(first.session).toMatch(/^[\w-]{8,}$/);
      const session = first.session ?? '';
      const { usage: sessionUsage } = first;
      const next = given({ turn: 4, session, ...(sessionUsage && { sessionUsage }) });
      expect(agent.launch(next).argv).not.toEqual(agent.launch(given()).argv);
      const second = (await play(agent, next)).result;
      expect(second).toMatchObject({ ok: true, session });
    });

    itCan('edits', 'reports what it used as far as it can', async () => {
      const agent = agentFor('edits');
      const { result } = await play(agent);
      const { usage, cost } = agent.capabilities;
      if (usage === 'none') expect(result.usage).toBeUndefined();
      if (result.usage === undefined) return;
      const { costUsd, ...tokens } = result.usage;
      for (const count of Object.values(tokens)) expect(count).toBeGreaterThanOrEqual(0);
      if (!cost) expect(costUsd).toBeUndefined();
    });

    itCan('told', 'is told by its environment, and gets a prompt of any size', async () => {
      const prompt = `${'x'.repeat(1024 * 1024 - 1)}\n`;
      const { result } = await play(agentFor('told'), given({ prompt }));
      expect(result).toMatchObject({ ok: true });
      const { cwd, promptBytes, env } = told();
      expect(cwd).toBe(worktree);
      expect(promptBytes).toBe(prompt.length);
      expect(env).toMatchObject({
        YARD_TASK: 'T-1',
        YARD_RUN: 'run-1',
        YARD_ATTEMPT: '2',
        YARD_TURN: '3',
        YARD_WORKTREE: worktree,
      });
    });

    it('never has the prompt or an unreplaced placeholder among its arguments', () => {
      const prompt = 'SECRET-PROMPT';
      for (const session of [undefined, 'b3b1b2f4-0c5e-4b5e-9d5f-2f6f3a1c7e11']) {
        const of = given({ prompt, ...(session === undefined ? {} : { session }) });
        expect(agentFor('edits').launch(of).argv.join(' ')).not.toMatch(/SECRET|\{prompt_file\}/);
      }
    });

    it('names the model it was given, where it takes one', () => {
      const agent = agentFor('edits');
      const words = (more: Partial<Turn>) => {
        const { argv, env } = agent.launch(given(more));
        return [...argv, ...Object.values(env)].join(' ');
      };
      const { model, reasoning } = agent.capabilities;
      if (model) expect(words({ model: 'model-1' })).toContain('model-1');
      if (reasoning) expect(words({ reasoning: 'high' })).toContain('high');
      expect(words({})).not.toContain('undefined');
    });

    itCan('prints', 'that reviews answers in one turn by itself', async () => {
      const look = given({ purpose: 'review', round: 2, session: 'gone', prompt: 'Look.\n' });
      const agent = agentFor('prints');
      const { result } = await play(agent, look);
      expect(result).toMatchObject({ ok: true, answer: expect.stringContaining('all good') });
      expect(result).not.toHaveProperty('signal');
      expect(result).not.toHaveProperty('session');
      const { argv, env } = agent.launch(look);
      expect(argv.join(' ')).not.toMatch(/gone|5d4f0a52/);
      expect(env).toMatchObject({ YARD_PURPOSE: 'review', YARD_ROUND: '2' });
      const worked = (await play(agent, given({ turn: 4 }))).result;
      expect(worked).not.toHaveProperty('answer');
    });

    itCan('fails', 'that fails to review has given no answer', async () => {
      const { result } = await play(agentFor('fails'), given({ purpose: 'review' }));
      expect(result).toMatchObject({ ok: false });
      expect(result).not.toHaveProperty('answer');
    });

    itCan('fails', 'that fails says with what, and why', async () => {
      const { result } = await play(agentFor('fails'));
      const failed = rig.failed ?? {
        kind: 'agent-exited',
        exit: 3,
        tail: expect.stringContaining('no luck'),
      };
      expect(result).toMatchObject({ ok: false, failure: failed });
    });

    itCan('crashes', 'that a signal ended has failed with the signal', async () => {
      const { result } = await play(agentFor('crashes'));
      expect(result).toMatchObject({
        ok: false,
        failure: { kind: 'agent-exited', signal: 'SIGKILL', exit: 137 },
      });
    });

    for (const deed of ['hangs', 'hangs-midway'] as const) {
      itCan(deed, `that ${deed} crosses its limit, and its children are gone`, async () => {
        const { result, end } = await play(agentFor(deed), given(), { wallMs: patienceMs });
        expect(result).toMatchObject({
          ok: false,
          failure: { kind: 'limit-crossed', phase: 'agent', limit: 'wall', value: patienceMs },
        });
        expect(end.endedAt - end.startedAt).toBeLessThan(patienceMs + 10_000);
        const child = join(place, 'child.pid');
        if (existsSync(child)) expect(startOf(Number(readFileSync(child, 'utf8')))).toBeUndefined();
      });
    }

    itCan('lingers', 'that stays after its last word is ended, and its word counts', async () => {
      const { result, end } = await play(agentFor('lingers'), given(), { lingerMs: 300 });
      expect(end.how).toEqual({ id: 'limit', limit: 'linger', value: 300 });
      expect(result).toMatchObject({ ok: true });
    });

    itCan('hangs', 'that is interrupted says so', async () => {
      const running = play(agentFor('hangs'));
      await until(() => existsSync(join(place, 'turn-3', 'agent.pid')), 'it runs');
      processes.interrupt(join(place, 'turn-3'), 'agent');
      expect((await running).result).toMatchObject({
        ok: false,
        failure: { kind: 'interrupted' },
      });
    });

    it('that was lost, or never started, says which', () => {
      const ended = { startedAt: 0, endedAt: 0, stragglers: 0 };
      const conclude = (how: ProcessEnd['how']) =>
        agentFor('edits')
          .listen(given())
          .conclude({ how, ...ended }, '');
      expect(conclude({ id: 'lost' })).toMatchObject({
        ok: false,
        failure: { kind: 'agent-lost', turn: 3 },
      });
      expect(conclude({ id: 'not-started', cause: 'no room' })).toMatchObject({
        ok: false,
        failure: { kind: 'agent-not-started', cause: 'no room' },
      });
    });

    itCan('prints', 'gives the end of what it said', async () => {
      const { result } = await play(agentFor('prints'));
      expect(result.ok && result.tail.trimEnd()).toMatch(/all good/);
    });
  });
}
