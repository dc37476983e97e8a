// A page that is open while the process of the run is killed.
import { expect, test } from 'vitest';
import { TestProject, touch, waitFor, write } from '../../rig.ts';
import { closeBrowserAfterwards, inBrowser, openPage, serve, show } from '../../ui/rig.ts';

closeBrowserAfterwards();

inBrowser('the page of a run whose process was killed', () => {
  test('says on every page that its tasks have stopped', async () => {
    const y = new TestProject({
      leaves: ['state'],
      tasks: [{ id: 'a' }],
      script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
    });
    const run = y.start('run', y.plan);
    await y.seen('begun');
    const { child, url } = await serve(y);
    const { page, problems } = await openPage(url);
    await show(page, 'graph');
    const node = page.locator('[data-node="a"]');
    const glyph = node.locator('.node-glyph');
    await expect.poll(() => glyph.textContent()).toBe('▶');
    run.signal('SIGKILL');
    await run.end();
    await expect.poll(() => glyph.textContent(), { timeout: 15_000 }).toBe('⋯');
    for (const place of ['graph', 'tasks', 'now']) {
      await show(page, place);
      if (place === 'graph') await node.click();
      await page.locator('main').getByText('stopped').first().waitFor();
      expect(await page.locator('main').getByText('working').count()).toBe(0);
      expect(await page.locator('.counts').first().textContent()).toMatch(/1\s*stopped/);
    }
    expect(problems).toEqual([]);
    child.signal('SIGTERM');
    await child.end();
    y.signal('go');
    expect((await y.ym('resume')).code).toBe(0);
    await y.untilProgramsEnd();
    expect(await y.dispose()).toEqual([]);
  });
});
