// Pictures of the page for the documents. Written only if SCREENSHOTS=1.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { closeBrowserAfterwards, inBrowser, openPage, serve, show } from '../../ui/rig.ts';
import { finished, played, sceneProject } from '../../ui/scene.ts';

const bytesMax = 150 * 1024;

closeBrowserAfterwards();

inBrowser('pictures for the documents', () => {
  test.runIf(process.env.SCREENSHOTS === '1')('are small', async () => {
    const y = sceneProject('for the session');
    const run = await played(y);
    // A path of this machine must not be in a picture.
    rmSync(join(y.root, 'src/footer.js'));
    await y.untilStatus(
      ({ tasks }) => tasks.some(({ id, state }) => id === 'footer' && state === 'landed'),
      'the footer has landed',
    );
    const { child, url } = await serve(y);
    const light = await openPage(url, { colorScheme: 'light' });
    await show(light.page, 'now');
    await light.page.getByText('Building an index').last().waitFor();
    await picture(light.page, 'now');
    const dark = await openPage(url, { colorScheme: 'dark' });
    await show(dark.page, 'graph');
    await dark.page.getByRole('button', { name: 'done' }).click();
    await dark.page.locator('[data-node="checkout"]').click();
    await dark.page.getByRole('complementary').waitFor();
    await dark.page.getByRole('button', { name: 'Fit' }).click();
    await picture(dark.page, 'graph');
    await show(dark.page, 'task/auth-cookie/diff');
    await dark.page.getByRole('button', { name: 'Comment on line 2' }).click();
    await dark.page.getByRole('textbox', { name: 'Comment' }).fill('Set SameSite as well.');
    await picture(dark.page, 'diff');
    child.signal('SIGTERM');
    await child.end();
    await finished(y, run);
    await y.untilProgramsEnd();
    expect(await y.dispose()).toEqual([]);
  });
});

async function picture(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`../../../docs/images/ui-${name}.png`, import.meta.url));
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(bytesMax);
}
