// Issues and exports as sources, what an import would change, and tasks as files again.
import { expect, test } from 'vitest';
import { testProject } from '../../rig.ts';

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
