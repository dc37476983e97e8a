// States of tasks that a run writes to the places they were imported from.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { shell } from '../../rig/project.ts';
import { exit, testProject, write } from '../../rig.ts';
import { StandInBd } from '../../source/stand-in-bd.ts';

test('an issue that its agent closed is opened again when the attempt is given up', async () => {
  const y = testProject({
    tasks: [],
    script: { 'bd-1': [[shell('bd close bd-1 --reason done < /dev/null'), exit(1)]] },
    config: { write_back: true, retries: 0 },
  });
  const issue = { id: 'bd-1', title: 'A', status: 'open', issue_type: 'task', priority: 1 };
  const bd = new StandInBd(join(y.base, 'bd-bin'), [issue]);
  const env = { PATH: `${bd.folder}${delimiter}${process.env.PATH}` };
  expect(await y.ymWith({ env }, 'run', 'beads:')).toMatchObject({ code: 1 });
  expect(bd.calls.map(({ args }) => args[0])).toEqual([
    'export',
    'update',
    'close',
    'show',
    'reopen',
  ]);
  expect(bd.issue('bd-1')).toMatchObject({ status: 'open' });
});

test.each([
  ['edits', 'echo \'{ "id": "page", "summary": "Better" }\' > tasks/pending/1.json'],
  [
    'completes',
    'mkdir -p tasks/complete; git mv tasks/pending/1.json tasks/complete; echo >> tasks/complete/1.json',
  ],
])(
  'a ticket of oompa that its own agent %s is in one folder after the landing',
  async (_, does) => {
    const y = testProject({
      files: { 'tasks/pending/1.json': '{ "id": "page", "summary": "Add the page" }\n' },
      tasks: [],
      script: { page: [[shell(does), write('b.txt', 'b\n')]] },
      config: { write_back: true },
    });
    expect(await y.ym('run', 'tasks')).toMatchObject({ code: 0, stderr: '' });
    expect(y.landed()).toEqual(['page']);
    const found = ['pending', 'current', 'complete'].flatMap((folder) =>
      existsSync(join(y.root, 'tasks', folder, '1.json')) ? [folder] : [],
    );
    expect(found).toEqual(['complete']);
  },
);

test('a landing closes the issue of Beads and completes the ticket of oompa, if the config asks for it', async () => {
  const y = testProject({
    tasks: [],
    script: { 'bd-1': [[write('a.txt', 'a\n')]], page: [[write('b.txt', 'b\n')]] },
    config: { write_back: true },
  });
  const issue = { id: 'bd-1', title: 'A', status: 'open', issue_type: 'task', priority: 1 };
  const bd = new StandInBd(join(y.base, 'bd-bin'), [issue]);
  const env = { PATH: `${bd.folder}${delimiter}${process.env.PATH}` };
  const tickets = join(y.root, 'tasks');
  mkdirSync(join(tickets, 'pending'), { recursive: true });
  writeFileSync(join(tickets, 'pending/1.json'), '{ "id": "page", "summary": "Add the page" }\n');
  const run = await y.ymWith({ env }, 'run', 'beads:', 'tasks');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).not.toContain('changed in your checkout');
  expect(y.landings()).toEqual({ 'bd-1': 1, page: 1 });
  expect(bd.issue('bd-1')).toMatchObject({ status: 'closed' });
  expect(bd.calls.map(({ args }) => args[0])).toEqual(['export', 'update', 'close']);
  expect(existsSync(join(tickets, 'pending/1.json'))).toBe(false);
  const done = JSON.parse(readFileSync(join(tickets, 'complete/1.json'), 'utf8')) as object;
  expect(done).toMatchObject({ summary: 'Add the page', 'review-rounds': 0 });
});
