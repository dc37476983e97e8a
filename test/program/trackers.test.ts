// Issues and exports as sources, what an import would change, and tasks as files again.
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject } from '../rig.ts';
import { standInTracker } from '../source/stand-in-tracker.ts';

function withGh(y: TestProject) {
  const gh = standInTracker(join(y.home, 'bin'), 'gh');
  return { gh, env: { PATH: `${gh.env.PATH}${delimiter}${process.env.PATH}` } };
}

test('issues are imported, changed and canceled as the tracker changes', async () => {
  const y = testProject();
  const { gh, env } = withGh(y);
  const ym = (...args: string[]) => y.ymWith({ env }, ...args);
  gh.hold([
    { number: 1, title: 'Search', labels: ['P1'] },
    { number: 2, title: 'Search page', parent: 1, blockedBy: [3] },
    { number: 3, title: 'Search index', parent: 1 },
  ]);
  const dry = await ym('import', 'github:', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toBe(
    '+ gh-1  Search\n+ gh-2  Search page\n+ gh-3  Search index\nWould add 3\n',
  );
  expect((await ym('import', 'github:')).stdout).toBe('Added 3\n');
  expect((await ym('show', 'gh-1', '--json')).stdout).toContain('"type": "epic"');
  gh.hold([
    { number: 1, title: 'Search', labels: ['P0'] },
    { number: 3, title: 'Build the index', parent: 1 },
  ]);
  const changes = await ym('import', 'github:', '--dry-run', '--json');
  expect(JSON.parse(changes.stdout)).toMatchObject({
    added: [],
    changed: ['gh-1', 'gh-3'],
    removed: ['gh-2'],
    diff: {
      added: [],
      changed: [
        { id: 'gh-1', keys: [{ key: 'priority', from: '1', to: '0' }] },
        { id: 'gh-3', keys: [{ key: 'title', from: 'Search index', to: 'Build the index' }] },
      ],
    },
  });
  const pruned = await ym('import', 'github:', '--prune-removed');
  expect(pruned).toMatchObject({ code: 0, stdout: 'Added 0, changed 2\n' });
  expect(pruned.stderr).toContain('no longer in github:: gh-2');
  expect((await ym('tasks', '--state', 'canceled')).stdout).toContain('gh-2');
});
