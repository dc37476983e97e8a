import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryGit } from '../git/memory.ts';
import type { Result } from '../model/failure.ts';
import { couple, landingMessage, type Waybill } from './couple.ts';

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

let git: MemoryGit;
let base: string;

beforeEach(async () => {
  git = new MemoryGit({ files: { a: '1', b: '1' } });
  base = must(await git.resolve('refs/heads/main')) ?? '';
});

/** A branch with one commit on top of a commit. */
async function branch(name: string, from: string, files: Record<string, string>): Promise<string> {
  const dir = `/pool/${name}`;
  must(await git.addWorktree(dir, from));
  must(await git.point(dir, from, `yard/r1/${name}`));
  for (const [path, text] of Object.entries(files)) git.write(dir, path, text);
  return must(await git.commitAll(dir, name));
}

const waybill = (id: string, commit: string): Waybill => ({
  car: { id, attempt: 1, commit },
  title: `Do ${id}`,
  agent: 'mine',
  branch: `yard/r1/${id}-1`,
});

async function couples(id: string, commit: string) {
  const [event] = must(await couple(git, 'r1', 'main', 'c1', waybill(id, commit)));
  return event;
}

describe('coupling a branch to the target', () => {
  test('makes a merge commit of the tip and the branch, and moves nothing', async () => {
    const work = await branch('one', base, { a: '2' });
    const event = await couples('one', work);
    if (event?.type !== 'candidate-built') throw new Error(event?.type);
    expect(event).toMatchObject({ candidate: 'c1', parent: base, cars: [{ id: 'one' }] });
    const info = must(await git.commit(event.commit));
    expect(info).toMatchObject({ parents: [base, work], tree: event.tree });
    expect(git.tree(event.commit).get('a')).toBe('2');
    expect(must(await git.resolve('refs/heads/main'))).toBe(base);
  });

  test('takes the tree of a branch that stands on the tip as it is', async () => {
    const work = await branch('one', base, { a: '2' });
    const event = await couples('one', work);
    const { tree } = must(await git.commit(work));
    expect(event).toMatchObject({ type: 'candidate-built', tree });
  });

  test('merges a branch that stands on an older tip', async () => {
    const work = await branch('one', base, { a: '2' });
    git.commitByHand({ b: '2' });
    const event = await couples('one', work);
    if (event?.type !== 'candidate-built') throw new Error(event?.type);
    expect([...git.tree(event.commit)]).toEqual([
      ['a', '2'],
      ['b', '2'],
    ]);
  });

  test('refuses a branch that changed what the target changed, and names the files', async () => {
    const work = await branch('one', base, { a: '2' });
    git.commitByHand({ a: '3' });
    const tip = must(await git.resolve('refs/heads/main'));
    expect(await couples('one', work)).toEqual({
      type: 'coupling-refused',
      run: 'r1',
      id: 'one',
      attempt: 1,
      failure: { kind: 'conflict', files: ['a'], target: tip, branch: 'yard/r1/one-1' },
    });
  });

  test('refuses a branch with a history of its own', async () => {
    const { tree } = must(await git.commit(base));
    const stranger = must(await git.commitTree(tree, [], 'alone'));
    expect(await couples('one', stranger)).toMatchObject({
      type: 'coupling-refused',
      failure: { kind: 'unmergeable', branch: 'yard/r1/one-1' },
    });
  });

  test('does not blame a branch for what a shallow clone left out', async () => {
    const { tree } = must(await git.commit(base));
    const stranger = must(await git.commitTree(tree, [], 'cut off'));
    const shallow = new Proxy(git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'inspect') return member.bind(target);
        return async () => {
          const found = must(await target.inspect());
          return { ok: true, value: { ...found, shallow: true } };
        };
      },
    });
    const refused = await couple(shallow, 'r1', 'main', 'c1', waybill('one', stranger));
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'shallow-repository' } });
  });

  test('says when the target is gone', async () => {
    const work = await branch('one', base, { a: '2' });
    const gone = await couple(git, 'r1', 'trunk', 'c1', waybill('one', work));
    expect(gone).toEqual({ ok: false, failure: { kind: 'target-missing', branch: 'trunk' } });
  });

  test('merges what an agent merged itself', async () => {
    const one = await branch('one', base, { a: '2' });
    git.commitByHand({ b: '2' });
    const tip = must(await git.resolve('refs/heads/main')) ?? '';
    const merged = must(await git.merge(one, tip));
    if (merged.id !== 'clean') throw new Error('conflict');
    const work = must(await git.commitTree(merged.tree, [one, tip], 'merge'));
    const event = await couples('one', work);
    if (event?.type !== 'candidate-built') throw new Error(event?.type);
    expect([...git.tree(event.commit).values()]).toEqual(['2', '2']);
  });
});

describe('the message of a landing', () => {
  test('has the title on one line and says whose work it is', () => {
    const bill = { ...waybill('one', 'x'), title: ' Do\nthis  and that ' };
    expect(landingMessage(bill, 'r1')).toBe(
      'Do this and that\n\nYard-Task: one\nYard-Run: r1\nYard-Attempt: 1\nYard-Agent: mine\n',
    );
  });
});
