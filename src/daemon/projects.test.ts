import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import type { Opened } from '../app/ports.ts';
import { fail, ok } from '../model/failure.ts';
import { Trouble } from '../model/trouble.ts';
import { Projects } from './projects.ts';

let root: string;
let opened: number;
let closed: number;

beforeEach(() => {
  root = tempFolder();
  opened = 0;
  closed = 0;
});

function projects(patienceMs = 20): Projects {
  const close = async (): Promise<void> => {
    closed += 1;
  };
  return new Projects(async () => {
    opened += 1;
    return ok({ store: { close }, git: { close: async () => {} } } as unknown as Opened);
  }, patienceMs);
}

describe('projects of the daemon', () => {
  test('are opened once, and closed when no run needs them', async () => {
    const all = projects();
    for (const value of [1, 2])
      expect(await all.use(root, async () => ok(value))).toEqual(ok(value));
    expect([opened, closed]).toEqual([1, 0]);
    await all.keepOnly(new Set([root]));
    expect(closed).toBe(0);
    await all.keepOnly(new Set());
    expect(closed).toBe(1);
  });

  test('are opened once by work that begins at the same time', async () => {
    const all = projects();
    await Promise.all([1, 2, 3].map((value) => all.use(root, async () => ok(value))));
    expect(opened).toBe(1);
  });

  test('are opened again after trouble that was thrown, and work that throws it fails alone', async () => {
    let isGone = true;
    const close = async (): Promise<void> => {};
    const all = new Projects(async (dir) => {
      if (isGone) throw new Trouble({ kind: 'not-a-repository', dir });
      return ok({ store: { close }, git: { close } } as unknown as Opened);
    }, 20);
    const failure = { kind: 'not-a-repository', dir: root };
    expect(await all.use(root, async () => ok(1))).toEqual(fail(failure));
    isGone = false;
    expect(await all.use(root, async () => ok(1))).toEqual(ok(1));
    const thrown = new Trouble({ kind: 'not-a-repository', dir: root });
    expect(await all.use(root, () => Promise.reject(thrown))).toEqual(fail(failure));
  });

  test('fail at once while a store does not answer, and work again afterwards', async () => {
    const all = projects();
    let answer: () => void = () => {};
    const silent = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const failure = { kind: 'store-unavailable', store: `of ${root}` };
    const first = await all.use(root, async () => ok(await silent));
    expect(first).toMatchObject({ ok: false, failure });
    let isCalled = false;
    const second = await all.use(root, async () => {
      isCalled = true;
      return ok(undefined);
    });
    expect(second).toEqual(first);
    expect(isCalled).toBe(false);
    answer();
    await new Promise(setImmediate);
    expect(await all.use(root, async () => ok('back'))).toEqual(ok('back'));
  });

  test('are opened again after trouble with their store', async () => {
    const all = projects();
    const moved = fail({ kind: 'store-moved', file: 'a', to: 'b' } as const);
    expect(await all.use(root, async () => moved)).toEqual(moved);
    expect([opened, closed]).toEqual([1, 1]);
    expect(await all.use(root, async () => ok(1))).toEqual(ok(1));
    expect(opened).toBe(2);
  });

  test('say that their folder is gone', async () => {
    const all = projects();
    rmSync(root, { recursive: true });
    expect(await all.use(root, async () => ok(1))).toMatchObject({ failure: { kind: 'usage' } });
    expect(opened).toBe(0);
  });
});
