// The built page in a real browser, served by the built program.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, describe, inject } from 'vitest';
import type { Child, TestProject } from '../rig.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the browser; empty where none is installed. */
    readonly browser: string;
  }
}

const address = inject('browser');

// reason: without Chromium nothing here can run; the set-up says so.
export const inBrowser = describe.skipIf(address === '');

let connection: Promise<Browser> | undefined;

/** A page in a context of its own. Anything that goes wrong in the page is in `problems`. */
export interface Opened {
  readonly page: Page;
  readonly problems: readonly string[];
}

const opened: Page[] = [];

export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  connection ??= chromium.connect(address);
  const browser = await connection;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    ...options,
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isLoad = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isLoad) problems.push(message.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  opened.push(page);
  await page.goto(url);
  await page.locator('main').waitFor();
  return { page, problems };
}

/** Closes what the tests of a file opened. To be called once in each file. */
export function closeBrowserAfterwards(): void {
  afterAll(async () => {
    await Promise.all(opened.splice(0).map((page) => page.context().close()));
    await (await connection)?.close();
    connection = undefined;
  });
}

/** `ym ui` of a project, with its address. */
export interface Served {
  readonly child: Child;
  readonly url: string;
}

export async function serve(y: TestProject, ...args: readonly string[]): Promise<Served> {
  const child = y.start('ui', '--no-open', ...args);
  await child.until('http://');
  const url = /http:\/\/\S+/.exec(child.stdout())?.[0] ?? '';
  return { child, url };
}

/** Goes to a place of the page, such as `graph` or `task/a/diff`. */
export async function show(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${place}`);
  await page.waitForFunction(
    () => document.querySelector('main')?.textContent?.includes('Loading…') === false,
  );
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Problems that axe-core finds on the page, a line for each kind. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  // The policy of the page allows no script but its own; the protocol of the browser is not bound by it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document);
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html} ${failureSummary}`)
          .join('; ')}`,
    );
  });
}

/** True if the page is wider than its window. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const main = document.querySelector('main');
    const wide = (element: Element | null): boolean =>
      element !== null && element.scrollWidth > element.clientWidth + 1;
    return wide(document.documentElement) || wide(document.body) || wide(main);
  });
}
