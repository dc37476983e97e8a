import { beforeEach, describe, expect, it } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Command, Work } from '../model/command.ts';
import type { Ports } from './context.ts';
import { withoutCommits, withoutWork, withoutWorktree } from './lost-work.ts';

/** Commits and worktrees of this machine. */
let here: Set<string>;
let damaged: string | undefined;
beforeEach(() => {
  here = new Set(['base', 'refs/heads/main']);
  damaged = undefined;
});

const git = {
  resolve: async (commit: string) => (here.has(commit) ? commit : undefined),
  missingObject: async () => damaged,
  hasWorktree: async (dir: string) => here.has(dir),
};
let held: string[] = [];
const pool = { held: () => held.map((key) => ({ key, worktree: { id: 'w', dir: 'w' } })) };
const ports = { git, pool } as unknown as Ports;

const missing = (id: string, commit?: string) => ({
  type: 'attempt-given-up',
  run: 'r1',
  id,
  attempt: 1,
  failure: {
    kind: 'work-missing',
    branch: expect.stringContaining(`/${id}-1`),
    commit,
  },
});

describe('finished work that only another machine has', () => {
  const story = () =>
    new Story()
      .tasks(task('a'), task('b'), task('c'))
      .start({ jobs: 3 })
      .queued('a')
      .queued('b', 2);
  const live = (made: Story) =>
    [...made.state.live].flatMap((id) => made.state.task(id) ?? []).filter((one) => one.attempt);
  const commitOf = (made: Story, id: string): string =>
    made.task(id).attempt?.captured?.commit ?? '';
  const lost = (made: Story) => withoutWork(git, { target: 'main' }, made.record(), live(made));

  it('is given up, and the rest of the queue stays', async () => {
    const made = story();
    here.add(commitOf(made, 'b'));
    expect(await lost(made)).toEqual([missing('a', commitOf(made, 'a'))]);
    made.tell(...(await lost(made)));
    expect(made.commands()).toEqual(expect.arrayContaining(['save a 1', 'build-candidate b']));
    const { run } = made;
    expect(await lost(made)).toEqual([]);
    const failure = { kind: 'work-missing', branch: 'x' } as const;
    made.tell({ type: 'attempt-failed', run, id: 'a', attempt: 1, failure });
    // It costs the task nothing.
    expect(made.task('a')).toMatchObject({ status: { id: 'open' }, failures: 0 });
  });

  it('drops its candidate first', async () => {
    const made = story().built('a');
    here.add(commitOf(made, 'b'));
    expect(await lost(made)).toMatchObject([
      { type: 'candidate-dropped', candidate: 'c1' },
      missing('a', commitOf(made, 'a')),
    ]);
  });

  it('is not needed for a candidate that is here, nor while an agent works', async () => {
    const made = story().built('a', 'b').prepared('c', 3).turn('c', 3);
    for (const { commit } of made.record().train.candidates) here.add(commit);
    expect(await lost(made)).toEqual([]);
  });

  it('is not taken for lost if objects of the target were deleted too', async () => {
    damaged = 'tree';
    expect(await lost(story())).toEqual([]);
    expect(await lost(story().built('a'))).toEqual([]);
  });

  it('is found when a candidate is built of it', async () => {
    const entry = { id: 'a', attempt: 1, commit: 'gone' };
    const other = { id: 'b', attempt: 1, commit: 'base' };
    const landings = [
      { entry, branch: 'yard/r1/a-1' },
      { entry: other, branch: 'yard/r1/b-1' },
    ];
    expect(await withoutCommits(git, { run: 'r1', target: 'main' }, landings)).toEqual([
      missing('a', 'gone'),
    ]);
  });
});

describe('an attempt whose worktree is on another machine', () => {
  function work(worker?: string): Work {
    const made = new Story().tasks(task('a')).start().prepared('a').turn('a');
    const { task: one, attempt } = made.turnEnds('a', { ok: true, tail: '' }).task('a');
    if (attempt === undefined) throw new Error('a has no attempt');
    return { task: one, attempt: worker === undefined ? attempt : { ...attempt, worker } };
  }
  const capture = (worker?: string): Command => ({ type: 'capture', work: work(worker) });
  const tried = (command: Command) => withoutWorktree(ports, { run: 'r1' }, command);

  it('is given up when the next step needs it', async () => {
    held = [];
    expect(await tried(capture())).toEqual([missing('a')]);
    expect(
      await tried({ type: 'save', work: work(), failure: { kind: 'interrupted', by: 'x' } }),
    ).toBeUndefined();
  });

  it('goes on if the pool or the disk has it, or a worker', async () => {
    held = ['a-1'];
    expect(await tried(capture())).toBeUndefined();
    held = [];
    expect(await tried(capture('w1'))).toBeUndefined();
    here.add(work().attempt.worktree?.dir ?? '');
    expect(await tried(capture())).toBeUndefined();
  });
});
