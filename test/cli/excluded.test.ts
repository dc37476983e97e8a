// Our folder in the repository is nobody else's business.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject } from '../rig.ts';

test('the folder of the store never shows in git status, not even before the first run', async () => {
  const y = testProject();
  const status = (): string =>
    execFileSync('git', ['-C', y.root, 'status', '--porcelain'], { encoding: 'utf8' });
  const before = status();
  expect(await y.ym('add', 'One task')).toMatchObject({ code: 0 });
  expect(existsSync(join(y.root, '.yardmaster', 'yard.db'))).toBe(true);
  expect(status()).toBe(before);
});
