import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import type { MemoryGit } from '../memory/git.ts';
import { task } from '../story.ts';
import { MemoryYard, type MemoryYardOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { stop: { reason } } });

async function tip(git: MemoryGit): Promise<string> {
  const found = await git.resolve('refs/heads/main');
  return (found.ok ? found.value : undefined) ?? '';
}

async function only<Type extends Event['type']>(yard: MemoryYard, type: Type) {
  const isMeant = (event: Event): event is Extract<Event, { type: Type }> => event.type === type;
  return (await yard.events()).filter(isMeant);
}

/** Two tasks, the second of which begins when the first has landed; something happens in between. */
function between(more: Partial<MemoryYardOptions> = {}): MemoryYard {
  return new MemoryYard({
    tasks: [task('a'), task('b', { after: ['a'] })],
    gate: ({ cwd }, { git, exits }) =>
      git.read(cwd, 'broken') === undefined ? exits(0) : { ...exits(1), output: 'broken by hand' },
    settings: { jobs: 1, retries: 0 },
    ...more,
  });
}

/** As soon as a task has landed. */
async function landed(yard: MemoryYard, id: string): Promise<void> {
  for (let waited = 0; waited < 100; waited += 1) {
    if ((await yard.standing(id))?.id === 'landed') return;
    await yard.clock.sleep(10);
  }
}

describe('a target that a person moves while the run works', () => {
  test('is judged, and then built on', async () => {
    const yard = between();
    const end = await yard.drive(async () => {
      await landed(yard, 'a');
      yard.git.commitByHand({ notes: 'mine' });
    });
    expect(end).toMatchObject(ended('drained'));
    const [moved] = await only(yard, 'target-moved');
    expect(moved).toMatchObject({ to: expect.any(String) });
    expect(moved).not.toHaveProperty('by');
    expect(moved).not.toHaveProperty('rewound');
    const judged = await only(yard, 'target-judged');
    expect(judged).toMatchObject([{ commit: moved?.to, verdict: { id: 'passed' } }]);
    expect(yard.git.read('/repo', 'notes')).toBe('mine');
    expect(yard.git.read('/repo', 'work/b')).toBe('done');
    const [first] = judged;
    const built = (await only(yard, 'candidate-built')).filter(
      ({ seq }) => seq > (first?.seq ?? 0),
    );
    expect(built.map(({ parent }) => parent)).toContain(moved?.to);
  });

  test('to something red ends the run; nobody is blamed, and what was made is kept', async () => {
    const yard = between();
    const end = await yard.drive(async () => {
      await landed(yard, 'a');
      yard.git.commitByHand({ broken: 'yes' });
    });
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({ value: { stop: { failure: { kind: 'target-red' } } } });
    expect(await yard.standing('b')).toEqual({ id: 'open' });
    expect(yard.git.read('/repo', 'work/b')).toBeUndefined();
  });

  test('to something red goes on after they have mended it and resumed', async () => {
    const yard = between();
    await yard.drive(async () => {
      await landed(yard, 'a');
      yard.git.commitByHand({ broken: 'yes' });
    });
    const repository = yard.git.files('/repo');
    expect(repository.has('broken')).toBe(true);
    yard.git.remove('/repo', 'broken');
    const head = await tip(yard.git);
    const info = await yard.git.commit(head);
    const before = await yard.git.commit(info.ok ? (info.value.parents[0] ?? '') : '');
    const tree = before.ok ? before.value.tree : '';
    const mended = await yard.git.commitTree(tree, [head], 'mended');
    await yard.git.moveRefs([{ ref: 'refs/heads/main', to: mended.ok ? mended.value : '' }]);
    yard.git.tidyByHand();
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('b')).toMatchObject({ id: 'landed' });
  });

  test('while a candidate is at its gate drops that, and builds it again on what is there', async () => {
    const yard = new MemoryYard({
      tasks: [task('a')],
      gate: (_spec, { exits }) => exits(0, 1_000),
      settings: { branchGate: 'never' },
    });
    const end = await yard.drive(async () => {
      await yard.clock.sleep(600);
      yard.git.commitByHand({ notes: 'mine' });
    });
    expect(end).toMatchObject(ended('drained'));
    expect(await yard.count('candidate-dropped')).toBe(1);
    expect(yard.git.read('/repo', 'work/a')).toBe('done');
    expect(yard.git.read('/repo', 'notes')).toBe('mine');
  });

  test('back to before something landed ends the run: nothing is put there again unasked', async () => {
    const yard = between();
    const start = await tip(yard.git);
    const end = await yard.drive(async () => {
      await landed(yard, 'a');
      await yard.git.moveRefs([{ ref: 'refs/heads/main', to: start }]);
      yard.git.tidyByHand();
    });
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({ value: { stop: { failure: { kind: 'target-taken', task: '' } } } });
    expect(await only(yard, 'target-moved')).toMatchObject([{ to: start, rewound: true }]);
  });
});

describe('a target that an agent moves by itself', () => {
  test('ends the run, and names the task', async () => {
    const yard = new MemoryYard({
      tasks: [task('a'), task('b')],
      settings: { jobs: 1, retries: 0 },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0),
        effect: () => {
          git.write(cwd, `work/${env.YARD_TASK}`, 'done');
          if (env.YARD_TASK !== 'a') return;
          void git.commitAll(cwd, 'mine', 'yard/r1/a-1').then((made) => {
            const to = made.ok ? made.value : '';
            return git.moveRefs([{ ref: 'refs/heads/main', to }]);
          });
        },
      }),
    });
    const end = await yard.drive();
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({
      value: { stop: { failure: { kind: 'target-taken', task: 'a' } } },
    });
    expect(await only(yard, 'target-moved')).toMatchObject([{ by: { id: 'a', attempt: 1 } }]);
    expect(await yard.count('landed')).toBe(0);
  });

  test('is not what an agent did that merged the target a person had moved', async () => {
    const yard = new MemoryYard({
      tasks: [task('a')],
      settings: { jobs: 1, retries: 0 },
      agent: ({ cwd }, { git, exits }) => ({
        ...exits(0),
        effect: () => {
          git.commitByHand({ notes: 'mine' });
          void (async () => {
            await git.beginMerge(cwd, await tip(git));
            await git.commitAll(cwd, 'merge', 'yard/r1/a-1');
            git.write(cwd, 'work/a', 'done');
            await git.commitAll(cwd, 'work', 'yard/r1/a-1');
          })();
        },
      }),
    });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(yard.git.read('/repo', 'notes')).toBe('mine');
  });
});
