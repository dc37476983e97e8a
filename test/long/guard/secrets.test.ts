// What an agent says aloud by mistake does not get into anything that is shown or recorded.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exit, print, type TestProject, testProject } from '../../rig.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;

test('output is kept as it was written on request', async () => {
  const y = testProject({
    config: { retries: 0, keep_raw: true },
    tasks: [{ id: 'a' }],
    script: { a: [[print(`my token is ${token}`), exit(3)]] },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(filesWith(y, token)).toEqual([expect.stringMatching(/turn-1\.out$/)]);
  expect((await y.ym('log', 'a')).stdout).not.toContain(token);
});

/** Files that runs left, with this text in them. */
function filesWith(y: TestProject, text: string): readonly string[] {
  const runs = join(y.root, '.git', 'yardmaster', 'runs');
  return readdirSync(runs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}
