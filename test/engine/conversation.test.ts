// Turns of one conversation, through the whole engine on in-memory ports.
import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import { fail } from '../../src/model/failure.ts';
import type { TurnResult } from '../../src/model/turn.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { tokenFor } from '../../src/protocol/token.ts';
import { memoryAgent, telling } from '../memory/agent.ts';
import type { Behavior } from '../memory/processes.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

type Plays = (spec: ProcessSpec, turn: number) => TurnResult | 'works';

/** A project whose agents return a given turn result; `works` writes a file and completes. */
function testProject(plays: Plays, options: Partial<MemoryProjectOptions> = {}): MemoryProject {
  return new MemoryProject({
    tasks: [task('a')],
    agent: (spec, { git }): Behavior => {
      const played = plays(spec, Number(spec.env.YARD_TURN));
      const end = { id: 'exited', code: 0 } as const;
      if (played !== 'works') return { ms: 100, end, output: telling(played) };
      const path = `work/${spec.env.YARD_TASK}`;
      return { ms: 100, end, effect: () => git.write(spec.cwd, path, 'done') };
    },
    ports: (ports) => ({ ...ports, agent: memoryAgent }),
    ...options,
  });
}

const nothing: TurnResult = { ok: true, tail: '', signal: { id: 'nothing' } };

const agentStarts = (driven: MemoryProject): readonly ProcessSpec[] =>
  driven.processes.starts.filter(({ name }) => name.startsWith('turn-'));

const prompt = (driven: MemoryProject, turn: number): string =>
  driven.processes.files.get(`/files/attempts/a-1/turn-${turn}.prompt.md`) ?? '';

async function ended<Type extends EventBody['type']>(driven: MemoryProject, type: Type) {
  const events = await driven.events();
  return events.filter(
    (event): event is Extract<typeof event, { type: Type }> => event.type === type,
  );
}

describe('a conversation', () => {
  test('starts with a given session id and resumes it in the same worktree', async () => {
    const driven = testProject((_spec, turn) => (turn < 3 ? nothing : 'works'));
    expect(await driven.drive()).toMatchObject({ ok: true, value: { train: { landed: 1 } } });
    const [first, second, third] = agentStarts(driven);
    const id = first?.argv[2];
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([first, second, third].map((spec) => spec?.argv.slice(1))).toEqual([
      ['new', id],
      ['resume', id],
      ['resume', id],
    ]);
    expect(new Set([first?.cwd, second?.cwd, third?.cwd]).size).toBe(1);
  });

  test('gets the full prompt once, then only what is new', async () => {
    const driven = testProject((_spec, turn) => (turn < 2 ? nothing : 'works'));
    await driven.drive();
    expect(prompt(driven, 1)).toMatch(/^\[yard:r1\]\n/);
    expect(prompt(driven, 1)).toContain('# Task a: Task a');
    expect(prompt(driven, 2)).toMatch(/^\[yard:r1:a:1\]\n/);
    expect(prompt(driven, 2)).not.toContain('# Task a');
  });

  test('starts with the same prompt prefix in every task, and the log has its hash', async () => {
    const driven = testProject(() => 'works', { tasks: [task('a'), task('b')] });
    await driven.drive();
    const started = await ended(driven, 'turn-started');
    expect(started).toHaveLength(2);
    expect(new Set(started.map(({ prefix }) => prefix)).size).toBe(1);
    expect(started[0]?.prefix).toMatch(/^[0-9a-f]{16}$/);
  });

  test('that is lost starts again under another id with the full prompt', async () => {
    const failure = {
      kind: 'session-lost',
      agent: 'agent',
      message: 'gone',
      session: 'x',
    } as const;
    const driven = testProject((spec, turn) => {
      if (turn === 1) return nothing;
      return spec.argv[1] === 'resume' ? { ok: false, failure } : 'works';
    });
    expect(await driven.drive()).toMatchObject({ ok: true, value: { train: { landed: 1 } } });
    const ids = agentStarts(driven).map(({ argv }) => argv.slice(1));
    expect(ids.map(([how]) => how)).toEqual(['new', 'resume', 'new']);
    expect(ids[2]?.[1]).not.toBe(ids[0]?.[1]);
    expect(prompt(driven, 3)).toContain('# Task a: Task a');
  });

  test('has a token that identifies calls of its agent', async () => {
    const driven = testProject(() => 'works');
    await driven.drive();
    const token = agentStarts(driven)[0]?.env.YARD_TOKEN ?? '';
    const caller = { run: 'r1', task: 'a', attempt: 1 };
    expect(token).toBe(tokenFor(new Uint8Array(32), caller));
    expect(agentStarts(driven)[0]?.env.YARD_PROJECT).toBe('/repo');
  });

  test('uses the given model, and the landing commit names it', async () => {
    const driven = testProject(() => 'works', { settings: { models: { default: 'opus:high' } } });
    await driven.drive();
    expect(agentStarts(driven)[0]?.env.YARD_MODEL).toBe('opus');
    expect(await ended(driven, 'turn-started')).toMatchObject([
      { agent: 'agent', model: 'opus', reasoning: 'high' },
    ]);
    const [landed] = await ended(driven, 'landed');
    expect(driven.git.message(landed?.commit ?? '')).toContain('Yard-Model: opus\n');
  });

  test('without a model names none anywhere', async () => {
    const driven = testProject(() => 'works');
    await driven.drive();
    expect(agentStarts(driven)[0]?.env.YARD_MODEL).toBeUndefined();
    expect((await ended(driven, 'turn-started'))[0]?.model).toBeUndefined();
  });
});

describe('tasks an agent finds', () => {
  const finds = (titles: readonly string[]): TurnResult => ({
    ok: true,
    tail: '',
    signal: { id: 'nothing' },
    followUps: titles.map((title) => ({ title })),
  });

  test('are filed after its own task, under unique ids', async () => {
    const driven = testProject(({ env }, turn) =>
      env.YARD_TASK === 'a' && turn === 1 ? finds(['Task b', 'Task b']) : 'works',
    );
    expect(await driven.drive()).toMatchObject({ ok: true, value: { train: { landed: 3 } } });
    const added = (await ended(driven, 'task-added')).slice(1).map(({ task: made }) => made);
    expect(added).toMatchObject([
      { id: 'task-b', after: ['a'], labels: ['follow-up-of:a'] },
      { id: 'task-b-2', after: ['a'], labels: ['follow-up-of:a'] },
    ]);
  });

  test('are all that a plan task has to produce', async () => {
    const planned: TurnResult = { ok: true, tail: '', followUps: [{ title: 'First' }] };
    const driven = testProject(({ env }) => (env.YARD_TASK === 'p' ? planned : 'works'), {
      tasks: [task('p', { type: 'plan' })],
    });
    expect(await driven.drive()).toMatchObject({ ok: true, value: { train: { landed: 1 } } });
    expect(await ended(driven, 'work-planned')).toMatchObject([{ id: 'p', filed: ['first'] }]);
  });
});

describe('tasks an agent claims', () => {
  test('land in the same commit, are judged by their own checks, and are named in it', async () => {
    const claim: TurnResult = { ok: true, tail: '', signal: { id: 'claim', ids: ['b'] } };
    const gates: string[] = [];
    const driven = testProject((_, turn) => (turn === 1 ? claim : 'works'), {
      tasks: [task('a'), task('b', { checks: ['check b'] })],
      settings: { jobs: 1 },
      gate: (spec) => {
        gates.push(spec.argv.at(-1) ?? '');
        return { ms: 10, end: { id: 'exited', code: 0 } };
      },
    });
    expect(await driven.drive()).toMatchObject({ ok: true, value: { train: { landed: 2 } } });
    const [landed] = await ended(driven, 'landed');
    expect(landed?.entries).toMatchObject([{ id: 'a', coClaims: ['b'] }]);
    const message = driven.git.message(landed?.commit ?? '');
    expect(message).toContain('Yard-Task: a\nYard-Task: b\n');
    expect(gates.filter((gate) => gate.includes('check b'))).toHaveLength(2);
    expect(prompt(driven, 2)).toContain('b');
  });
});

/** Lets the worktree of the gate fail with a git error this many times. */
function heldUp(times: number): Partial<MemoryProjectOptions> {
  let left = times;
  const failure = { kind: 'git-failed', args: ['worktree'], exit: 128, stderr: 'locked' } as const;
  return {
    ports: (ports) => ({
      ...ports,
      agent: memoryAgent,
      pool: new Proxy(ports.pool, {
        get(pool, name) {
          const member: unknown = Reflect.get(pool, name);
          if (name === 'gateTree' && left > 0) {
            return async () => {
              left -= 1;
              return fail(failure);
            };
          }
          return typeof member === 'function' ? member.bind(pool) : member;
        },
      }),
    }),
  };
}

test('git that is held up for a moment does not keep the gate from being run', async () => {
  const run = await testProject(() => 'works', heldUp(3)).drive();
  expect(run).toMatchObject({ ok: true, value: { train: { landed: 1 } } });
  const never = await testProject(() => 'works', heldUp(100)).drive();
  expect(never).toMatchObject({ value: { phase: { stop: { reason: 'environment' } } } });
});
