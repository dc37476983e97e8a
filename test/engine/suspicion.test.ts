// What consecutive runs judge, verify and report again, and what not.
import { describe, expect, test } from 'vitest';
import { gateId } from '../../src/gate/gate.ts';
import type { Event } from '../../src/model/event.ts';
import { task } from '../story.ts';
import { MemoryProject } from './memory-project.ts';

async function only<Type extends Event['type']>(context: MemoryProject, type: Type) {
  const isMeant = (event: Event): event is Extract<Event, { type: Type }> => event.type === type;
  return (await context.events()).filter(isMeant);
}

describe('stored passed verdicts', () => {
  const alone = { branchGate: 'never', train: { batch: 1, style: 'merge' } } as const;

  test('of another gate are no tampering: work that has not landed is judged by the new gate', async () => {
    let command = 'gate';
    let isAlive = true;
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: alone,
      ports: (ports) => ({
        ...ports,
        git: new Proxy(ports.git, {
          get: (git, key) => {
            const value: unknown = Reflect.get(git, key);
            if (typeof value !== 'function') return value;
            if (key !== 'fastForward' || !isAlive) return value.bind(git);
            return () => {
              isAlive = false;
              throw new Error('killed');
            };
          },
        }),
      }),
      context: {
        get gate() {
          return { id: gateId([command]), commands: [command], timeoutMs: 60_000 };
        },
      },
    });
    await context.drive();
    command = 'gate --all';
    await context.drive();
    expect(await only(context, 'tampering-seen')).toEqual([]);
    const judged = await only(context, 'candidate-judged');
    expect(judged.map(({ gate }) => gate)).toEqual([gateId(['gate']), gateId(['gate --all'])]);
    expect(await only(context, 'landed')).toHaveLength(1);
  });

  test('on a branch are reused for the same tree', async () => {
    const person = { reviewers: [], person: true, rounds: 3, retries: 0 };
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: { retries: 3, branchGate: 'always', review: person },
    });
    await context.drive();
    const decision = { kind: 'reject', reason: 'look again' } as const;
    await context.ask({ type: 'task-decided', id: 'a', decision });
    await context.drive();
    const [one, two] = await only(context, 'branch-judged');
    expect(two?.tree).toBe(one?.tree);
    expect([one?.cached, two?.cached]).toEqual([false, true]);
    expect(context.processes.starts.filter(({ name }) => name.startsWith('gate'))).toHaveLength(1);
  });
});

describe('the end-of-run verification', () => {
  test('waits for a gate on the target in the same worktree', async () => {
    const ms = { target: 10_000, verify: 100 };
    const spans: { what: keyof typeof ms; cwd: string; at: number }[] = [];
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: { verify: 'report', branchGate: 'always', retries: 1 },
      context: { verify: { command: 'whole', budgetMs: 60_000 } },
      gate: ({ dir, cwd }, { clock, exits }) => {
        if (!dir.includes('/targets/')) return exits(1);
        spans.push({ what: 'target', cwd, at: clock.now() });
        return exits(0, ms.target);
      },
      agent: ({ name, argv, cwd }, { clock, exits }) => {
        if (argv[0] === 'tail') return exits(0, 1);
        if (name !== 'verify') return undefined;
        spans.push({ what: 'verify', cwd, at: clock.now() });
        return exits(0, ms.verify);
      },
    });
    await context.drive(async ({ clock }) => {
      while (spans.length === 0) await clock.sleep(50);
      const decision = { kind: 'cancel', reason: 'not needed' } as const;
      await context.ask({ type: 'task-decided', id: 'a', decision });
    });
    const [judged, looked] = spans;
    expect([judged?.what, looked?.what]).toEqual(['target', 'verify']);
    expect(looked?.at).toBeGreaterThanOrEqual((judged?.at ?? 0) + ms.target);
  });
});
