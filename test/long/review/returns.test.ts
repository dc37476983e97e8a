// Work that comes back: its agent finds the tree that failed, or starts over; nobody has to know git.
import { expect, test } from 'vitest';
import { shell } from '../../rig/project.ts';
import { remove, type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';

/** Turns that each task has had. */
async function turnsOf(y: TestProject): Promise<Readonly<Record<string, number>>> {
  const turns: Record<string, number> = {};
  for (const event of await y.events()) {
    if (event.type === 'turn-started') turns[event.id] = (turns[event.id] ?? 0) + 1;
  }
  return turns;
}

test('agents that do their task again in whatever tree they find land what was red together', async () => {
  // Names what is there, in the tree it is given; nothing here knows of git.
  const use = shell('mkdir -p uses; ls names | head -n 1 > uses/receipt');
  const y = testProject({
    tasks: [{ id: 'rename', priority: 1 }, { id: 'use' }],
    script: {
      rename: [
        [touch('r'), waitFor('u'), remove('names/total'), write('names/sum', '')],
        [shell('for f in uses/*; do ls names | head -n 1 > "$f"; done')],
      ],
      use: [[touch('u'), waitFor('r'), use]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('uses/receipt')).toBe('sum\n');
  expect(Object.values(await turnsOf(y)).sort()).toEqual([1, 2]);
  // What the other task landed is not shown as part of the work that it was merged into.
  const merge = (await y.events()).find(({ type }) => type === 'target-merged');
  if (merge?.type !== 'target-merged') throw new Error('nothing was merged');
  const diff = JSON.parse((await y.ym('diff', merge.id, '--json', '--stat')).stdout);
  expect(diff.from).toBe(merge.merged.onto);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test.each([
  ['replaces the line', 'sed -i "s/^name = .*/name = $YARD_TASK/" app.conf'],
  ['writes the file', 'printf "name = %s\\nport = 1\\n" "$YARD_TASK" > app.conf'],
])('an agent that %s lands its same-line conflict with one return at most', async (_, command) => {
  const y = testProject({
    files: { 'app.conf': 'name = app\nport = 1\n' },
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    script: {
      a: [[touch('a'), waitFor('b'), shell(command)]],
      b: [[touch('b'), waitFor('a'), shell(command)]],
      c: [[waitFor('a'), shell(command)]],
    },
    leaves: ['branches', 'kept'],
  });
  expect(await y.ym('run', y.plan, '--jobs', '3')).toMatchObject({ code: 0 });
  expect([...y.landed()].sort()).toEqual(['a', 'b', 'c']);
  expect(y.show('app.conf')).toMatch(/^name = [abc]\nport = 1\n$/);
  const returned = (await y.events()).filter(({ type }) => type === 'target-merged');
  const tasks = returned.map((event) => ('id' in event ? event.id : ''));
  expect(new Set(tasks).size).toBe(tasks.length);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});
