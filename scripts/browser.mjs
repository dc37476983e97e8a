// Vitest's global set-up of projects with tests of the web page: one Chromium for all its tests.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const chromiumPath = '/usr/bin/chromium';

/** Nothing of the machine is used, and nothing of it is asked for over the network. */
const args = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default async function startBrowser({ provide }) {
  if (!existsSync(chromiumPath)) {
    console.log(`${chromiumPath} is not installed, so tests of the web page are skipped`);
    provide('browser', '');
    return () => {};
  }
  const home = await mkdtemp(join(tmpdir(), 'ym-browser-'));
  const server = await chromium.launchServer({
    executablePath: chromiumPath,
    args,
    env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home },
  });
  provide('browser', server.wsEndpoint());
  return async () => {
    await server.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
}
