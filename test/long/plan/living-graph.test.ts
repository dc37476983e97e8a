// Tasks that change while a run is under way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../../rig.ts';

test('tasks that are added, edited or split during a run count at once', async () => {
  const works = (id: string) => [[touch(`at-${id}`), write(`${id}.txt`, `${id}\n`)]];
  const y = testProject({
    tasks: [{ id: 'long' }, { id: 'big', after: ['long'] }, { id: 'late', after: ['long'] }],
    script: {
      long: [[touch('working'), waitFor('go'), write('long.txt', 'x\n')]],
      ...Object.fromEntries(['new', 'late', 'one', 'two'].map((id) => [id, works(id)])),
    },
  });
  expect((await y.ym('import', y.plan)).code).toBe(0);
  const run = y.start('run', '--scope', 'ready', '--jobs', '2');
  await y.seen('working');
  expect((await y.ym('add', 'New', '--id', 'new')).code).toBe(0);
  await y.seen('at-new');
  expect((await y.ym('edit', 'late', '--after', 'none')).code).toBe(0);
  await y.seen('at-late');
  const parts = join(y.base, 'parts.json');
  const tasks = ['one', 'two'].map((id) => ({ id, title: id }));
  writeFileSync(parts, JSON.stringify({ tasks }));
  const busy = await y.ym('split', 'long', '--into', parts);
  expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining('is being worked on')]);
  expect(await y.ym('split', 'big', '--into', parts)).toMatchObject({
    code: 0,
    stdout: 'Split big into one, two\n',
  });
  y.signal('go');
  expect((await run.end()).code).toBe(0);
  expect(y.landings()).toEqual({ long: 1, new: 1, late: 1, one: 1, two: 1 });
});
