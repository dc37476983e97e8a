import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { getCurrentTest } from 'vitest/suite';

/** A folder that is removed with the test, or with the file or block where no test is under way. */
export function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ym-')));
  const remove = (): void =>
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  if (getCurrentTest() === undefined) afterAll(remove);
  else onTestFinished(remove);
  return dir;
}
