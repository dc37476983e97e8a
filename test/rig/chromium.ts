import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env.YARDMASTER_TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Reason to skip tests in a browser; undefined if there is one. */
export const noChromium = existsSync(executablePath)
  ? undefined
  : `there is no Chromium at ${executablePath}; name another with YARDMASTER_TEST_CHROMIUM`;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}
