import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, aTask, settings } from '../../test/report/fixtures.ts';
import { owner } from '../../test/story.ts';
import { fail, ok } from '../model/failure.ts';
import type { Store } from '../port/store.ts';
import { byPerson, runNamed, willContinue } from './lookup.ts';

const ids = ['260301-100000-3f2a', '260301-090000-77aa', '260228-090000-0bcd'];
const store = {
  runs: async () => ok(ids.map((id) => aRun({ id }))),
} as unknown as Store;

describe('a run', () => {
  it.each([
    ['260301-100000-3f2a', '260301-100000-3f2a'],
    ['260228', '260228-090000-0bcd'],
    ['77aa', '260301-090000-77aa'],
    ['last', '260301-100000-3f2a'],
    [undefined, '260301-100000-3f2a'],
  ])('is found by %s', async (name, id) => {
    expect(await runNamed(store, name)).toMatchObject({ ok: true, value: { id } });
  });

  it('is not guessed where several fit: all of them are listed', async () => {
    expect(await runNamed(store, '260301')).toMatchObject({
      ok: false,
      failure: {
        kind: 'usage',
        problem: '"260301" matches 2 runs: 260301-100000-3f2a, 260301-090000-77aa',
      },
    });
  });

  it('that is not there is refused with the nearest one', async () => {
    expect(await runNamed(store, '260301-100000-3f2b')).toMatchObject({
      failure: { kind: 'unknown-run', nearest: '260301-100000-3f2a' },
    });
  });
});

describe('a decision', () => {
  const running = { id: 'running' } as const;
  const clock = { now: () => 0, sleep: async () => undefined };
  const here = { clock, self: () => owner, isAlive: () => true };

  const underWay = aRun({ owner, phase: running });
  const only = (...tasks: string[]) => ({ ...settings, scope: { kind: 'only', tasks } as const });

  it.each([
    ['is acted on by the run under way', [underWay], true],
    ['is acted on by the run of its epic', [{ ...underWay, settings: only('epic') }], true],
    [
      'is left to the next run if this one lacks the task',
      [{ ...underWay, settings: only('b') }],
      false,
    ],
    [
      'is left to the next run while this one stops',
      [{ ...underWay, phase: { ...running, stopAsked: 'finish' } as const }],
      false,
    ],
    ['is left to the next run if there is none', [], false],
  ])('%s', async (_, runs, expected) => {
    const child = { ...aRecord('a'), task: aTask('a', { parent: 'epic' }) };
    const tasks = [aRecord('epic'), child, aRecord('b')];
    const store = { runs: async () => ok(runs), tasks: async () => ok(tasks) };
    expect(await willContinue({ ...here, store }, ['a'])).toBe(expected);
  });

  it('about a live attempt is acted on by the run under way, which adopts it', async () => {
    const attempt = anAttempt({ id: 'queued', commit: 'c', tree: 't', since: 1 });
    const tasks = [aRecord('a', { id: 'open' }, { attempt }), aRecord('b')];
    const runs = [{ ...underWay, settings: only('b') }];
    const store = { runs: async () => ok(runs), tasks: async () => ok(tasks) };
    expect(await willContinue({ ...here, store }, ['a'])).toBe(true);
  });
});

describe('what only a person may decide', () => {
  const refusal = {
    kind: 'usage',
    problem: 'only a person may use `ym approve`, and this was called from within run r-1',
    remedy:
      'An agent states what it needs in its last message, or with `ym agent`. A person calls it from their own checkout.',
  } as const;

  const shop = { project: 'shop-1a2b', isShared: false };

  it.each([
    '/state/shop-1a2b/r-1/ym-r-1-3',
    '/elsewhere/shop-1a2b/r-1/ym-r-1-12/src',
    '/state/shop-1a2b/r-1/ym-r-1-12.git/refs',
  ])('is refused in the folder of an attempt: %s', (place) => {
    const places = ['/mine', place];
    expect(byPerson({ ...shop, places }, 'approve')).toEqual(fail(refusal));
  });

  it.each([
    '/mine/shop',
    '/state/shop-1a2b',
    '/state/shop-1a2b/r-1/ym-r-2-3',
    '/state/other-1a2b/r-1/ym-r-1-3',
  ])('is decided from %s', (place) => {
    expect(byPerson({ ...shop, places: [place] }, 'approve')).toEqual(ok(undefined));
  });

  it('is refused in the folder of any run if clones share the store', () => {
    const shared = { ...shop, isShared: true };
    const places = ['/state/other-1a2b/r-1/ym-r-1-3'];
    expect(byPerson({ ...shared, places }, 'approve')).toEqual(fail(refusal));
    expect(byPerson({ ...shared, places: ['/mine/shop'] }, 'approve')).toEqual(ok(undefined));
  });
});
