// Results of several agents side by side; a person chooses one in the page.
import { expect, test } from 'vitest';
import { testProject, write } from '../rig.ts';
import { axeProblems, closeBrowserAfterwards, inBrowser, openPage, serve, show } from './rig.ts';

closeBrowserAfterwards();

inBrowser('variants of a task', () => {
  test('are compared side by side, and one is chosen as one event', async () => {
    const y = testProject({
      leaves: ['branches', 'kept', 'worktrees', 'state'],
      tasks: [{ id: 'a', attempts: { best_of: 2, choose: 'person' } }],
      script: {
        default: [[{ run: { shell: 'echo "$YARD_TASK" > made.txt' } }, write('b.txt', 'b\n')]],
      },
    });
    await y.ym('run', y.plan);
    const { child, url } = await serve(y);
    const { page, problems } = await openPage(url);
    await page.getByRole('link', { name: 'Compare' }).click();
    const variants = page.locator('.variant');
    await variants.locator('.diff-row.added').nth(3).waitFor();
    expect(await variants.count()).toBe(2);
    expect(await axeProblems(page)).toEqual([]);
    await show(page, 'inbox');
    expect(await axeProblems(page)).toEqual([]);
    await show(page, 'task/a/variants');
    await variants.nth(1).getByRole('button', { name: 'Choose' }).click();
    await page.locator('.toast .command', { hasText: 'ym choose a' }).waitFor();
    const chosen = (await y.events()).flatMap((event) =>
      event.type === 'task-decided' ? [event.decision] : [],
    );
    expect(chosen).toMatchObject([{ kind: 'choose', by: 'person' }]);
    expect(problems).toEqual([]);
    child.signal('SIGTERM');
    await child.end();
  });
});
