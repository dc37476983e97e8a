// A run as files and tables for people: report, graph, summary in Markdown, comparison, failures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject, write } from '../rig.ts';

test('a run becomes an HTML report, a picture, Markdown, and one side of a comparison', async () => {
  const secret = `ghp_${'a1'.repeat(20)}`;
  const y = testProject({
    tasks: [{ id: 'good' }, { id: 'idle' }],
    script: {
      good: [[write('good.txt', `<b>bold</b>\n${secret}\n`)]],
      idle: [[]],
    },
  });
  expect((await y.ym('import', y.plan)).code).toBe(0);
  await y.ym('run', '--scope', 'ready', '--jobs', '1');

  const written = await y.ym('report', '--out', join(y.base, 'run.html'));
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining('Wrote ')]);
  const html = readFileSync(join(y.base, 'run.html'), 'utf8');
  expect(html).toContain('good.1');
  expect(html).toContain('+&lt;b&gt;bold&lt;/b&gt;');
  expect(html).toContain('turn-1.prompt.md');
  expect(html).not.toContain(secret);
  expect(html).not.toMatch(/<script|<b>bold/);

  expect((await y.ym('graph', 'last', '--out', join(y.base, 'run.svg'))).code).toBe(0);
  expect(readFileSync(join(y.base, 'run.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);

  const markdown = (await y.ym('summary', '--markdown')).stdout;
  expect(markdown).toMatch(/^## Run `[\w-]+` → `main`/);
  expect(markdown).toContain('| `good` | 1 | ✓ landed |');

  expect((await y.ym('failures', 'top')).stdout).toContain('no-changes');

  const same = await y.ym('compare', 'last', 'last');
  expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('Both names mean run')]);
  await y.ym('retry', 'idle');
  await y.ym('run', '--scope', 'ready');
  const [newest, first] = JSON.parse((await y.ym('runs', '--json')).stdout).runs;
  const both = await y.ym('compare', first.id, newest.id);
  expect([both.code, both.stdout]).toEqual([0, expect.stringMatching(/landed +1 +0 +−1/)]);
});
