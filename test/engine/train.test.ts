import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });
const names = 'abcdefgh';

/** Eight tasks without branch gates, and a gate that fails if a bad one is included. */
function eight(bad: string, more: Partial<MemoryProjectOptions> = {}, slots = 1): MemoryProject {
  const how = { gateSlots: slots, train: { batch: 8, style: 'merge' } } as const;
  return new MemoryProject({
    tasks: [...names].map((id) => task(id)),
    gate: ({ cwd }, { git, exits }) =>
      [...bad].some((id) => git.read(cwd, `work/${id}`) !== undefined)
        ? { ...exits(1, 1_000), output: 'it is red' }
        : exits(0, 1_000),
    ...more,
    settings: { jobs: 8, pool: 20, retries: 0, branchGate: 'never', ...how, ...more.settings },
  });
}

type Judged = Extract<Event, { type: 'candidate-judged' }>;

async function judgments(context: MemoryProject): Promise<readonly Judged[]> {
  return (await context.events()).filter((event) => event.type === 'candidate-judged');
}

/** Candidate gates that were started. */
function gates(context: MemoryProject): readonly ProcessSpec[] {
  return context.processes.starts.filter(({ dir }) => dir.includes('/candidates/'));
}

async function landed(context: MemoryProject): Promise<string> {
  const done: string[] = [];
  for (const id of names) if ((await context.status(id))?.id === 'landed') done.push(id);
  return done.join('');
}

describe('a batch', () => {
  test('of good work lands with one gate run', async () => {
    const context = eight('');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe(names);
    expect(gates(context).length).toBeLessThanOrEqual(4);
    expect(await context.count('landed')).toBe(gates(context).length);
    expect(context.worktreesLeft()).toBe(0);
    expect(await context.refs('refs/yard/')).toEqual([]);
  });

  test('that fails is bisected to the branch to blame, and the rest lands', async () => {
    const context = eight('f');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe('abcdegh');
    expect(await context.status('f')).toMatchObject({
      id: 'blocked',
      failure: { last: { kind: 'gate-red', where: 'candidate', tail: 'it is red' } },
    });
    expect(context.git.read('/repo', 'work/f')).toBeUndefined();
    // One by one it would be one gate each.
    expect(gates(context).length).toBeLessThanOrEqual(8);
  });

  test('with a branch that cannot be set up returns that branch with the output, and the rest lands', async () => {
    const isBad = ({ cwd }: ProcessSpec, { git }: MemoryProject) =>
      git.read(cwd, 'work/f') !== undefined && git.read(cwd, 'lock') === undefined;
    const prompts: string[] = [];
    const context = eight('', {
      setup: ['install'],
      setsUp: (spec, at) => (isBad(spec, at) ? 9 : 0),
      settings: { retries: 1 },
      agent: (spec, { git, exits }) => {
        if (spec.env.YARD_TURN === '1') return undefined;
        prompts.push(spec.env.YARD_TASK ?? '');
        return { ...exits(0), effect: () => git.write(spec.cwd, 'lock', 'x') };
      },
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe(names);
    expect(prompts).toEqual(['f']);
    const red = (await judgments(context)).find(({ verdict }) => verdict.id === 'failed');
    expect(red).toMatchObject({ verdict: { failure: { kind: 'setup-failed', exit: 9 } } });
  });

  test("returns the branch to blame with the gate's output, and lands its fixed work", async () => {
    const context = eight('', {
      settings: { retries: 1 },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0),
        effect: () => {
          const isBad = env.YARD_TASK === 'c' && env.YARD_TURN === '1';
          git.write(cwd, `work/${env.YARD_TASK}`, isBad ? 'bad' : 'good');
        },
      }),
      gate: ({ cwd }, { git, exits }) =>
        git.read(cwd, 'work/c') === 'bad' ? { ...exits(1), output: 'c is bad' } : exits(0),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe(names);
    expect(context.processes.files.get('/files/attempts/c-1/turn-2.prompt.md')).toContain(
      'c is bad',
    );
  });
});

/** Ends the engine once, while it stores an event. */
function dyingAt(type: Event['type'], nth = 1): Pick<MemoryProjectOptions, 'ports'> {
  let seen = 0;
  return {
    ports: (ports) => ({
      ...ports,
      store: new Proxy(ports.store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          if (name !== 'append') return member.bind(target);
          return async (...args: Parameters<typeof target.append>) => {
            if (args[1].some((event) => event.type === type)) seen += 1;
            if (seen === nth) {
              seen += 1;
              throw new Error('killed');
            }
            return target.append(...args);
          };
        },
      }),
    }),
  };
}

async function killed(context: MemoryProject): Promise<void> {
  await expect(context.drive()).rejects.toThrow('killed');
}

describe('an engine that is killed', () => {
  test('after a gate has ended reuses its verdict', async () => {
    const context = eight('f', dyingAt('candidate-judged', 2));
    await killed(context);
    const before = gates(context).length;
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe('abcdegh');
    const dirs = gates(context).map(({ dir, name }) => `${dir} ${name}`);
    expect(new Set(dirs).size).toBe(dirs.length);
    expect(before).toBe(2);
  });

  test('while a gate runs leaves it running, and the next engine follows it', async () => {
    const late = task('late');
    const context = eight('', {
      ...dyingAt('turn-ended', 2),
      tasks: [task('a'), late],
      agent: ({ env, cwd }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'late' ? 600 : 100),
        effect: () => git.write(cwd, `work/${env.YARD_TASK}`, 'done'),
      }),
    });
    await killed(context);
    expect(gates(context)).toHaveLength(1);
    expect(await context.count('candidate-judged')).toBe(0);
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('late')).toMatchObject({ id: 'landed' });
    const dirs = gates(context).map(({ dir }) => dir);
    expect(new Set(dirs).size).toBe(dirs.length);
  });

  test('after moving the target reports the landing, once', async () => {
    const context = eight('', dyingAt('landed'));
    await killed(context);
    expect(context.git.read('/repo', 'work/a')).toBe('done');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe(names);
    const entries = (await context.events()).flatMap((event) =>
      event.type === 'landed' ? event.entries.map(({ id }) => id) : [],
    );
    expect([...entries].sort().join('')).toBe(names);
    const dirs = gates(context).map(({ dir }) => dir);
    expect(new Set(dirs).size).toBe(dirs.length);
    // The target was not moved from outside.
    expect(await context.count('target-moved')).toBe(0);
  });
});

describe('a gate whose verdict is no longer needed', () => {
  test('is stopped, and its slot is free', async () => {
    // The second candidate is built on the first one, which fails.
    const context = eight('a', {
      tasks: [task('a'), task('b')],
      settings: { gateSlots: 2, train: { batch: 1, style: 'merge' } },
      gate: ({ cwd, dir }, { git, exits }) =>
        dir.includes('/c1-')
          ? exits(1, 1_000)
          : exits(git.read(cwd, 'work/a') === undefined ? 0 : 1, 50_000),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.count('gate-abandoned')).toBe(1);
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    expect(await context.status('a')).toMatchObject({ id: 'blocked' });
  });
});

describe('work whose branch gate is skipped', () => {
  test('is judged only as a candidate', async () => {
    const context = eight('');
    await context.drive();
    expect(await context.count('gate-skipped')).toBe(8);
    expect(await context.count('branch-judged')).toBe(0);
    const inWorktrees = context.processes.starts.filter(({ name, dir }) => {
      return name.startsWith('gate') && dir.includes('/attempts/');
    });
    expect(inWorktrees).toEqual([]);
  });
});

describe('styles', () => {
  test.each(['merge', 'squash', 'rebase'] as const)('%s lands the same files', async (style) => {
    const context = eight('d', { settings: { gateSlots: 2, train: { batch: 4, style } } });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await landed(context)).toBe('abcefgh');
    for (const id of 'abcefgh') expect(context.git.read('/repo', `work/${id}`)).toBe('done');
    expect(await context.refs('refs/heads/yard/')).toEqual(['refs/heads/yard/r1/d-1']);
    expect(context.worktreesLeft()).toBe(0);
  });
});
