// What an agent says aloud by mistake does not get into anything that is shown or recorded.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exit, print, type TestProject, testProject } from '../rig.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;
const value = 'hunter2-hunter2';

test('tokens and secret variables are taken out of logs, reasons and the store', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[print(`my token is ${token}, my word is ${value}.`), exit(3)]] },
    env: { DEPLOY_PASSWORD: value },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const log = await y.ym('log', 'a');
  expect(log.stdout).toContain('my token is [redacted], my word is [redacted].');
  for (const words of [
    ['log', 'a'],
    ['why', 'a'],
    ['why', 'a', '--json'],
    ['summary', '--json'],
  ]) {
    const { stdout, stderr } = await y.ym(...words);
    expect(stdout + stderr, words.join(' ')).not.toContain(token);
    expect(stdout + stderr, words.join(' ')).not.toContain(value);
  }
  expect(JSON.stringify(await y.events())).not.toContain(token);
  expect(filesWith(y, token)).toEqual([]);
  expect(filesWith(y, value)).toEqual([]);
});

/** Files that runs left, with this text in them. */
function filesWith(y: TestProject, text: string): readonly string[] {
  const runs = join(y.root, '.git', 'yardmaster', 'runs');
  return readdirSync(runs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}
