import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { MemoryProcesses } from '../../test/memory/processes.ts';
import { need } from '../../test/rig/need.ts';
import { Story, task } from '../../test/story.ts';
import type { Command, CommandOf } from '../model/command.ts';
import { fail, ok } from '../model/failure.ts';
import type { RunContext } from './context.ts';
import { withoutLeftovers } from './job-bug.ts';

const context = { run: 'r1', dir: '/files/r1' } as RunContext;
const limits = { wallMs: 60_000, outputBytes: 100 };

const judge: CommandOf<'judge-candidate'> = {
  type: 'judge-candidate',
  gate: { candidate: 'k1', count: 1, slot: 0, commit: 'c1', tree: 't', tasks: ['a'], since: 1 },
  checks: [],
  reds: [],
  confirmed: [],
  labels: [],
  gateChangedTree: false,
};

function turn(): Command {
  const story = new Story().tasks(task('a')).start().prepared('a').turn('a');
  const found = need(story.decide().commands.find(({ type }) => type === 'run-turn'));
  return found;
}

/** A worker on which an agent of `a` and `b` and a gate run for long. */
function machine() {
  const clock = new ManualClock(0);
  const processes = new MemoryProcesses(clock, () => ({
    ms: 50_000,
    end: { id: 'exited', code: 0 },
  }));
  const children = [
    ['/files/r1/attempts/a-1', 'turn-1'],
    ['/files/r1/attempts/b-1', 'turn-1'],
    ['/files/r1/candidates/k1-1', 'gate-1'],
  ] as const;
  for (const [dir, name] of children) {
    void processes.run({ dir, name, argv: ['x'], cwd: '/', env: {}, limits });
  }
  const running = () =>
    children.flatMap(([dir, name]) => (processes.hasEnded(dir, name) ? [] : [dir]));
  return { processes, running };
}

const agents = ['/files/r1/attempts/a-1', '/files/r1/attempts/b-1'];
const gate = '/files/r1/candidates/k1-1';
const bug = { kind: 'internal', message: 'bad' } as const;

describe('a command on a worker', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('bad'))],
    ['fails with a bug', async () => fail(bug)],
  ])('that %s leaves no agent of its attempt, and the others go on', async (_what, doing) => {
    const { processes, running } = machine();
    const done = await withoutLeftovers({ processes }, context, turn(), doing());
    expect(done).toMatchObject({ ok: false, failure: bug });
    expect(running()).toEqual([agents[1], gate]);
  });

  it('that fails with a bug leaves no gate of its candidate', async () => {
    const { processes, running } = machine();
    await withoutLeftovers({ processes }, context, judge, Promise.resolve(fail(bug)));
    expect(running()).toEqual(agents);
  });

  it.each([ok([]), fail({ kind: 'agent-lost', turn: 1 } as const)])(
    'that ends otherwise leaves everything as it is',
    async (result) => {
      const { processes, running } = machine();
      const done = await withoutLeftovers({ processes }, context, turn(), Promise.resolve(result));
      expect(done).toEqual(result);
      expect(running()).toEqual([...agents, gate]);
    },
  );
});
