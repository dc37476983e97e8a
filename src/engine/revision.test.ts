import { describe, expect, it } from 'vitest';
import { memoryAgent } from '../../test/memory/agent.ts';
import { ManualClock } from '../../test/memory/clock.ts';
import { type Behavior, MemoryProcesses } from '../../test/memory/processes.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import { planReviser } from '../app/plan-revision.ts';
import type { CommandOf } from '../model/command.ts';
import { ok } from '../model/failure.ts';
import { revisionLimits } from '../model/revision.ts';
import { newTaskRecord, type TaskRecord } from '../model/task-record.ts';
import type { Ports, RunContext } from './context.ts';
import { revisePlan } from './revision.ts';

const command: CommandOf<'revise-plan'> = {
  type: 'revise-plan',
  call: 2,
  task: 'a',
  message: 'There is no field',
  agent: 'architect',
  apply: false,
  wanted: true,
};

const block = (...tasks: readonly object[]): string =>
  `\`\`\`tasks\n${JSON.stringify(tasks)}\n\`\`\`\n`;
const field = { id: 'field', title: 'Add the field' };
const later = { id: 'a', title: 'Task a', after: ['field'] };

const record = (id: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  ...newTaskRecord({ task: task(id), order: 1, blockers: 0 }),
  ...more,
});

/** An agent that prints this, and tasks: a gave up, b is done and c was claimed by another attempt. */
function world(output: string, end: Behavior['end'] = { id: 'exited', code: 0 }) {
  const clock = new ManualClock(1_000);
  const processes = new MemoryProcesses(clock, () => ({ ms: 10, end, output }));
  const worktrees: string[] = [];
  const known = [
    record('a'),
    record('b', { status: { id: 'landed', commit: 'c1', run: 'r0', at: 1 } }),
    record('c', { coClaimedBy: { run: 'r1', id: 'd', attempt: 1 } }),
  ];
  const ports = {
    processes,
    agent: memoryAgent,
    reviser: planReviser({ models: {}, agents: {} }),
    store: { tasks: async () => ok(known), run: async () => ok(undefined) },
    git: {
      resolve: async () => 'tip',
      addWorktree: async (dir: string, commit: string) => {
        worktrees.push(`${dir} at ${commit}`);
      },
      removeWorktree: async (dir: string) => {
        worktrees.push(`no ${dir}`);
      },
    },
  } as unknown as Ports;
  const context = {
    run: 'r1',
    dir: '/runs/r1',
    target: 'main',
    env: {},
    limits: { agent: { wallMs: 3_600_000 } },
    prices: {},
  } as unknown as RunContext;
  const ask = async (more: Partial<typeof command> = {}) => {
    const revised = revisePlan(ports, context, { ...command, ...more });
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(0);
      const next = clock.nextWake();
      if (next !== undefined) await clock.advance(next - clock.now());
    }
    const events = need(await revised);
    return events;
  };
  return { ask, processes, worktrees };
}

describe('an agent that is asked to revise the plan', () => {
  it('reads a worktree of the target and the message of the agent that gave up', async () => {
    const { ask, processes, worktrees } = world(block(field, later));
    expect(await ask()).toMatchObject([
      {
        type: 'plan-proposed',
        run: 'r1',
        id: 'a',
        call: 2,
        agent: 'architect',
        outcome: {
          id: 'proposed',
          added: [{ id: 'field', labels: ['follow-up-of:a'] }],
          changed: [{ id: 'a', after: ['field'] }],
          canceled: [],
        },
      },
    ]);
    const cwd = '/runs/r1/revisions/call-2/tree';
    const { wallMs } = revisionLimits;
    expect(processes.starts).toMatchObject([{ name: 'call-2', cwd, limits: { wallMs } }]);
    expect(worktrees).toEqual([`${cwd} at tip`, `no ${cwd}`]);
    const prompt = processes.files.get('/runs/r1/revisions/call-2/prompt.md') ?? '';
    expect(prompt).toContain('The agent of task a gave up. Its message:');
    expect(prompt).toContain('There is no field');
    // The same call again finds its process.
    await ask();
    expect(processes.starts).toHaveLength(1);
  });

  it('changes the plan at once if the config says so', async () => {
    const cancel = { id: 'a', cancel: true, reason: 'needless' };
    expect(await world(block(cancel)).ask({ apply: true })).toMatchObject([
      { type: 'plan-proposed', outcome: { canceled: [{ id: 'a' }] } },
      { type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'needless' } },
      { type: 'task-decided', id: 'a', decision: { kind: 'approve', by: 'run' } },
    ]);
    expect(await world(block(field, later)).ask({ apply: true })).toMatchObject([
      { type: 'plan-proposed' },
      { type: 'task-added', task: { id: 'field' } },
      { type: 'task-changed', task: { id: 'a' } },
      { type: 'task-decided', id: 'a' },
    ]);
  });

  it.each([
    ['changes finished work', block({ id: 'b', title: 'Again' }), 'b'],
    ['changes work under way', block({ id: 'c', title: 'Another' }), 'c'],
    ['makes a cycle', block({ ...field, after: ['a'] }, later), 'depend on each other'],
    ['names an unknown task', block({ ...later, after: ['nothing'] }), 'nothing'],
    ['talks', 'The plan is fine.\n', 'it is missing'],
  ])('changes nothing if it %s', async (_, output, cause) => {
    const [event, ...more] = await world(output).ask({ apply: true });
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'plan-proposed', outcome: { id: 'failed' } });
    expect(JSON.stringify(event)).toContain(cause);
  });

  it('may find that nothing has to change', async () => {
    expect(await world(block()).ask()).toMatchObject([{ outcome: { id: 'unchanged' } }]);
  });

  it('never fails the run, whatever becomes of its process', async () => {
    expect(await world('', { id: 'exited', code: 3 }).ask()).toMatchObject([
      { outcome: { id: 'failed', failure: { kind: 'agent-exited' } } },
    ]);
    const { ask, processes } = world(block());
    expect(await ask({ wanted: false })).toMatchObject([{ outcome: { id: 'failed' } }]);
    expect(processes.starts).toEqual([]);
  });
});
