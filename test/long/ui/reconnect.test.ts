// A page whose server dies in the middle of a run, and is started again.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { print, TestProject, touch, write } from '../../rig.ts';
import { closeBrowserAfterwards, inBrowser, openPage, serve, show } from '../../ui/rig.ts';

closeBrowserAfterwards();

/** Each part of the page connects again by itself, later the longer its server is away. */
const patience = { timeout: 30_000 };

inBrowser('a page that lost its server', () => {
  test('shows what happened meanwhile, every line and every event once', async () => {
    const y = new TestProject({
      leaves: ['state'],
      config: { jobs: 2 },
      tasks: [{ id: 'long' }, { id: 'short' }],
      script: {
        long: [
          [
            print('line 1'),
            print('line 2'),
            touch('begun'),
            { waitFor: { file: 'more', ms: 110_000 } },
            print('line 3'),
            print('line 4'),
            touch('printed'),
            { waitFor: { file: 'go', ms: 110_000 } },
            print('line 5'),
            write('long.txt', 'x'),
          ],
        ],
        short: [[{ waitFor: { file: 'more', ms: 110_000 } }, write('short.txt', 'x')]],
      },
    });
    const run = y.start('run', y.plan);
    await y.seen('begun');
    const first = await serve(y);
    const { page, problems } = await openPage(first.url);
    await show(page, 'task/long/log');
    await expect.poll(() => linesOf(page), patience).toEqual(['line 1', 'line 2']);
    first.child.signal('SIGKILL');
    await first.child.end();
    await page.getByText('Connection lost, trying again').waitFor();
    y.signal('more');
    await y.seen('printed');
    await y.untilStatus(
      ({ tasks }) => tasks.some(({ id, state }) => id === 'short' && state === 'landed'),
      'the other task has landed',
    );
    const again = await serve(y);
    expect(again.url).toBe(first.url);
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    const later = ['line 1', 'line 2', 'line 3', 'line 4'];
    await expect.poll(() => linesOf(page), patience).toEqual(later);
    y.signal('go');
    await run.end();
    await expect.poll(() => linesOf(page), patience).toEqual([...later, 'line 5']);
    await show(page, 'now');
    await page.getByText('ended:').first().waitFor();
    const fresh = await openPage(again.url);
    await show(fresh.page, 'now');
    const events = await eventsOf(fresh.page);
    expect(events.filter((text) => text.includes('landed short'))).toHaveLength(1);
    expect(await eventsOf(page)).toEqual(events);
    expect([...problems, ...fresh.problems]).toEqual([]);
    again.child.signal('SIGTERM');
    await again.child.end();
    await y.untilProgramsEnd();
    expect(await y.dispose()).toEqual([]);
  });
});

/** Lines that the agent printed, as the page shows them. */
async function linesOf(page: Page): Promise<readonly string[]> {
  const text = await page.locator('main').innerText();
  return text.match(/line \d/g) ?? [];
}

async function eventsOf(page: Page): Promise<readonly string[]> {
  const list = page.getByRole('list', { name: 'Events' });
  await list.getByRole('listitem').first().waitFor();
  return list.getByRole('listitem').allInnerTexts();
}
