import { describe, expect, it } from 'vitest';
import { memoryAgent, telling } from '../../test/memory/agent.ts';
import { ManualClock } from '../../test/memory/clock.ts';
import { type Behavior, MemoryProcesses } from '../../test/memory/processes.ts';
import { batchLimits } from '../model/batch.ts';
import type { CommandOf } from '../model/command.ts';
import { ok } from '../model/failure.ts';
import { planBatch } from './batch.ts';
import type { Ports, RunContext } from './context.ts';

const exited = (code: number) => ({ id: 'exited', code }) as const;
const answer = (text: string): Behavior => ({ ms: 10, end: exited(0), output: text });
const block = (...ids: readonly string[]): string =>
  `\`\`\`next_iteration\n${JSON.stringify(ids)}\n\`\`\`\n`;

const command: CommandOf<'plan-batch'> = {
  type: 'plan-batch',
  call: 3,
  agent: 'chooser',
  budgetTokens: 10_000,
  ready: ['a', 'b', 'c'].map((id) => ({ id, title: `Task ${id}`, priority: 2, type: 'task' })),
  wanted: true,
};

/** A planner that behaves like this, and the files and processes of its calls. */
function world(behavior: Behavior) {
  const clock = new ManualClock(1_000);
  const processes = new MemoryProcesses(clock, () => behavior);
  const agent = memoryAgent('chooser');
  const captures = [{ commit: 'w2', base: 'w1', at: 5 }];
  const patch =
    'diff --git a/s.ts b/s.ts\n--- a/s.ts\n+++ b/s.ts\n@@ -1 +1 @@\n+function total() {\n';
  const ports = {
    processes,
    agent: (name: string) => (name === agent.name ? agent : undefined),
    store: {
      attempts: async () => ok([{ task: 'done', captures, end: { id: 'live' } }]),
      run: async () => ok(undefined),
    },
    git: { diff: async () => patch },
  } as unknown as Ports;
  const limit = { wallMs: 3_600_000, idleMs: 900_000 };
  const context = {
    run: 'r1',
    dir: '/runs/r1',
    env: { HOME: '/h' },
    limits: { agent: limit },
    prices: {},
  } as unknown as RunContext;
  const ask = async (more: Partial<typeof command> = {}) => {
    const planned = planBatch(ports, context, { ...command, ...more });
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(0);
      const next = clock.nextWake();
      if (next !== undefined) await clock.advance(next - clock.now());
    }
    const events = await planned;
    if (!events.ok || events.value.length !== 1) throw new Error(JSON.stringify(events));
    return events.value[0];
  };
  return { ask, processes };
}

describe('the planner', () => {
  it('is asked once, in a folder of its own, with a time limit and with the recent changes in its prompt', async () => {
    const { ask, processes } = world(answer(block('c', 'a')));
    expect(await ask()).toEqual({
      type: 'batch-planned',
      run: 'r1',
      call: 3,
      plan: { source: 'planner', ids: ['c', 'a'] },
    });
    expect(processes.starts).toMatchObject([
      {
        dir: '/runs/r1/planner',
        name: 'call-3',
        cwd: '/runs/r1/planner/call-3',
        stdin: '/runs/r1/planner/call-3/prompt.md',
        confined: { role: 'agent' },
        limits: { wallMs: batchLimits.plannerWallMs, idleMs: 900_000 },
      },
    ]);
    const prompt = processes.files.get('/runs/r1/planner/call-3/prompt.md');
    expect(prompt).toContain('{"id":"b","title":"Task b","priority":"P2","type":"task"}');
    expect(prompt).toContain('- s.ts: total (by done)');
  });

  it('is found again by its name, even if its prompt would be too large now', async () => {
    const { ask, processes } = world(answer(block('b')));
    const first = await ask();
    expect(await ask({ budgetTokens: 1 })).toEqual(first);
    expect(await ask({ wanted: false })).toEqual(first);
    expect(processes.starts).toHaveLength(1);
  });

  it('is not started for a prompt that is larger than its budget, and the prompt is not cut', async () => {
    const { ask, processes } = world(answer(block('b')));
    expect(await ask({ budgetTokens: 50 })).toMatchObject({
      plan: { source: 'skipped', reason: 'budget_exceeded' },
    });
    expect(processes.starts).toEqual([]);
    expect([...processes.files]).toEqual([]);
  });

  it('is not started if its answer cannot matter any more', async () => {
    const { ask, processes } = world(answer(block('b')));
    expect(await ask({ wanted: false })).toMatchObject({ plan: { reason: 'runtime_error' } });
    expect(processes.starts).toEqual([]);
  });

  const usage = { input: 7, cacheRead: 0, cacheWrite: 0, output: 1 };
  it.each<[string, Behavior, object]>([
    [
      'fails',
      { ms: 10, end: exited(3) },
      { source: 'skipped', reason: 'runtime_error', failure: { kind: 'agent-exited' } },
    ],
    [
      'hangs',
      { ms: Number.MAX_SAFE_INTEGER, end: exited(0) },
      { reason: 'runtime_error', failure: { kind: 'limit-crossed' } },
    ],
    [
      'does not start',
      { ms: 0, end: { id: 'not-started', cause: 'gone' } },
      { reason: 'runtime_error' },
    ],
    ['prints nothing', answer(''), { reason: 'parse_error' }],
    ['talks', answer('I would take c.\n'), { source: 'skipped', reason: 'parse_error' }],
    ['prints garbage', answer('\u0000\u0001 ```next_iteration\n[[[\n'), { reason: 'parse_error' }],
    ['invents tasks', answer(block('x', 'y')), { source: 'skipped', reason: 'unknown_tasks' }],
    ['invents some tasks', answer(block('x', 'b')), { source: 'planner', ids: ['b'] }],
    ['chooses nothing', answer(block()), { source: 'planner', ids: [] }],
    [
      'is refused',
      answer(
        telling({
          ok: false,
          failure: { kind: 'quota-exhausted', agent: 'chooser', message: 'no' },
          usage,
        }),
      ),
      { reason: 'runtime_error', failure: { kind: 'quota-exhausted' } },
    ],
  ])('that %s never fails the run', async (_, behavior, plan) => {
    expect(await world(behavior).ask()).toMatchObject({ type: 'batch-planned', plan });
  });

  it('gives a reason if its agent is unknown', async () => {
    const { ask } = world(answer(''));
    expect(await ask({ agent: 'unknown' })).toMatchObject({
      plan: { reason: 'runtime_error', failure: { kind: 'agent-unknown' } },
    });
  });
});
