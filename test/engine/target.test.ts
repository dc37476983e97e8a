import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { MemoryGit } from '../memory/git.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });

async function tip(git: MemoryGit): Promise<string> {
  const found = await outcomeOf(git.resolve('refs/heads/main'));
  return (found.ok ? found.value : undefined) ?? '';
}

async function only<Type extends Event['type']>(context: MemoryProject, type: Type) {
  const isMeant = (event: Event): event is Extract<Event, { type: Type }> => event.type === type;
  return (await context.events()).filter(isMeant);
}

/** Two tasks; the second starts after the first has landed, and `meanwhile` runs in between. */
function between(more: Partial<MemoryProjectOptions> = {}): MemoryProject {
  return new MemoryProject({
    tasks: [task('a'), task('b', { after: ['a'] })],
    gate: ({ cwd }, { git, exits }) =>
      git.read(cwd, 'broken') === undefined ? exits(0) : { ...exits(1), output: 'broken by hand' },
    settings: { jobs: 1, retries: 0 },
    ...more,
  });
}

/** Runs once a task has landed. */
async function landed(context: MemoryProject, id: string): Promise<void> {
  for (let waited = 0; waited < 100; waited += 1) {
    if ((await context.status(id))?.id === 'landed') return;
    await context.clock.sleep(10);
  }
}

describe('a target that a person moves while the run works', () => {
  test('is judged, and then built on', async () => {
    const context = between();
    const end = await context.drive(async () => {
      await landed(context, 'a');
      context.git.commitByHand({ notes: 'mine' });
    });
    expect(end).toMatchObject(ended('drained'));
    const [moved] = await only(context, 'target-moved');
    expect(moved).toMatchObject({ to: expect.any(String) });
    expect(moved).not.toHaveProperty('by');
    expect(moved).not.toHaveProperty('rewound');
    const judged = await only(context, 'target-judged');
    expect(judged).toMatchObject([{ commit: moved?.to, verdict: { id: 'passed' } }]);
    expect(context.git.read('/repo', 'notes')).toBe('mine');
    expect(context.git.read('/repo', 'work/b')).toBe('done');
    const [first] = judged;
    const built = (await only(context, 'candidate-built')).filter(
      ({ seq }) => seq > (first?.seq ?? 0),
    );
    expect(built.map(({ parent }) => parent)).toContain(moved?.to);
  });

  test('to a commit that fails the gate ends the run; no task is blamed, and work is kept', async () => {
    const context = between();
    const end = await context.drive(async () => {
      await landed(context, 'a');
      context.git.commitByHand({ broken: 'yes' });
    });
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({ value: { phase: { stop: { failure: { kind: 'target-red' } } } } });
    expect(await context.status('b')).toEqual({ id: 'open' });
    expect(context.git.read('/repo', 'work/b')).toBeUndefined();
  });

  test('while a candidate is being judged drops it and builds it again on the new target', async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      gate: (_spec, { exits }) => exits(0, 1_000),
      settings: { branchGate: 'never' },
    });
    const end = await context.drive(async () => {
      await context.clock.sleep(600);
      context.git.commitByHand({ notes: 'mine' });
    });
    expect(end).toMatchObject(ended('drained'));
    expect(await context.count('candidate-dropped')).toBe(1);
    expect(context.git.read('/repo', 'work/a')).toBe('done');
    expect(context.git.read('/repo', 'notes')).toBe('mine');
  });

  test('back to before a landing ends the run; nothing lands again by itself', async () => {
    const context = between();
    const start = await tip(context.git);
    const end = await context.drive(async () => {
      await landed(context, 'a');
      await outcomeOf(context.git.moveRefs([{ ref: 'refs/heads/main', to: start }]));
      context.git.tidyByHand();
    });
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({
      value: { phase: { stop: { failure: { kind: 'target-taken', task: '' } } } },
    });
    expect(await only(context, 'target-moved')).toMatchObject([{ to: start, rewound: true }]);
  });
});

describe('a target that an agent moves by itself', () => {
  test('ends the run, and names the task', async () => {
    const context = new MemoryProject({
      tasks: [task('a'), task('b')],
      settings: { jobs: 1, retries: 0 },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0),
        effect: () => {
          git.write(cwd, `work/${env.YARD_TASK}`, 'done');
          if (env.YARD_TASK !== 'a') return;
          void outcomeOf(git.commitAll(cwd, 'mine')).then((made) => {
            const to = made.ok ? made.value : '';
            return outcomeOf(git.moveRefs([{ ref: 'refs/heads/main', to }]));
          });
        },
      }),
    });
    const end = await context.drive();
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({
      value: { phase: { stop: { failure: { kind: 'target-taken', task: 'a' } } } },
    });
    expect(await only(context, 'target-moved')).toMatchObject([{ by: { id: 'a', attempt: 1 } }]);
    expect(await context.count('landed')).toBe(0);
  });

  test('is not blamed on an agent that merged a target moved by a person', async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: { jobs: 1, retries: 0 },
      agent: ({ cwd }, { git, exits }) => ({
        ...exits(0),
        effect: () => {
          git.commitByHand({ notes: 'mine' });
          void (async () => {
            await outcomeOf(git.beginMerge(cwd, await tip(git)));
            await outcomeOf(git.commitAll(cwd, 'merge'));
            git.write(cwd, 'work/a', 'done');
            await outcomeOf(git.commitAll(cwd, 'work'));
          })();
        },
      }),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'notes')).toBe('mine');
  });
});
