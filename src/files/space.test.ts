import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { outcomeOf } from '../model/trouble.ts';
import { lowSpace, spaceOf, writtenPlaces } from './space.ts';

let dir = '';
beforeEach(() => {
  dir = tempFolder();
});

test('the space of a folder that is still missing is that of its parent', async () => {
  const [here, below] = [
    await outcomeOf(spaceOf(dir)),
    await outcomeOf(spaceOf(join(dir, 'not', 'yet'))),
  ];
  expect(here.ok && here.value.freeBytes).toBeGreaterThan(0);
  expect(below.ok).toBe(true);
});

test('a run writes to worktrees, objects, git folder, store and temporary files', async () => {
  const places = writtenPlaces({ stateDir: '/s', commonDir: '/r/.git', dir: '/r/.git/yardmaster' });
  expect(places.slice(0, 4)).toEqual([
    { name: 'worktrees', dir: '/s' },
    { name: 'objects', dir: '/r/.git/objects' },
    { name: 'git', dir: '/r/.git' },
    { name: 'store', dir: '/r/.git/yardmaster' },
  ]);
  expect(places[4]?.name).toBe('temp');
  expect(await lowSpace([{ name: 'here', dir }])).toBeUndefined();
});
