// A run with decisions that wait, watched and steered from the page.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Child, TestProject } from '../../rig.ts';
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
} from '../../ui/rig.ts';
import { evil, evilBranch, finished, played, sceneProject } from '../../ui/scene.ts';

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
  'task/banner/variants',
] as const;

closeBrowserAfterwards();

inBrowser('the page of a run', () => {
  let y: TestProject;
  let other: TestProject;
  let run: Child;
  let served: Served;
  let light: Opened;

  beforeAll(async () => {
    y = sceneProject(evil);
    y.git('branch', '-m', evilBranch);
    other = new TestProject({ leaves: ['state'], tasks: [{ id: 'elsewhere' }] });
    await other.ym('import', other.plan);
    run = await played(y);
    served = await serve(y, y.root, other.root);
    light = await openPage(served.url);
  });

  afterAll(async () => {
    served.child.signal('SIGTERM');
    await served.child.end();
    await finished(y, run);
    await y.untilProgramsEnd();
    expect([await y.dispose(), await other.dispose()]).toEqual([[], []]);
  });

  /** Problems of each place, by its name. */
  async function problemsOf({ page, problems }: Opened): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const place of places) {
      await show(page, place);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const axe = await axeProblems(page);
        if (axe.length > 0) found[`${place}, ${colorScheme}`] = axe;
      }
      if (await isTooWide(page)) found[`${place} is too wide`] = true;
    }
    return problems.length === 0 ? found : { ...found, problems };
  }

  test('is accessible in both colors, and nothing goes wrong', async () => {
    expect(await problemsOf(light)).toEqual({});
  });

  test('is accessible on a phone, and never wider than it', async () => {
    const viewport = { width: 360, height: 740 };
    const phone = await openPage(served.url, { viewport, hasTouch: true });
    expect(await problemsOf(phone)).toEqual({});
    await phone.page.context().close();
  });

  test('says in its title what needs you', async () => {
    await expect.poll(() => light.page.title()).toMatch(/^\(5 need you\) .*repo – Yardmaster$/);
  });

  test('shows text of agents, tasks and branches as text, with control characters', async () => {
    const { page } = light;
    for (const place of ['inbox', 'tasks', 'task/auth-cookie', 'task/auth-cookie/diff']) {
      await show(page, place);
      await page.getByText(evil).first().waitFor();
    }
    await show(page, 'task/auth-cookie/log');
    await page.getByText(`${evil} \\x1b[31mred\\x1b[0m \\u202eright`).waitFor();
    await page.getByText(evilBranch.replace('\u202e', '\\u202e')).waitFor();
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
    await slider.press(']');
    await expect.poll(() => slider.inputValue()).toBe('6');
    await slider.press('[');
    await expect.poll(() => slider.inputValue()).toBe('5');
    await page.getByText('The past: event 5 of').waitFor();
    await show(page, 'tasks?at=5');
    await page.getByText('5 of 5').waitFor();
    expect(await page.getByRole('button', { name: 'Add task' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('The past').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add task' }).waitFor();
  });

  test('shows nothing on any page that was not known at the moment of the past', async () => {
    const { page } = light;
    // The tasks are known, and no run has started.
    const at = (await y.events()).findIndex(({ type }) => type === 'run-started');
    const [started] = (await y.events()).flatMap((event) =>
      event.type === 'run-started' ? [event.run] : [],
    );
    for (const place of places) {
      await show(page, `${place}?at=${at}`);
      await page.getByText(`The past: event ${at} of`).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      const text = await page.locator('main').innerText();
      if (place === 'projects') {
        expect(text).toContain('This page shows the present');
        continue;
      }
      expect(text, place).not.toContain(started ?? 'no run');
      expect(text, place).not.toMatch(/attempt 1|turn 1|landed in|Describe orders/i);
    }
    await page.keyboard.press('Escape');
    await page.getByText('The past').waitFor({ state: 'detached' });
  });

  test('shows a moment of the past as it was, also if the present was shown before', async () => {
    const { page } = light;
    const events = await y.events();
    const slider = page.getByRole('slider', { name: 'History' });
    const nav = page.getByRole('navigation', { name: 'Pages' });
    // A task that did not exist yet is not shown as it is now.
    await show(page, 'task/tax-rate');
    await page.locator('.task-head').getByText('landed').waitFor();
    await slider.fill('1');
    await page.getByText('There was no task "tax-rate" yet at event 1.').waitFor();
    expect(await page.locator('.task-head').count()).toBe(0);
    // Only the first task was known.
    await expect.poll(() => nav.locator('.count').allTextContents()).toEqual(['1']);
    const started = events.findIndex(
      ({ type, ...event }) => type === 'turn-started' && 'id' in event && event.id === 'schema',
    );
    const at = started + 1;
    await show(page, `task/schema/diff?at=${at}`);
    await expect.poll(() => page.locator('.task-head').innerText()).toMatch(/unblocks \d+$/m);
    const links = (): Promise<string[]> => nav.getByRole('link').allTextContents();
    await expect.poll(links).toEqual(expect.arrayContaining(['Tasks12', 'Queue']));
    await show(page, `now?at=${at}`);
    const output = page.getByRole('log', { name: 'Output of schema' });
    await output.getByText('The agent was running at this moment.').waitFor();
    await output.getByText('Reading the code around src/schema.js.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(links).toContain('Inbox5');
  });

  test('keeps the chosen task of the graph while it is zoomed', async () => {
    const { page } = light;
    await show(page, 'graph');
    await page.locator('[data-node="checkout"]').click();
    const details = page.getByRole('complementary');
    await details.getByText('Checkout in one page').waitFor();
    for (const name of ['Zoom in', 'Fit']) await page.getByRole('button', { name }).click();
    await details.getByText('Checkout in one page').waitFor();
  });

  test('ranks failures, and opens the report of a run', async () => {
    const { page } = light;
    await show(page, 'runs');
    const frequent = page.getByRole('region', { name: 'Frequent failures' });
    await frequent.getByText('The agent exited with status 3.').waitFor();
    await frequent.getByRole('link', { name: 'geo-lookup' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const [report] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Report' }).click(),
    ]);
    await report.getByText(evil).first().waitFor();
    expect(await report.evaluate(() => self.origin)).toBe('null');
    expect(await report.locator('h1').evaluate((h1) => getComputedStyle(h1).margin)).toBe(
      '0px 0px 4px',
    );
    expect(await report.locator('script, img').count()).toBe(0);
    // Scripts do not run in the report, and axe is one.
    const html = await (await page.request.get(report.url())).text();
    await report.goto('about:blank');
    await report.setContent(html);
    expect(await axeProblems(report)).toEqual([]);
    await report.close();
  });

  test('shows each project with its own live view', async () => {
    const { page } = light;
    await show(page, 'task/tax-rate');
    const project = page.getByLabel('Project');
    await project.selectOption({ index: 1 });
    await page.getByText('No run yet').waitFor();
    expect(page.url()).toContain('#/now?project=');
    await page.getByRole('link', { name: 'Tasks' }).click();
    await other.ym('add', 'Further away');
    await page.getByRole('link', { name: 'further-away' }).waitFor();
    expect(await page.locator('.task-row').count()).toBe(2);
    await project.selectOption({ index: 0 });
    await page.getByRole('link', { name: 'tax-rate' }).waitFor();
    await show(page, 'now');
    await page.getByRole('list', { name: 'Events' }).getByText('tax-rate').first().waitFor();
    expect(await page.getByText('further-away').count()).toBe(0);
  });

  test('names the file that is in the way of a landing until it is gone', async () => {
    const { page } = light;
    await show(page, 'inbox');
    const trouble = page.getByRole('article', { name: 'cannot land: footer' });
    await trouble.getByText('Move them away or commit them').waitFor();
    rmSync(join(y.root, 'src/footer.js'));
    await trouble.waitFor({ state: 'detached' });
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

  test('turns comments on lines into the next turn of the agent, whose work is then approved', async () => {
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
    await show(page, 'task/auth-cookie');
    await page.getByText('turn 2 finished').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await expectCommand(page, 'ym approve auth-cookie');
    await page.locator('.task-head').getByText('landed').waitFor();
  });

  test('chooses one of several variants, and offers no retry of the others', async () => {
    const { page } = light;
    await show(page, 'now');
    await page.getByRole('link', { name: 'Compare' }).waitFor();
    await show(page, 'task/banner');
    await page.getByRole('link', { name: 'Compare' }).click();
    const second = page.getByRole('region', { name: 'Variant banner.v2' });
    await second.getByText('gate passed').waitFor();
    await second.getByText('SALE!').waitFor();
    await page.getByRole('region', { name: 'Variant banner.v1' }).getByText("'Sale'").waitFor();
    await second.getByRole('button', { name: 'Choose' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose banner.v2' });
    await dialog.getByRole('textbox').fill('It says how long.');
    await dialog.getByRole('button', { name: 'Choose' }).click();
    await expectCommand(page, 'ym choose banner banner.v2');
    await page.getByText(/banner\.v2 was chosen by .+ \(ym ui\): It says how long\./).waitFor();
    await page.locator('.task-head').getByText('landed').waitFor();
    await show(page, 'queue');
    await page.getByText(/ green (\d+)\/\1$/).waitFor();
    await show(page, 'task/banner/diff');
    await page.getByText('Agents work on its variants: banner.v1, banner.v2 (chosen).').waitFor();
    await page.getByRole('link', { name: 'banner.v2' }).click();
    await page.getByText('SALE!').waitFor();
    await show(page, 'task/banner/cost');
    await page.getByRole('region', { name: 'Variants, as a table' }).getByText('all').waitFor();
    await show(page, 'task/banner.v1');
    await page.locator('.task-head').getByText('superseded').waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  test('adds a task, edits its edges and cancels it, and says why an action is refused', async () => {
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
    await page.getByRole('button', { name: 'Edit' }).click();
    const edits = page.getByRole('dialog', { name: 'Edit ship-it' });
    await edits.getByLabel('Title').fill('Ship it soon');
    await edits.getByLabel('After').fill('search-index, mail');
    await edits.getByText('More').click();
    await edits.getByLabel('Checks').fill('npm test\ngrep -q a,b x');
    await edits.getByLabel('Attempts side by side').fill('2');
    expect(await axeProblems(page)).toEqual([]);
    await edits.getByRole('button', { name: 'Save' }).click();
    await expectCommand(page, "--check 'npm test' --check 'grep -q a,b x' --best-of 2");
    const { stdout } = await y.ym('show', 'ship-it', '--json');
    expect(JSON.parse(stdout).task).toMatchObject({
      checks: ['npm test', 'grep -q a,b x'],
      attempts: { best_of: 2 },
    });
    const head = page.locator('.task-head');
    await head.getByText('Ship it soon').waitFor();
    await expect.poll(() => head.textContent()).toContain('waits for search-index, mail');
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByLabel('Why it is canceled').fill('Not now');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
    await head.getByText('canceled').waitFor();
  });

  test('is right again after the server was started again in the middle of the run', async () => {
    const { page } = light;
    await show(page, 'now');
    served.child.signal('SIGTERM');
    await served.child.end();
    await page.getByText('Connection lost, trying again').waitFor();
    expect(await y.ym('retry', 'geo-lookup')).toMatchObject({ code: 0 });
    const again = await serve(y, y.root, other.root);
    expect(again.url).toBe(served.url);
    served = again;
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText('geo-lookup').first().waitFor();
    expect(light.problems).toEqual([]);
  });

  test('changes the slots of the run, stops it and starts another one', async () => {
    const { page } = light;
    await page.getByRole('button', { name: 'Add a slot' }).click();
    await expectCommand(page, 'ym slots 4');
    await page.getByText('4 slots', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectCommand(page, 'ym stop');
    await page.getByRole('button', { name: 'Stop now' }).waitFor();
    await finished(y, run);
    await page.getByText('stopped on request').first().waitFor();
    await page.getByRole('button', { name: 'Start a run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('ym run --scope ready').waitFor();
    await dialog.getByLabel('Tasks').selectOption('Tasks with some labels');
    await dialog.getByRole('textbox', { name: 'Labels' }).fill('no-such-label');
    await dialog.getByLabel('Slots').fill('3');
    await dialog.getByText('ym run --label no-such-label --jobs 3').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.locator('.toast', { hasText: 'no-such-label' }).waitFor();
    await dialog.getByLabel('Tasks').selectOption('Every task');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await expectCommand(page, 'ym run --scope ready --jobs 3');
    await y.untilStatus(
      ({ tasks, run: seen }) =>
        seen?.state === 'ended' &&
        tasks.some((task) => task.id === 'mail' && task.state === 'landed'),
      'the second run has ended',
    );
    await page.getByText('ended:').first().waitFor();
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
