import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { task } from '../story.ts';
import { MemoryYard, type MemoryYardOptions } from './memoryyard.ts';

const ended = (reason: string) => ({ ok: true, value: { stop: { reason } } });

/** Two tasks that write the same file; the second one ends when the first has landed. */
function clashing(more: Partial<MemoryYardOptions> = {}): MemoryYard {
  return new MemoryYard({
    tasks: [task('a'), task('b')],
    settings: { jobs: 2, retries: 1 },
    agent: ({ cwd, env }, { git, exits }) => ({
      ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
      effect: () => {
        const text = `${env.YARD_TASK} in turn ${env.YARD_TURN}`;
        if (env.YARD_TASK === 'a' || env.YARD_TASK === 'b') git.write(cwd, 'same', text);
      },
    }),
    ...more,
  });
}

async function added(yard: MemoryYard): Promise<readonly string[]> {
  return (await yard.events()).flatMap((event) =>
    event.type === 'task-added' ? [event.task.id] : [],
  );
}

const isRefused = (event: Event) => event.type === 'coupling-refused';

describe('a conflict', () => {
  test('goes back to the agent that made the work, with what both sides did', async () => {
    const yard = clashing();
    await yard.drive();
    const refused = (await yard.events()).find(isRefused);
    expect(refused).toMatchObject({
      id: 'b',
      failure: { kind: 'conflict', files: ['same'], branch: 'yard/r1/b-1' },
    });
    const prompt = yard.processes.files.get('/files/attempts/b-1/turn-2.prompt.md') ?? '';
    expect(prompt).toContain('same');
    expect(prompt).toContain('Task a');
  });

  test('is not judged first: what does not merge need not pass', async () => {
    const yard = clashing({ settings: { jobs: 2, retries: 0 } });
    await yard.drive();
    const gates = yard.processes.starts.filter(({ dir, name }) => {
      return dir.endsWith('/attempts/b-1') && name.startsWith('gate');
    });
    expect(gates).toEqual([]);
  });

  test('that the agent resolves lands', async () => {
    const yard = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          if (env.YARD_TURN === '1') return git.write(cwd, 'same', `by ${env.YARD_TASK}\n`);
          void (async () => {
            await git.beginMerge(cwd, 'main');
            git.write(cwd, 'same', 'by a\nby b\n');
            await git.commitAll(cwd, 'merge', 'yard/r1/b-1');
          })();
        },
      }),
    });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('b')).toMatchObject({ id: 'landed' });
    expect(yard.git.read('/repo', 'same')).toBe('by a\nby b\n');
    expect(await added(yard)).toEqual(['a', 'b']);
  });

  test('that the agent cannot resolve is filed as a task of its own, once, and the work is kept', async () => {
    const yard = clashing();
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await added(yard)).toEqual(['a', 'b', 'b-conflict']);
    expect(await yard.standing('b')).toMatchObject({
      id: 'blocked',
      failure: { kind: 'returned-too-often', last: { kind: 'conflict', files: ['same'] } },
    });
    expect(await yard.refs('refs/heads/yard/')).toContain('refs/heads/yard/r1/b-1');
    const filed = await yard.store.task('b-conflict');
    expect(filed.ok && filed.value?.task).toMatchObject({
      type: 'conflict',
      paths: ['same'],
      labels: ['conflict:b'],
    });
    await yard.ask({ type: 'task-decided', id: 'b', decision: { kind: 'retry' } });
    await yard.drive();
    expect(await added(yard)).toEqual(['a', 'b', 'b-conflict']);
  });

  test('that another task resolves counts as landed for both', async () => {
    const yard = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          if (env.YARD_TASK !== 'b-conflict') {
            return git.write(cwd, 'same', `${env.YARD_TASK} ${env.YARD_TURN}\n`);
          }
          void (async () => {
            await git.beginMerge(cwd, 'yard/r1/b-1');
            git.write(cwd, 'same', 'a 1\nb 2\n');
            await git.commitAll(cwd, 'both', 'yard/r1/b-conflict-1');
          })();
        },
      }),
    });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('b-conflict')).toMatchObject({ id: 'landed' });
    expect(await yard.standing('b')).toMatchObject({ id: 'landed' });
    expect(yard.git.read('/repo', 'same')).toBe('a 1\nb 2\n');
  });

  test('of a task that is there to resolve one files no further task', async () => {
    const yard = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          git.write(cwd, 'same', `${env.YARD_TASK} ${env.YARD_TURN}`);
          if (env.YARD_TASK === 'b-conflict')
            git.commitByHand({ same: `by hand ${env.YARD_TURN}` });
        },
      }),
    });
    await yard.drive();
    expect(await added(yard)).toEqual(['a', 'b', 'b-conflict']);
    expect(await yard.standing('b-conflict')).toMatchObject({ id: 'blocked' });
  });
});

describe('two branches that do not merge with each other', () => {
  test('never share a candidate; the second one waits and then hears of it', async () => {
    const yard = clashing({
      tasks: [task('a'), task('b'), task('c')],
      settings: {
        jobs: 3,
        retries: 0,
        branchGate: 'never',
        train: { slots: 1, batch: 8, style: 'merge' },
      },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'c' ? 100 : 300),
        effect: () => git.write(cwd, env.YARD_TASK === 'c' ? 'c' : 'same', `by ${env.YARD_TASK}`),
      }),
      gate: (_spec, { exits }) => exits(0, 2_000),
    });
    await yard.drive();
    const built = (await yard.events()).flatMap((event) =>
      event.type === 'candidate-built' ? [event.cars.map(({ id }) => id)] : [],
    );
    expect(built).toContainEqual(['a']);
    expect(built.flat()).not.toContain('b');
    expect(await yard.count('conflict-predicted')).toBe(1);
    expect(await yard.standing('b')).toMatchObject({ id: 'blocked' });
  });
});
