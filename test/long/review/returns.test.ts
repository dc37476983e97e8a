// Work that comes back: its agent finds the tree that failed, or starts over; nobody has to know git.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shell } from '../../rig/project.ts';
import {
  append,
  remove,
  type TestProject,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

const count = async (y: TestProject, type: string): Promise<number> =>
  (await y.events()).filter((event) => event.type === type).length;

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

test('a turn that brings nothing new is not judged again; the next attempt sees what failed', async () => {
  const y = testProject({
    tasks: [{ id: 'rename', priority: 0 }, { id: 'use' }],
    script: {
      rename: [[remove('names/total'), write('names/sum', '')]],
      use: [
        [waitFor('landed'), write('uses/receipt', 'total\n')],
        [{ print: { text: 'I see nothing wrong here.' } }],
      ],
    },
    leaves: ['branches'],
  });
  const run = y.start('run', y.plan, '--retries', '1');
  await until(() => y.landed().includes('rename'), 'rename to land');
  y.signal('landed');
  const ended = await run.end();
  expect(ended.code).toBe(1);
  expect(await turnsOf(y)).toEqual({ rename: 1, use: 2 });
  expect(await count(y, 'work-captured')).toBe(2);
  const why = (await y.ym('why', 'use')).stdout;
  expect(why).toContain('The agent changed nothing after its work was sent back');
  expect(why).toContain('ym retry use');
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('a conflict without markers that an agent leaves alone is not resolved: the next attempt does the work', async () => {
  const image = (bytes: string) => shell(`printf '\\211PNG\\000${bytes}' > logo.png`);
  const y = testProject({
    files: { 'notes.txt': 'one\n', 'logo.png': '\u0000start' },
    tasks: [{ id: 'a', priority: 0 }, { id: 'b' }],
    script: {
      a: [[waitFor('b'), remove('notes.txt'), image('a')]],
      b: {
        attempts: [
          [
            [write('notes.txt', 'two\n'), image('b'), touch('b'), waitFor('landed')],
            [write('other.txt', 'b\n')],
          ],
          [[write('b.txt', 'b\n')]],
        ],
      },
    },
    leaves: ['branches', 'kept'],
  });
  const run = y.start('run', y.plan);
  await until(() => y.landed().includes('a'), 'a to land');
  y.signal('landed');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.landed()).toEqual(['a', 'b']);
  expect(y.git('ls-tree', '--name-only', 'main', 'notes.txt', 'other.txt')).toBe('');
  const id = (await y.status()).run?.id ?? '';
  const turn = join(
    y.root,
    '.git',
    'yardmaster',
    'runs',
    id,
    'attempts',
    'b-1',
    'turn-2.prompt.md',
  );
  const prompt = readFileSync(turn, 'utf8');
  expect(prompt).toContain('- notes.txt: main deleted it, you changed it');
  expect(prompt).toContain('- logo.png: both sides changed it');
});

test('conflict markers never land, and a person is told where they are', async () => {
  const y = testProject({
    files: { 'list.txt': 'start\n' },
    tasks: [{ id: 'a', priority: 0 }, { id: 'b' }],
    script: {
      a: [[append('list.txt', 'a\n')]],
      b: [[waitFor('landed'), write('list.txt', 'start\nb\n')], [append('other.txt', 'x\n')]],
      default: [[write('unused', '')]],
    },
    leaves: ['branches', 'kept'],
  });
  const run = y.start('run', y.plan, '--retries', '1');
  await until(() => y.landed().includes('a'), 'a to land');
  y.signal('landed');
  expect((await run.end()).code).toBe(1);
  expect(y.show('list.txt')).toBe('start\na\n');
  const why = (await y.ym('why', 'b')).stdout;
  expect(why).toContain('conflict markers are left in list.txt');
  expect(why).toContain('ym resolve b');
});
