// The page of the built program in a real browser; all else about it is in test/long/ui.
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../rig.ts';
import { axeProblems, closeBrowserAfterwards, inBrowser, openPage, serve, show } from './rig.ts';

closeBrowserAfterwards();

inBrowser('the page of a run', () => {
  test('follows an agent until its work has landed', async () => {
    const y = testProject({
      leaves: ['state'],
      tasks: [{ id: 'a' }],
      script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
    });
    const run = y.start('run', y.plan);
    await y.seen('begun');
    const { child, url } = await serve(y);
    const { page, problems } = await openPage(url);
    await show(page, 'graph');
    const glyph = page.locator('[data-node="a"] .node-glyph');
    await expect.poll(() => glyph.textContent(), { timeout: 15_000 }).toBe('▶');
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    await expect.poll(() => glyph.textContent(), { timeout: 15_000 }).toBe('✓');
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    child.signal('SIGTERM');
    await child.end();
  });
});
