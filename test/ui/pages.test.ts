// A run with decisions that wait, watched and steered from the page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Child, TestProject } from '../rig.ts';
import {
  axeProblems,
  closeBrowserAfterwards,
  inBrowser,
  isTooWide,
  type Opened,
  openPage,
  type Served,
  serve,
  show,
} from './rig.ts';
import { evil, finished, played, sceneProject } from './scene.ts';

const places = [
  'now',
  'inbox',
  'tasks',
  'graph',
  'queue',
  'timeline',
  'spend',
  'runs',
  'projects',
  'task/tax-rate',
  'task/auth-cookie/diff',
  'task/search-index/log',
  'task/tax-rate/gate',
  'task/tax-rate/prompt',
  'task/tax-rate/reviews',
  'task/tax-rate/cost',
] as const;

closeBrowserAfterwards();

inBrowser('the page of a run', () => {
  let y: TestProject;
  let run: Child;
  let served: Served;
  let light: Opened;

  beforeAll(async () => {
    y = sceneProject(evil);
    run = await played(y);
    served = await serve(y);
    light = await openPage(served.url);
  });

  afterAll(async () => {
    served.child.signal('SIGTERM');
    await served.child.end();
    await finished(y, run);
    expect(await y.dispose()).toEqual([]);
  });

  /** Problems of each place, by its name. */
  async function problemsOf({ page, problems }: Opened): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const place of places) {
      await show(page, place);
      const axe = await axeProblems(page);
      if (axe.length > 0) found[place] = axe;
      if (await isTooWide(page)) found[`${place} is too wide`] = true;
    }
    return problems.length === 0 ? found : { ...found, problems };
  }

  test('is accessible, and nothing goes wrong', async () => {
    expect(await problemsOf(light)).toEqual({});
  });

  test('is accessible in the dark and on a phone, and never wider than it', async () => {
    const viewport = { width: 360, height: 740 };
    const phone = await openPage(served.url, { viewport, colorScheme: 'dark', hasTouch: true });
    expect(await problemsOf(phone)).toEqual({});
    await phone.page.context().close();
  });

  test('says in its title what needs you', async () => {
    await expect.poll(() => light.page.title()).toBe('(3 need you) repo – Yardmaster');
  });

  test('shows text of agents and tasks as text, with control characters', async () => {
    const { page } = light;
    for (const place of ['inbox', 'tasks', 'task/auth-cookie', 'task/auth-cookie/diff']) {
      await show(page, place);
      await page.getByText(evil).first().waitFor();
    }
    await show(page, 'task/auth-cookie/log');
    await page.getByText(`${evil} \\x1b[31mred\\x1b[0m \\u202eright`).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(light.problems).toEqual([]);
  });

  test('runs no script that is not its own', async () => {
    const { page, problems } = await openPage(served.url);
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.hasRun = true';
      document.body.append(script);
      return 'hasRun' in window;
    });
    expect(ran).toBe(false);
    expect(problems.join()).toContain('Content Security Policy');
    await page.context().close();
  });

  test('goes back in time, where nothing can be done', async () => {
    const { page } = light;
    await show(page, 'inbox');
    const slider = page.getByRole('slider', { name: 'History' });
    await slider.fill('5');
    await page.getByText('The past: event 5 of').waitFor();
    await show(page, 'tasks?at=5');
    await page.getByText('5 of 5').waitFor();
    expect(await page.getByRole('button', { name: 'Add task' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('The past').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add task' }).waitFor();
  });

  test('answers a question by keyboard alone, as one event', async () => {
    const { page } = light;
    await show(page, 'now');
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: 'Answer: pay-retry' }).waitFor();
    await page.keyboard.type('Only on 5xx.');
    await page.keyboard.press('Control+Enter');
    await expectCommand(page, 'ym answer pay-retry');
    expect(await decisionsOf('pay-retry')).toEqual([{ kind: 'answer', text: 'Only on 5xx.' }]);
  });

  test('turns comments on lines into the next turn of the agent', async () => {
    const { page } = light;
    await show(page, 'task/auth-cookie/diff');
    await page.getByRole('button', { name: 'Comment on line 2' }).click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('Name the cookie.');
    await page.getByRole('button', { name: 'Send to the agent' }).click();
    await expectCommand(page, 'ym reject auth-cookie');
    const [decision, ...more] = await decisionsOf('auth-cookie');
    expect(more).toEqual([]);
    expect(decision).toMatchObject({ kind: 'reject' });
    expect(JSON.stringify(decision)).toMatch(/src\/cookie\.js:2.*Name the cookie\./);
  });

  test('says why an action is refused', async () => {
    const { page } = light;
    await page.getByRole('button', { name: 'Add task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a task' });
    await dialog.getByLabel('Title').fill('Ship it');
    await dialog.getByLabel('After').fill('no-such-task');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByText('no-such-task').last().waitFor();
    await dialog.getByLabel('After').fill('mail');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expectCommand(page, 'ym add');
    await dialog.waitFor({ state: 'detached' });
    await show(page, 'task/ship-it');
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByLabel('Why it is canceled').fill('Not now');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
    await page.getByText('canceled').first().waitFor();
  });

  test('is right again after the server was started again', async () => {
    const { page } = light;
    await show(page, 'now');
    served.child.signal('SIGTERM');
    await served.child.end();
    await page.getByText('Connection lost, trying again').waitFor();
    expect(await y.ym('retry', 'geo-lookup')).toMatchObject({ code: 0 });
    const again = await serve(y);
    expect(again.url).toBe(served.url);
    served = again;
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText('geo-lookup').first().waitFor();
    expect(light.problems).toEqual([]);
  });

  async function decisionsOf(id: string): Promise<readonly unknown[]> {
    return (await y.events()).flatMap((event) =>
      event.type === 'task-decided' && event.id === id ? [event.decision] : [],
    );
  }

  async function expectCommand(page: Page, command: string): Promise<void> {
    await page.locator('.toast .command', { hasText: command }).waitFor();
  }
});
