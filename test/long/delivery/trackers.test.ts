// Issues and exports as sources, what an import would change, and tasks as files again.
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject } from '../../rig.ts';
import { standInTracker } from '../../source/stand-in-tracker.ts';

function withGh(y: TestProject) {
  const gh = standInTracker(join(y.home, 'bin'), 'gh');
  return { gh, env: { PATH: `${gh.env.PATH}${delimiter}${process.env.PATH}` } };
}

test('a tracker that cannot be read stores nothing, and the exit status says whose fault it is', async () => {
  const y = testProject();
  const { gh, env } = withGh(y);
  gh.hold([
    { number: 1, title: 'Good' },
    { number: 2, title: 'Waits', body: 'Depends on #9' },
  ]);
  const wrong = await y.ymWith({ env }, 'import', 'github:o/n');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('github:o/n: #2 (Waits) waits for #9, which does not exist.');
  gh.fails({
    on: 'all',
    exit: 4,
    stderr: 'To get started with GitHub CLI, please run:  gh auth login',
  });
  const out = await y.ymWith({ env }, 'run', 'github:');
  expect(out).toMatchObject({ code: 3, stdout: '' });
  expect(out.stderr).toContain('gh is not signed in');
  expect(JSON.parse((await y.ym('tasks', '--all', '--json')).stdout).tasks).toEqual([]);
});

test('exports are imported with a mapping that is built in or in the config', async () => {
  const y = testProject({
    config: {
      sources: {
        shop: {
          fields: { id: 'Key', title: 'Name', status: 'State' },
          done: 'Closed',
          id_prefix: 's-',
        },
      },
    },
  });
  writeFileSync(
    join(y.root, 'jira.csv'),
    'Issue key,Summary,Status\nA-1,One,To Do\nA-2,Two,Done\n',
  );
  writeFileSync(join(y.root, 'shop.csv'), 'Key;Name;State\n1;"Three; four";Open\n');
  const both = await y.ym('import', 'jira:jira.csv', 'shop:shop.csv');
  expect(both).toMatchObject({ code: 0, stdout: 'Added 2\n', stderr: '' });
  const shown = JSON.parse((await y.ym('show', 's-1', '--json')).stdout);
  expect(shown.task).toMatchObject({ title: 'Three; four', source: 'shop:shop.csv' });
  writeFileSync(join(y.root, 'shop.csv'), 'Key;Title;State\n1;x;Open\n');
  const wrong = await y.ym('import', 'shop:shop.csv');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('shop.csv:1: there is no column "Name"');
  expect(wrong.stderr).toContain('Columns here: Key, Title, State.');
});

test('a mapping with a mistake is a problem of the config', async () => {
  const y = testProject({
    config: { sources: { shop: { fields: { id: 'Key', titel: 'Name' } } } },
  });
  const wrong = await y.ym('import', 'shop:shop.csv');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('"sources.shop.fields.titel" is not a known key');
  expect(wrong.stderr).toContain('Did you mean "title"?');
});

test('`ym export` writes what `ym import` reads back as the same tasks', async () => {
  const y = testProject({
    tasks: [
      { id: 'a', body: 'Two\nlines' },
      { id: 'b', after: ['a'], priority: 1 },
    ],
  });
  await y.ym('import', y.plan);
  for (const file of ['out.json', 'out.yaml', 'TODO.md']) {
    expect(await y.ym('export', '--out', file)).toMatchObject({
      code: 0,
      stdout: `Wrote 2 tasks to ${file}\n`,
    });
    const again = await y.ym('import', file, '--dry-run');
    expect({ file, stdout: again.stdout }).toEqual({
      file,
      stdout: 'Would add 0, 2 already known\n',
    });
  }
  const piped = await y.ymWith(
    { stdin: (await y.ym('export')).stdout },
    'import',
    '-',
    '--dry-run',
  );
  expect(piped.stdout).toBe('Would add 0, 2 already known\n');
  await y.ym('skip', 'a', '--reason', 'done elsewhere');
  expect((await y.ym('export', '--format', 'markdown', '--all')).stdout).toContain('- [x] ');
  expect(JSON.parse((await y.ym('export', '--state', 'ready')).stdout).tasks).toMatchObject([
    { id: 'b' },
  ]);
  const graph = await y.ym('export', '--format', 'mermaid', '--all');
  expect(graph.stdout).toMatch(/^(?:graph|flowchart|---)/);
  expect(await y.ym('export', '--out', 'plan.xml')).toMatchObject({ code: 2 });
  expect(await y.ym('export', '--state', 'raedy')).toMatchObject({ code: 2 });
});
