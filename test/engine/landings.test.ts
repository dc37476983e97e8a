import { expect, test } from 'vitest';
import { decideTasks } from '../../src/app/decide.ts';
import { checkLandings } from '../../src/app/landings.ts';
import { compareLandings } from '../../src/engine/landings.ts';
import type { EventBody } from '../../src/model/event.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { MemoryGit } from '../memory/git.ts';
import { memoryStore } from '../memory/store.ts';
import { owner, settings, task } from '../story.ts';

/** A store in which `a` and `b` landed with one candidate, and a git in which the target has both commits. */
async function batchOf(ids: readonly [string, string]) {
  const git = new MemoryGit({ files: { x: '1' } });
  const start = (await git.resolve('refs/heads/main')) as string;
  const info = await git.commit(start);
  const grow = async (parent: string, message: string): Promise<string> => {
    return git.commitTree(info.tree, [parent], message);
  };
  const first = await grow(start, 'first');
  const second = await grow(first, 'second');
  await git.moveRefs([{ ref: 'refs/heads/main', to: second }]);
  const store = memoryStore();
  const [one, two] = ids;
  const entries = ids.map((id) => ({
    id,
    attempt: 1,
    commit: `work-${id}`,
    branch: `yard/r/${id}-1`,
  }));
  const events: EventBody[] = [
    { type: 'task-added', task: task(one) },
    { type: 'task-added', task: task(two) },
    { type: 'run-started', run: 'r', owner, settings: settings(), base: start },
    {
      type: 'landed',
      run: 'r',
      candidate: 'c1',
      commit: second,
      from: start,
      entries,
      commits: [first, second],
    } as EventBody,
  ];
  const stored = await store.append(5, events);
  if (!stored.ok) throw new Error(JSON.stringify(stored.failure));
  return { git, store, first, start };
}

test.each([[['a', 'b']], [['b', 'a']]] as const)(
  'of a batch that landed at one moment the dropped landing is found: %s',
  async (ids) => {
    const { git, store, first } = await batchOf(ids);
    expect(await compareLandings({ git, store }, 'main')).toEqual({ ok: true, value: [] });
    await outcomeOf(git.moveRefs([{ ref: 'refs/heads/main', to: first }]));
    const found = await compareLandings({ git, store }, 'main');
    expect(found.ok && found.value).toMatchObject([
      { type: 'landing-dropped', id: ids[1], tip: first },
    ]);
  },
);

test('a target without the branch that was landed on says nothing about its landings', async () => {
  const { git, store } = await batchOf(['a', 'b']);
  expect(await compareLandings({ git, store }, 'other')).toEqual({ ok: true, value: [] });
});

test('a clone that lacks the commits of landings is behind, and drops none of them', async () => {
  const { store } = await batchOf(['a', 'b']);
  const git = new MemoryGit({ files: { x: '1' } });
  const failure = {
    kind: 'target-behind',
    target: 'main',
    tasks: ['a', 'b'],
    because: { id: 'not-here' },
  };
  expect(await checkLandings({ git, store }, 'main', 'resume')).toEqual({ ok: false, failure });
  expect(await checkLandings({ git, store }, 'main', 'takeover')).toEqual({ ok: false, failure });
});

test('a landing that was dropped in this clone keeps only a process from going on that nobody has started now', async () => {
  const { git, store, first } = await batchOf(['a', 'b']);
  expect(await checkLandings({ git, store }, 'main', 'takeover')).toEqual({
    ok: true,
    value: undefined,
  });
  await outcomeOf(git.moveRefs([{ ref: 'refs/heads/main', to: first }]));
  expect(await checkLandings({ git, store }, 'main', 'resume')).toEqual({
    ok: true,
    value: undefined,
  });
  const failure = {
    kind: 'target-behind',
    target: 'main',
    tasks: ['b'],
    because: { id: 'removed-here' },
  };
  expect(await checkLandings({ git, store }, 'main', 'takeover')).toEqual({ ok: false, failure });
});

test('a clone of a shared store that never had the landings is behind, whoever asks', async () => {
  const { store } = await batchOf(['a', 'b']);
  const git = new MemoryGit({ files: { x: '1' } });
  store.isShared = true;
  const failure = {
    kind: 'target-behind',
    target: 'main',
    tasks: ['a', 'b'],
    because: { id: 'not-here' },
  };
  expect(await checkLandings({ git, store }, 'main', 'run')).toEqual({ ok: false, failure });
  const found = await compareLandings({ git, store }, 'main');
  expect(found.ok && found.value).toMatchObject([
    { type: 'landing-dropped', id: 'a', behind: true },
    { type: 'landing-dropped', id: 'b', behind: true },
  ]);
});

test('a landing that was dropped in a clone of a shared store is not behind', async () => {
  const { git, store, first } = await batchOf(['a', 'b']);
  store.isShared = true;
  await outcomeOf(git.moveRefs([{ ref: 'refs/heads/main', to: first }]));
  expect(await checkLandings({ git, store }, 'main', 'run')).toEqual({
    ok: true,
    value: undefined,
  });
  const found = await compareLandings({ git, store }, 'main');
  expect(found.ok && found.value).toMatchObject([{ type: 'landing-dropped', id: 'b' }]);
  expect(found.ok && found.value[0]).toMatchObject({ behind: undefined });
});

test('a decision in a clone that is behind is refused while a run is under way, and allowed afterwards', async () => {
  const { store } = await batchOf(['a', 'b']);
  const git = new MemoryGit({ files: { x: '1' } });
  store.isShared = true;
  const clock = { now: () => 6, sleep: async () => undefined };
  const retry = async (isAlive: boolean) => {
    const ports = { git, store, clock, self: () => owner, isAlive: () => isAlive };
    return decideTasks(ports, ['a'], { kind: 'retry' });
  };
  const seq = await store.lastSeq();
  const because = { id: 'run-elsewhere', run: 'r' };
  const failure = { kind: 'target-behind', target: 'main', tasks: ['a'], because };
  expect(await retry(true)).toEqual({ ok: false, failure });
  expect(await store.lastSeq()).toEqual(seq);
  expect(await retry(false)).toEqual({ ok: true, value: { willContinue: false } });
});
